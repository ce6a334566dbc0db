/* SPDX-License-Identifier: MIT */
#include "model/replay/allocation_time.h"

#include <math.h>

/* A free does not say its size. Returns that of the last allocation at the
 * address before it, in this round or in the previous one, which was alike; 0
 * if neither has one. */
static double freed_bytes(const struct xs_phase *phase, size_t i)
{
	const struct xs_step *steps = phase->steps;
	const size_t count = phase->step_count;
	const size_t most = phase->rounds > 1 ? count : i;

	for (size_t back = 1; steps[i].dst && back <= most; back++) {
		const struct xs_step *made = &steps[(i + count - back) % count];

		if (made->kind == XS_STEP_ALLOCATE && made->dst == steps[i].dst)
			return (double)made->bytes;
	}
	return 0;
}

/* fmin ignores NAN, an unknown value. */
static void limit(const struct xs_phase *phase, size_t i,
		  const struct xs_machine *m, struct xs_action *action)
{
	const struct xs_step *step = &phase->steps[i];
	double free_ns;

	if (step->kind == XS_STEP_ALLOCATE) {
		action->call_ns =
		    fmin(action->call_ns, m->device_alloc_fixed_ns.value +
					      m->device_alloc_byte_ns.value *
						  (double)step->bytes);
	} else if (step->kind == XS_STEP_FREE) {
		free_ns = m->device_free_fixed_ns.value +
			  m->device_free_byte_ns.value * freed_bytes(phase, i);
		/* one of them is 0: a free that waited has its time behind
		 * the wait */
		action->call_ns = fmin(action->call_ns, free_ns);
		action->return_ns = fmin(action->return_ns, free_ns);
	}
}

void xs_allocations_limit(struct xs_plan *plan, const struct xs_phase *phase,
			  const struct xs_machine *machine)
{
	size_t i;

	for (i = 0; i < phase->step_count; i++)
		if (phase->steps[i].dst_memory == XS_MEM_DEVICE)
			limit(phase, i, machine, &plan->actions[i]);
}
