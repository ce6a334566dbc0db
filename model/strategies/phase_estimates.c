/* SPDX-License-Identifier: MIT */
/* Runs all strategies on one phase. */
#include "model/strategies/strategy.h"

#include "model/replay/recorded_plan.h"
#include "model/strategies/between_programs.h"

#include <math.h>
#include <string.h>

/* Returns the time of the round's pageable copies, by which the unchanged
 * rounds of two processes differ. Other copies take as long in both. */
static double pageable_ns(const struct xs_phase *phase)
{
	double ns = 0;

	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_is_pageable(&phase->steps[i]))
			ns += (double)(phase->steps[i].end_ns -
				       phase->steps[i].start_ns);
	return ns;
}

/* Adds what the known causes of the row's interval do not explain, in
 * quadrature. Closed forms have no such error. */
static void widen(const struct xs_strategy_case *c, struct xs_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	double error_ns;

	row->known_low_ns = row->low_ns;
	row->known_high_ns = row->high_ns;
	if (!row->applies || !strategy || strcmp(row->model, XS_MODEL_REPLAY))
		return;
	error_ns = strategy->error * row->round_ns;
	if (!strategy->changes)
		error_ns = fmin(error_ns, pageable_ns(c->phase));
	/* without a copy, the round differs by no more than that copy */
	if (strategy->changes & XS_CHANGES_TRAFFIC)
		error_ns = fmin(error_ns, fmax(c->as_is_ns - row->round_ns, 0));
	if (strategy->keeps_allocations)
		error_ns = hypot(error_ns,
				 XS_ERROR_allocations * c->work.allocation_ns);
	row->low_ns = fmax(
	    row->round_ns - hypot(row->round_ns - row->low_ns, error_ns), 0);
	row->high_ns =
	    row->round_ns + hypot(row->high_ns - row->round_ns, error_ns);
}

/* Leaves what the host's own time moves of both the row and the unchanged
 * round. */
static void share(const struct xs_estimate *as_is, struct xs_estimate *row)
{
	row->shared_low_ns = fmin(row->shared_low_ns, as_is->shared_low_ns);
	row->shared_high_ns = fmin(row->shared_high_ns, as_is->shared_high_ns);
}

static bool has_unknown_memory(const struct xs_phase *phase)
{
	XS_EACH(step, phase->steps, phase->step_count) {
		if ((step->kind == XS_STEP_H2D && !step->src_memory) ||
		    (step->kind == XS_STEP_D2H && !step->dst_memory))
			return true;
	}
	return false;
}

/* Copies of memory of an unknown kind are replayed as those of pinned memory:
 * a row that needs it to be pinned says so. */
static void need_pinned(const struct xs_strategy_case *c,
			struct xs_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);

	if (!row->applies || !strategy ||
	    !(strategy->changes & XS_CHANGES_PINNING) ||
	    !has_unknown_memory(c->phase))
		return;
	xs_estimate_assume(row, XS_NEEDS_PINNED);
	if (!row->bound)
		row->bound = XS_NEEDS_PINNED;
}

/* Returns whether each kernel leaves room on the SMs for one like it. */
static bool has_room(const struct xs_phase *phase,
		     const struct xs_machine *machine)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == XS_STEP_KERNEL &&
		    xs_step_sm_share(&phase->steps[i], machine) > 0.5)
			return false;
	return true;
}

/* Closed forms do not include setup costs: their rows get those of the
 * strategy's replay. */
static void finish_row(const struct xs_strategy_case *c,
		       struct xs_estimate *row)
{
	if (row->assumes_once)
		row->bound = XS_BOUND_ONCE;
	need_pinned(c, row);
	if (row->bound)
		row->needs = row->bound;
	widen(c, row);
	if (!row->applies || !strcmp(row->model, XS_MODEL_REPLAY))
		return;
	xs_estimate_set_setup_ns(c, row->creates_streams ? 0 : row->n_streams,
				 row);
}

void xs_model_phase(const struct xs_phase *phase,
		    const struct xs_machine *machine,
		    const struct xs_model_options *options,
		    struct xs_estimates *out)
{
	struct xs_strategy_case c = {.phase = phase,
				     .machine = machine,
				     .options = options,
				     .as_is_ns =
					 (double)phase->round_ns.median_ns};
	const bool room = has_room(phase, machine);
	size_t i, first = out->count;

	xs_round_work_build(phase, &c.work);
	xs_kernel_stages_join_slices(machine, &c.work);
	xs_strategy_case_keep_buffers(&c);
	for (i = 0; i < xs_strategy_count; i++) {
		c.strategy = xs_strategies[i];
		c.strategy->build(&c, out);
		if (!i && out->items[first].applies)
			c.as_is_ns = out->items[first].round_ns;
	}
	for (i = first; i < out->count; i++) {
		out->items[i].has_room = room;
		share(&out->items[first], &out->items[i]);
		finish_row(&c, &out->items[i]);
	}
}
