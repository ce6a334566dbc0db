/* SPDX-License-Identifier: MIT */
#include "model/strategies/machine_move.h"

#include "model/replay/another_run.h"

#include <math.h>

static const struct xs_curve *curve_of(const struct xs_machine *m,
				       const struct xs_step *step)
{
	return xs_step_is_in(step) ? &m->pageable_h2d : &m->pageable_d2h;
}

double xs_machine_move_G(const struct xs_machine *m, const struct xs_step *step)
{
	return xs_step_is_in(step) ? m->G_h2d.value : m->G_d2h.value;
}

enum xs_copy_source xs_machine_move_source(const struct xs_machine *to,
					   const struct xs_step *step)
{
	const uint8_t memory =
	    xs_step_is_in(step) ? step->src_memory : step->dst_memory;

	if (memory == XS_MEM_PINNED)
		return XS_COPY_FROM_PINNED;
	if (memory == XS_MEM_PAGEABLE && curve_of(to, step)->count)
		return XS_COPY_FROM_CURVE;
	return XS_COPY_FROM_RATES;
}

/* Returns the ratio of two parameters; 1 if one is unknown. */
static double ratio(const struct xs_param *to, const struct xs_param *from)
{
	return to->value > 0 && from->value > 0 ? to->value / from->value : 1;
}

/* Scales a pageable copy by the curves of both machines. Extra time on the
 * traced machine, such as first touches of pages, then remains. Without a curve
 * of the traced machine, compares with the copy's own time. */
static double curve_ratio(const struct xs_machine_move *move,
			  const struct xs_machine *to,
			  const struct xs_step *step)
{
	const double bytes = (double)step->bytes;
	double was_ns = xs_curve_ns(curve_of(move->from, step), bytes);

	if (isnan(was_ns) && step->blocking && step->return_ns)
		was_ns = (double)step->return_ns - (double)step->start_ns;
	else if (isnan(was_ns))
		was_ns = (double)(step->end_ns - step->start_ns);
	return was_ns > 0 ? xs_curve_ns(curve_of(to, step), bytes) / was_ns : 1;
}

/* Takes the other machine's copy, with call costs by ratio, since a profile may
 * lack them. */
static void move_pinned(const struct xs_machine_move *move,
			const struct xs_machine *to, const struct xs_step *step,
			struct xs_action *action)
{
	const struct xs_action was = *action;

	xs_action_replace(action,
			  xs_action_copy(to, xs_step_is_in(step),
					 (double)step->bytes, was.blocking));
	action->call_ns = was.call_ns * ratio(&to->call_copy_async_ns,
					      &move->from->call_copy_async_ns);
	action->return_ns =
	    was.return_ns *
	    ratio(&to->call_copy_sync_ns, &move->from->call_copy_sync_ns);
}

static void move_copy(const struct xs_machine_move *move,
		      const struct xs_machine *to, const struct xs_step *step,
		      struct xs_action *action)
{
	switch (xs_machine_move_source(to, step)) {
	case XS_COPY_FROM_PINNED:
		move_pinned(move, to, step, action);
		break;
	case XS_COPY_FROM_CURVE:
		xs_action_scale(action, curve_ratio(move, to, step));
		break;
	case XS_COPY_FROM_RATES:
		if (move->all_pinned)
			move_pinned(move, to, step, action);
		else
			xs_action_scale(
			    action, xs_machine_move_G(to, step) /
					xs_machine_move_G(move->from, step));
		break;
	}
}

static void move_kernel(const struct xs_machine_move *move,
			const struct xs_machine *to, struct xs_action *action)
{
	const double waited_ns =
	    fmax(action->issue_lag_ns - action->call_ns, 0);

	action->call_ns *=
	    ratio(&to->call_launch_ns, &move->from->call_launch_ns);
	action->issue_lag_ns =
	    action->call_ns + waited_ns * ratio(&to->launch_latency_ns,
						&move->from->launch_latency_ns);
	action->dep_lag_ns *=
	    ratio(&to->kernel_gap_ns, &move->from->kernel_gap_ns);
	action->work_ns *= move->kernel_ratio;
}

void xs_machine_move_act(const struct xs_machine_move *move,
			 const struct xs_machine *to,
			 const struct xs_step *step, struct xs_action *action)
{
	switch (step->kind) {
	case XS_STEP_H2D:
	case XS_STEP_D2H:
		if (action->kind == XS_ACTION_OP)
			move_copy(move, to, step, action);
		break;
	case XS_STEP_KERNEL:
		if (action->kind == XS_ACTION_OP)
			move_kernel(move, to, action);
		break;
	case XS_STEP_D2D:
	case XS_STEP_SET:
		action->work_ns *= move->memory_ratio;
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
	case XS_STEP_SYNC_EVENT:
		action->return_ns *= ratio(&to->sync_ns, &move->from->sync_ns);
		break;
	case XS_STEP_EVENT_RECORD:
	case XS_STEP_STREAM_WAIT:
		action->call_ns *=
		    ratio(&to->call_event_ns, &move->from->call_event_ns);
		break;
	default: /* the host's own work and other calls */
		break;
	}
}
