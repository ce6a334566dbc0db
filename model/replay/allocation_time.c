/* SPDX-License-Identifier: MIT */
#include "model/replay/allocation_time.h"

#include "model/replay/recorded_plan.h"

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

/* Returns the profile's time of step i, which allocates or frees; NAN:
 * unknown. */
static double profile_ns(const struct xs_phase *phase, size_t i,
			 const struct xs_machine *m)
{
	const struct xs_step *step = &phase->steps[i];

	if (step->kind == XS_STEP_ALLOCATE && !step->bytes)
		return NAN; /* as in a trace of another tool */
	if (step->kind == XS_STEP_ALLOCATE)
		return m->device_alloc_fixed_ns.value +
		       m->device_alloc_byte_ns.value * (double)step->bytes;
	return m->device_free_fixed_ns.value +
	       m->device_free_byte_ns.value * freed_bytes(phase, i);
}

/* fmin ignores NAN. */
static void limit(const struct xs_phase *phase, size_t i,
		  const struct xs_machine *m, struct xs_action *action)
{
	const struct xs_step *step = &phase->steps[i];

	if (!xs_step_is_allocation(step))
		return;
	action->call_ns = fmin(action->call_ns, profile_ns(phase, i, m));
	/* a free that waited has its time behind the wait; its call_ns is 0 */
	if (step->kind == XS_STEP_FREE)
		action->return_ns =
		    fmin(action->return_ns, profile_ns(phase, i, m));
}

void xs_allocations_limit(struct xs_plan *plan, const struct xs_phase *phase,
			  const struct xs_machine *machine)
{
	uint64_t bytes = 0;

	XS_EACH(step, phase->steps, phase->step_count)
		bytes += xs_step_is_pageable(step) ? step->bytes : 0;
	for (size_t i = 0; bytes > XS_VALUE_BYTES && i < phase->step_count; i++)
		if (phase->steps[i].dst_memory == XS_MEM_DEVICE)
			limit(phase, i, machine, &plan->actions[i]);
}
