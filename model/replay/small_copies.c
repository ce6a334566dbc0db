/* SPDX-License-Identifier: MIT */
#include "model/replay/small_copies.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/split_arrays.h"

/* Without its call, what the host does before a copy is not known. */
static bool is_copy(const struct xs_step *step)
{
	return xs_step_is_copy(step) && step->end_ns > 0 && step->return_ns > 0;
}

/* Returns whether the copy's fixed cost exceeds the time of its bytes. */
static bool is_small(const struct xs_machine *m, const struct xs_step *step)
{
	const bool in = step->kind == XS_STEP_H2D;
	const double fixed_ns = (in ? m->lo_h2d_ns : m->lo_d2h_ns).value +
				xs_or_zero(m->call_copy_async_ns.value);

	return (double)step->bytes * (in ? m->G_h2d : m->G_d2h).value <
	       fixed_ns;
}

static bool is_alike(const struct xs_step *a, const struct xs_step *b)
{
	return a->kind == b->kind && a->queue == b->queue &&
	       a->thread == b->thread && a->async == b->async;
}

/* Appends step i, a copy. before: the copy before it in the run, or NULL. */
static void add_copy(struct xs_small_copies *run, const struct xs_step *before,
		     const struct xs_step *steps, size_t i)
{
	run->apart |= xs_step_is_pageable(&steps[i]) ||
		      (before && !xs_step_continues(before, &steps[i]));
	run->pinned &= (run->in ? steps[i].src_memory : steps[i].dst_memory) ==
		       XS_MEM_PINNED;
	run->bytes += (double)steps[i].bytes;
	run->copies++;
	run->end = i + 1;
}

/* Returns the run of similar small copies from step first; without copies if
 * there is none. */
static struct xs_small_copies run_at(const struct xs_phase *phase,
				     const struct xs_machine *machine,
				     size_t first)
{
	const struct xs_step *steps = phase->steps, *before = NULL;
	struct xs_small_copies run = {.first = first,
				      .end = first + 1,
				      .in = steps[first].kind == XS_STEP_H2D,
				      .pinned = true};
	unsigned waits = 0;

	for (size_t i = first; i < phase->step_count; i++) {
		const struct xs_step *step = &steps[i];

		if (before && step->thread == before->thread &&
		    (xs_step_is_wait(step) || step->kind == XS_STEP_ALLOCATE)) {
			waits += xs_step_is_wait(step);
			continue;
		}
		if (!is_copy(step) || !is_small(machine, step) ||
		    !is_alike(&steps[first], step))
			break;
		add_copy(&run, before, steps, i);
		run.waits = waits;
		before = step;
	}
	return run;
}

bool xs_small_copies_next(const struct xs_phase *phase,
			  const struct xs_machine *machine, size_t i,
			  struct xs_small_copies *run)
{
	for (; i < phase->step_count; i = run->end) {
		*run = run_at(phase, machine, i);
		if (run->copies >= XS_SMALL_COPIES_LEAST)
			return true;
	}
	return false;
}

/* No framework takes longer from one call to the next without computing. */
#define ISSUING_MOST_NS 1e6

double xs_action_take_work(struct xs_action *action, bool keeps)
{
	const double ns = action->gap_ns;

	action->gap_ns = 0;
	return keeps || ns > ISSUING_MOST_NS ? ns : 0;
}

struct xs_action *xs_small_copies_merge(const struct xs_phase *phase,
					const struct xs_small_copies *run,
					struct xs_action op, bool keeps,
					struct xs_plan *plan)
{
	const size_t last = run->end - 1;
	struct xs_action *action = &plan->actions[last];
	double work_ns = 0;

	for (size_t i = run->first + 1; i <= last; i++)
		work_ns += xs_action_take_work(&plan->actions[i], keeps);
	action->after = plan->actions[run->first].after;
	xs_action_replace(action, op);
	action->gap_ns += work_ns;
	for (size_t i = run->first; i < last; i++)
		if (phase->steps[i].kind != XS_STEP_ALLOCATE)
			xs_action_leave_out(&plan->actions[i]);
	return action;
}
