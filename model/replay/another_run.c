/* SPDX-License-Identifier: MIT */
#include "model/replay/another_run.h"

#include "model/machine/range_end.h"
#include "model/replay/recorded_plan.h"

#include <math.h>

double xs_step_call_bytes(const struct xs_phase *phase, size_t i)
{
	const struct xs_step *steps = phase->steps;
	double bytes = (double)steps[i].bytes;
	size_t part;

	for (part = i + 1;
	     part < phase->step_count && steps[part].kind == steps[i].kind &&
	     steps[part].return_ns > 0 &&
	     steps[part].call_ns == steps[part].return_ns;
	     part++)
		bytes += (double)steps[part].bytes;
	return bytes;
}

double xs_another_run_ratio(const struct xs_curve *curve, double bytes, int end)
{
	const struct xs_curve at =
	    xs_range_end_curve(curve, end < 0 ? XS_RANGE_LOW : XS_RANGE_HIGH);
	const double by = xs_curve_ns(&at, bytes) / xs_curve_ns(curve, bytes);

	return isfinite(by) ? fmax(1 + sqrt(2) * (by - 1), 0) : 1;
}

void xs_action_scale(struct xs_action *action, double by)
{
	action->issue_lag_ns *= by;
	action->dep_lag_ns *= by;
	action->work_ns *= by;
	action->return_ns *= by;
	action->call_ns *= by;
}

double xs_action_copy_ns(const struct xs_action *action)
{
	/* the lag of the one that it did not wait for is small */
	const double lag_ns = fmax(action->issue_lag_ns, action->dep_lag_ns);

	return action->blocking
		   ? lag_ns + action->work_ns + action->return_ns
		   : fmax(action->call_ns, lag_ns + action->work_ns);
}

/* Returns whether the action is still the recorded pageable copy, and not one
 * from pinned memory in its place. */
static bool is_recorded_copy(const struct xs_step *step,
			     const struct xs_action *action)
{
	return xs_step_is_pageable(step) && action->kind == XS_ACTION_OP &&
	       action->bytes[XS_LINK_COPY_IN] <= 0 &&
	       action->bytes[XS_LINK_COPY_OUT] <= 0;
}

void xs_another_run(struct xs_plan *plan, const struct xs_phase *phase,
		    const struct xs_machine *machine, int in_end, int out_end)
{
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct xs_action *action = &plan->actions[i];
		const bool in = step->kind == XS_STEP_H2D;
		const int end = in ? in_end : out_end;
		double by;

		if (!end || !is_recorded_copy(step, action))
			continue;
		by = xs_another_run_ratio(in ? &machine->pageable_h2d
					     : &machine->pageable_d2h,
					  xs_step_call_bytes(phase, i), end);
		xs_action_scale(action, by);
	}
}

void xs_short_copies_limit(struct xs_plan *plan, const struct xs_phase *phase,
			   const struct xs_machine *machine, bool same_calls)
{
	const double tracer_ns = phase->imported ? 0 : XS_TRACER_COPY_NS;
	const double most_ns = same_calls ? tracer_ns : INFINITY;

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct xs_action *action = &plan->actions[i];
		const double bytes = xs_step_call_bytes(phase, i);
		const double usual_ns = xs_curve_ns(
		    step->kind == XS_STEP_H2D ? &machine->pageable_h2d
					      : &machine->pageable_d2h,
		    bytes);
		const double copy_ns = xs_action_copy_ns(action);
		const double by = fmax(usual_ns, copy_ns - most_ns) / copy_ns;

		if (is_recorded_copy(step, action) &&
		    bytes <= XS_COPIED_BY_CALL_BYTES && by < 1)
			xs_action_scale(action, by);
	}
}
