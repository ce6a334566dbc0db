/* SPDX-License-Identifier: MIT */
#include "report/timeline/schedules.h"

#include "model/strategies/schedule.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/timeline/lanes.h"

#include <math.h>
#include <string.h>

/* The row of the text report's table, unless it only repeats what was. */
static bool has_view(const struct xs_result *result,
		     const struct xs_result_phase *of,
		     const struct xs_result_estimate *row)
{
	return strcmp(row->strategy, "as-is") != 0 &&
	       strncmp(row->strategy, "machine:", 8) != 0 &&
	       xs_result_is_listed(result, of, row);
}

size_t xs_timeline_schedules_most(const struct xs_result *result,
				  const struct xs_result_phase *of)
{
	size_t count = 0;

	for (size_t i = 0; i < of->estimate_count; i++)
		count += has_view(result, of, &of->estimates[i]);
	return count;
}

/* Where slices go. */
struct adding {
	struct xs_timeline_texts *texts;
	const struct xs_plan *plan;
	const struct xs_action_times *times;
	const struct xs_step *steps; /* of the phase */
	double from_ns; /* what comes before is not of the rounds shown */
	struct xs_lanes lanes;
};

static void add(struct adding *a, struct xs_lanes_item *lane, double start_ns,
		double end_ns, struct xs_result_slice slice)
{
	slice.start_ns = (int64_t)fmin(fmax(start_ns - a->from_ns, 0), 0x1p60);
	slice.end_ns = (int64_t)fmin(end_ns - a->from_ns, 0x1p60);
	xs_lanes_add(lane, &slice);
}

/* The recorded step that the action stands for, or NULL. */
static const struct xs_step *step_of(const struct adding *a, size_t i)
{
	return i < a->plan->recorded ? &a->steps[i] : NULL;
}

static bool waits(const struct xs_action *action)
{
	return action->blocking || action->kind == XS_ACTION_SYNC_QUEUE ||
	       action->kind == XS_ACTION_SYNC_EVENT ||
	       action->kind == XS_ACTION_SYNC_ALL;
}

static enum xs_result_lane_kind call_lane(const struct xs_action *action,
					  const struct xs_step *step)
{
	if (waits(action))
		return XS_LANE_WAITS;
	if (step && xs_step_is_allocation(step))
		return XS_LANE_ALLOCATIONS;
	return XS_LANE_CALLS;
}

static const char *call_name(const struct xs_action *action)
{
	if (action->kind == XS_ACTION_HOST)
		return "other calls and the host's own work";
	if (action->kind != XS_ACTION_OP)
		return waits(action) ? "synchronisation" : "event";
	switch (action->unit) {
	case XS_UNIT_COPY_IN:
		return "call of a copy in";
	case XS_UNIT_COPY_OUT:
		return "call of a copy out";
	case XS_UNIT_SM:
		return "launch";
	default:
		return "call";
	}
}

static void add_call(struct adding *a, size_t i)
{
	const struct xs_action *action = &a->plan->actions[i];
	const struct xs_action_times *times = &a->times[i];
	const struct xs_step *step = step_of(a, i);
	struct xs_result_slice slice = {0};

	if (times->return_ns <= fmax(times->call_ns, a->from_ns))
		return;
	if (step) {
		slice.name = xs_timeline_call_name(a->texts, step->site);
		slice.site = xs_timeline_site(a->texts, step->site);
	} else {
		slice.name =
		    xs_timeline_static_name(a->texts, call_name(action));
	}
	add(a,
	    xs_lanes_host(&a->lanes, call_lane(action, step),
			  action->thread + 1),
	    times->call_ns, times->return_ns, slice);
}

static double bytes_of(const struct xs_action *action)
{
	double sum = 0;

	for (size_t i = 0; i < XS_LINK_USES; i++)
		sum += action->bytes[i];
	return sum;
}

/* What an op is, by its unit; recorded ones have none, but a step. */
static unsigned op_kind(const struct xs_action *action,
			const struct xs_step *step)
{
	static const unsigned kinds[XS_UNITS] = {[XS_UNIT_NONE] = XS_OP_KINDS,
						 [XS_UNIT_COPY_IN] = XS_OP_H2D,
						 [XS_UNIT_COPY_OUT] = XS_OP_D2H,
						 [XS_UNIT_SM] = XS_OP_KERNEL};

	if (action->unit == XS_UNIT_NONE && step)
		return xs_lanes_op_kind(step);
	return kinds[action->unit];
}

static void add_op(struct adding *a, size_t i)
{
	static const char *const lanes[] = {
	    "copies in",	   "copies out",   "copies on the device",
	    "copies on the host",  "sets",	   "kernels",
	    "copies between GPUs", "other GPU ops"};
	const struct xs_action *action = &a->plan->actions[i];
	const struct xs_action_times *times = &a->times[i];
	const struct xs_step *step = step_of(a, i);
	const unsigned kind = op_kind(action, step);
	const enum xs_result_lane_kind lane_kind =
	    kind == XS_OP_KERNEL ? XS_LANE_KERNELS : XS_LANE_COPIES;
	const double bytes = bytes_of(action);
	struct xs_result_slice slice = {0};
	struct xs_lanes_item *lane;

	if (action->kind != XS_ACTION_OP || isnan(times->start_ns) ||
	    times->end_ns <= a->from_ns)
		return;
	lane =
	    xs_lanes_get(&a->lanes, lane_kind, xs_lanes_key(lane_kind, kind));
	lane->lane.name = lanes[kind];
	slice.bytes = bytes > 0 ? (int64_t)fmin(bytes, 0x1p60)
		      : step	? xs_number_bounded(step->bytes)
				: 0;
	slice.site = step ? xs_timeline_site(a->texts, step->site) : 0;
	if (kind == XS_OP_KERNEL && step)
		slice.name = xs_timeline_kernel_name(a->texts, step->shape);
	else
		slice.name = kind == XS_OP_KINDS
				 ? xs_timeline_static_name(a->texts, "other op")
				 : xs_timeline_copy_name(a->texts, kind, 0, 0);
	add(a, lane, times->start_ns, times->end_ns, slice);
}

/* A plan of several rounds is shown from where they are timed. */
static void add_view(struct xs_timeline_texts *texts,
		     const struct xs_schedule *schedule,
		     const struct xs_phase *phase,
		     const struct xs_result_phase *of,
		     const struct xs_result_estimate *row)
{
	const struct xs_plan *plan = &schedule->plan;
	struct xs_result_timeline *out = texts->out;
	struct adding a = {.texts = texts,
			   .plan = plan,
			   .times = schedule->times,
			   .steps = phase->steps,
			   .lanes = {.arena = &texts->result->arena}};

	if (plan->rounds && plan->untimed)
		a.from_ns = schedule->times[plan->untimed - 1].return_ns;
	for (size_t i = 0; i < plan->count; i++) {
		add_call(&a, i);
		add_op(&a, i);
	}
	out->views[out->view_count] =
	    (struct xs_result_view){.phase = of,
				    .estimate = row,
				    .rounds = plan->rounds ? plan->rounds : 1};
	xs_lanes_finish(&a.lanes, &out->views[out->view_count++]);
}

static void add_row(struct xs_timeline_texts *texts,
		    const struct xs_phase *phase,
		    const struct xs_result_phase *of,
		    const struct xs_result_estimate *row)
{
	struct xs_schedule schedule = {
	    .strategy = row->strategy,
	    .language = xs_result_language(&texts->result->run),
	    .n_streams =
		row->n_streams == XS_UNKNOWN ? 0 : (unsigned)row->n_streams,
	    .order = !row->order			? XS_ORDER_NONE
		     : strcmp(row->order, "depth") == 0 ? XS_ORDER_DEPTH
							: XS_ORDER_BREADTH,
	};

	xs_model_schedule(phase, &texts->result->machine, &schedule);
	if (schedule.times && schedule.plan.count <= XS_TIMELINE_ACTIONS_MAX)
		add_view(texts, &schedule, phase, of, row);
	xs_schedule_free(&schedule);
}

void xs_timeline_schedules_add(struct xs_timeline_texts *texts,
			       const struct xs_phase *phase,
			       const struct xs_result_phase *of)
{
	for (size_t i = 0; i < of->estimate_count; i++)
		if (has_view(texts->result, of, &of->estimates[i]))
			add_row(texts, phase, of, &of->estimates[i]);
}
