/* SPDX-License-Identifier: MIT */
#include "report/timeline/rounds.h"

#include "report/result/number.h"
#include "report/timeline/lane_names.h"
#include "report/timeline/schedules.h"

#include <errno.h>

int xs_timeline_rounds_room(struct xs_result *result,
			    struct xs_result_timeline *out)
{
	size_t most = 1 + result->phase_count;

	for (size_t i = 0; i < result->phase_count; i++)
		most += xs_timeline_schedules_most(result, &result->phases[i]);
	out->views = xs_arena_alloc(&result->arena, most, sizeof(*out->views));
	return out->views ? 0 : -ENOMEM;
}

/* A copy that is not asynchronous waits, if only for a part of it. */
static enum xs_result_lane_kind kind_of(const struct xs_step *step)
{
	if (step->kind == XS_STEP_ALLOCATE || step->kind == XS_STEP_FREE)
		return XS_LANE_ALLOCATIONS;
	if (step->blocking || (xs_step_is_copy(step) && !step->async) ||
	    step->kind == XS_STEP_SYNC_DEVICE ||
	    step->kind == XS_STEP_SYNC_STREAM ||
	    step->kind == XS_STEP_SYNC_EVENT)
		return XS_LANE_WAITS;
	return XS_LANE_CALLS;
}

static void add_call(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		     const struct xs_step *step)
{
	const struct xs_result_slice slice = {
	    .start_ns = xs_number_bounded(step->call_ns),
	    .end_ns = xs_number_bounded(step->return_ns),
	    .bytes = xs_number_bounded(step->bytes),
	    .name = xs_timeline_call_name(texts, step->site),
	    .site = xs_timeline_site(texts, step->site),
	};

	if (step->return_ns > step->call_ns)
		xs_lanes_add(
		    lanes,
		    xs_timeline_host_lane(lanes, kind_of(step), step->thread),
		    &slice);
}

static void add_op(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		   const struct xs_step *step)
{
	const unsigned kind = xs_timeline_op_kind(step);
	const struct xs_result_slice slice = {
	    .start_ns = xs_number_bounded(step->start_ns),
	    .end_ns = xs_number_bounded(step->end_ns),
	    .bytes = xs_number_bounded(step->bytes),
	    .name = kind == XS_OP_KERNEL
			? xs_timeline_kernel_name(texts, step->shape)
			: xs_timeline_copy_name(texts, kind, step->src_memory,
						step->dst_memory),
	    .site = xs_timeline_site(texts, step->site),
	};

	xs_lanes_add(
	    lanes, xs_timeline_op_lane(lanes, texts->trace, kind, step->queue),
	    &slice);
}

static void add_recorded(struct xs_timeline_texts *texts,
			 const struct xs_phase *phase,
			 const struct xs_result_phase *of)
{
	struct xs_result_timeline *out = texts->out;
	struct xs_lanes lanes = {.arena = &texts->result->arena};

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		add_call(texts, &lanes, step);
		if (step->kind <= XS_STEP_KERNEL && step->end_ns)
			add_op(texts, &lanes, step);
	}
	out->views[out->view_count] =
	    (struct xs_result_view){.phase = of, .rounds = 1};
	xs_lanes_finish(&lanes, &out->views[out->view_count++]);
}

int xs_timeline_rounds_add(struct xs_timeline_texts *texts,
			   const struct xs_phases *phases)
{
	const struct xs_result *result = texts->result;
	int err = 0;

	for (size_t i = 0; i < result->phase_count && !err; i++) {
		const struct xs_phase *phase = &phases->items[i];

		if (!phase->step_count ||
		    phase->step_count > XS_TIMELINE_STEPS_MAX)
			continue;
		add_recorded(texts, phase, &result->phases[i]);
		err =
		    xs_timeline_schedules_add(texts, phase, &result->phases[i]);
	}
	return !err && result->arena.failed ? -ENOMEM : err;
}
