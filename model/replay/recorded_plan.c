/* SPDX-License-Identifier: MIT */
#include "model/replay/recorded_plan.h"

#include "analyzer/util/memory.h"
#include "model/replay/numbering.h"

#include <math.h>
#include <stdlib.h>

/* Error of GPU times converted to the host's clock: an op may seem to end after
 * the synchronisation that waited for it. */
#define GPU_CLOCK_ERROR_NS 5000.0

/* The last op of a unit, a queue or an event, with its end. */
struct latest {
	uint32_t action; /* XS_ACTION_NONE: none */
	double end_ns;
};

struct recorder {
	const struct xs_machine *machine;
	const struct xs_recorded_plan_change *change;
	struct xs_numbering threads, queues, events;
	double *returned_ns;	/* by thread */
	struct latest *queued;	/* by queue */
	struct latest *happens; /* by event */
	struct latest on_unit[XS_UNITS];
	double all_end_ns; /* the latest end in all queues; or -INFINITY */
	double waits_part; /* of long launches, left out */
};

/* Returns whether the step is a further op of a call that had returned after it
 * (a blocking copy in parts): the step before includes its time. */
static bool is_inside_call(const struct xs_step *step)
{
	return step->return_ns > 0 && step->call_ns == step->return_ns &&
	       step->start_ns < step->call_ns;
}

static bool has_op(const struct xs_step *step)
{
	return step->kind < XS_STEP_SYNC_DEVICE && step->end_ns > 0 &&
	       !is_inside_call(step);
}

static enum xs_unit unit_of(const struct xs_step *step)
{
	switch (step->kind) {
	case XS_STEP_H2D:
		return XS_UNIT_COPY_IN;
	case XS_STEP_D2H:
		return XS_UNIT_COPY_OUT;
	case XS_STEP_D2D:
		/* a staged copy between devices occupies an engine of each */
		return step->staged_in	  ? XS_UNIT_COPY_IN
		       : step->staged_out ? XS_UNIT_COPY_OUT
					  : XS_UNIT_NONE;
	case XS_STEP_KERNEL:
		return XS_UNIT_SM;
	default:
		return XS_UNIT_NONE;
	}
}

/*
 * Finds what an op waited for, unless the record contradicts it: the last op of
 * its queue and the previous op of its unit. Returns the latest of their ends;
 * -INFINITY without any. An op whose first half overlaps the end of the last
 * one of its queue follows it (programmatic dependent launch lets kernels in
 * early). An op that overlaps it for longer ran beside it.
 */
static double find_order(const struct recorder *rec, const struct xs_step *step,
			 struct xs_action *action)
{
	const struct latest *queue = &rec->queued[action->queue];
	const struct latest *unit = &rec->on_unit[unit_of(step)];
	const double start_ns = (double)step->start_ns;
	double latest_ns = -INFINITY;

	if (queue->end_ns <= (start_ns + (double)step->end_ns) / 2)
		latest_ns = fmin(queue->end_ns, start_ns);
	else
		action->unordered = true;
	if (unit_of(step) != XS_UNIT_NONE && unit->action != XS_ACTION_NONE &&
	    unit->end_ns <= start_ns) {
		action->after = unit->action;
		latest_ns = fmax(latest_ns, unit->end_ns);
	}
	return latest_ns;
}

/* Returns the time from a call to its op on an idle device: at most the call,
 * unless the call blocks until after the op. */
static double usual_issue_ns(const struct recorder *rec,
			     const struct xs_step *step)
{
	if (!step->blocking)
		return (double)(step->return_ns - step->call_ns);
	return xs_or_zero(step->kind == XS_STEP_D2H
			      ? rec->machine->lo_d2h_ns.value
			      : rec->machine->lo_h2d_ns.value);
}

/* Takes the measured delay after the later one of call and order. For the other
 * it takes the machine's own delay if the record leaves room for it. */
static void measure_lags(const struct recorder *rec, const struct xs_step *step,
			 double ordered_ns, struct xs_action *action)
{
	const double start_ns = (double)step->start_ns;
	const double issue_ns =
	    xs_step_has_call(step) ? (double)step->call_ns : 0;
	const double usual_ns = xs_or_zero(rec->machine->kernel_gap_ns.value);

	action->issue_lag_ns = fmax(start_ns - issue_ns, 0);
	if (isinf(ordered_ns))
		return;
	action->dep_lag_ns = start_ns - ordered_ns;
	if (issue_ns >= ordered_ns)
		action->dep_lag_ns = fmin(action->dep_lag_ns, usual_ns);
	else
		action->issue_lag_ns = fmin(
		    action->issue_lag_ns, usual_issue_ns(rec, step) + usual_ns);
}

/* Fills an op with its measured time. */
static void take_op(const struct recorder *rec, const struct xs_step *step,
		    struct xs_action *action)
{
	const double ordered_ns = find_order(rec, step, action);

	measure_lags(rec, step, ordered_ns, action);
	action->kind = XS_ACTION_OP;
	action->work_ns = (double)(step->end_ns - step->start_ns);
	if (!action->unordered) /* beside the one that it follows */
		action->work_ns -= fmax(rec->queued[action->queue].end_ns -
					    (double)step->start_ns,
					0);
	if (step->kind == XS_STEP_KERNEL)
		action->work_ns *= rec->change->kernel_scale;
	action->blocking = step->blocking && xs_step_has_call(step);
	if (action->blocking && step->return_ns > step->end_ns)
		action->return_ns = (double)(step->return_ns - step->end_ns);
	else if (!action->blocking)
		action->call_ns = (double)(step->return_ns - step->call_ns);
}

/* Turns the copy into one from pinned memory. It is asynchronous if the call
 * was. (A small pageable copy may return early from a blocking call; a pinned
 * one does not.) */
static void take_pinned(const struct recorder *rec, const struct xs_step *step,
			struct xs_action *action)
{
	find_order(rec, step, action);
	xs_action_replace(
	    action, xs_action_copy(rec->machine, step->kind == XS_STEP_H2D,
				   (double)step->bytes,
				   xs_step_has_call(step) && !step->async));
}

/* Reconciles the two clocks: a blocking copy ends when its call returns. */
static struct xs_step on_one_clock(const struct xs_step *step)
{
	struct xs_step seen = *step;

	if (!xs_step_has_call(step) || !has_op(step))
		return seen;
	if (seen.start_ns < seen.call_ns)
		seen.start_ns = seen.call_ns;
	if (seen.blocking && seen.end_ns > seen.return_ns)
		seen.end_ns = seen.return_ns;
	if (seen.end_ns < seen.start_ns)
		seen.end_ns = seen.start_ns;
	return seen;
}

/* Returns the end of what a synchronisation waited for; -INFINITY for nothing.
 */
static double awaited_ns(const struct recorder *rec,
			 const struct xs_action *action)
{
	if (action->kind == XS_ACTION_SYNC_QUEUE)
		return rec->queued[action->queue].end_ns;
	if (action->kind == XS_ACTION_SYNC_EVENT)
		return rec->happens[action->event].end_ns;
	return rec->all_end_ns;
}

static void take_sync(const struct recorder *rec, const struct xs_step *step,
		      struct xs_action *action)
{
	double awaited;

	action->kind =
	    step->kind == XS_STEP_SYNC_EVENT ? XS_ACTION_SYNC_EVENT
	    : step->kind == XS_STEP_SYNC_STREAM && step->queue != XS_NONE
		? XS_ACTION_SYNC_QUEUE
		: XS_ACTION_SYNC_ALL;
	awaited = fmax(awaited_ns(rec, action), (double)step->call_ns);
	if (awaited <= (double)step->return_ns + GPU_CLOCK_ERROR_NS) {
		action->return_ns = fmax((double)step->return_ns - awaited, 0);
		return;
	}
	action->kind = XS_ACTION_HOST; /* the synchronisation did not wait for
					* it */
	action->call_ns = (double)(step->return_ns - step->call_ns);
}

static void take_call(const struct recorder *rec, const struct xs_step *step,
		      struct xs_action *action)
{
	/* a free that waits for the device first */
	const bool waits = step->kind == XS_STEP_FREE && step->blocking;

	action->call_ns = (double)(step->return_ns - step->call_ns);
	switch (waits ? XS_STEP_SYNC_DEVICE : step->kind) {
	case XS_STEP_EVENT_RECORD:
		action->kind = XS_ACTION_RECORD;
		break;
	case XS_STEP_STREAM_WAIT:
		action->kind = XS_ACTION_WAIT;
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
	case XS_STEP_SYNC_EVENT:
		action->call_ns = 0;
		take_sync(rec, step, action);
		break;
	default: /* also a copy or a launch without a recorded op */
		action->kind = XS_ACTION_HOST;
	}
}

/* Ops without a known call belong to one additional thread. */
static uint64_t thread_of(const struct xs_step *step)
{
	return xs_step_has_call(step) ? step->thread : UINT64_MAX;
}

/* Returns an action with its thread, its queue and its time since the thread's
 * previous call. */
static struct xs_action begin_action(struct recorder *rec,
				     const struct xs_step *step)
{
	struct xs_action action = {.after = XS_ACTION_NONE};

	action.thread = xs_numbering_find(&rec->threads, thread_of(step));
	action.queue = xs_numbering_find(&rec->queues, step->queue);
	action.event = xs_numbering_find(&rec->events, step->event);
	if (xs_step_has_call(step)) {
		action.gap_ns = fmax(
		    (double)step->call_ns - rec->returned_ns[action.thread], 0);
		action.gap_ns *= rec->change->host_scale;
		rec->returned_ns[action.thread] = (double)step->return_ns;
	}
	return action;
}

/* Records what later steps can depend on. */
static void remember(struct recorder *rec, const struct xs_step *step,
		     const struct xs_action *action, uint32_t i)
{
	const struct latest op = {i, (double)step->end_ns};
	struct latest *queue = &rec->queued[action->queue];
	struct latest *unit = &rec->on_unit[unit_of(step)];

	if (action->kind == XS_ACTION_OP) {
		*queue = op;
		if (op.end_ns >= unit->end_ns)
			*unit = op;
	} else if (action->kind == XS_ACTION_RECORD) {
		rec->happens[action->event] = *queue;
	} else if (action->kind == XS_ACTION_WAIT) {
		queue->action = i;
		queue->end_ns =
		    fmax(queue->end_ns, rec->happens[action->event].end_ns);
	}
	rec->all_end_ns = fmax(rec->all_end_ns, queue->end_ns);
}

static void number_handles(struct recorder *rec, const struct xs_phase *phase)
{
	const size_t count = phase->step_count;

	for (size_t i = 0; i < count; i++) {
		xs_numbering_add(&rec->threads, thread_of(&phase->steps[i]));
		xs_numbering_add(&rec->queues, phase->steps[i].queue);
		xs_numbering_add(&rec->events, phase->steps[i].event);
	}
	xs_numbering_sort(&rec->threads);
	xs_numbering_sort(&rec->queues);
	xs_numbering_sort(&rec->events);
}

static void recorder_init(struct recorder *rec, const struct xs_phase *phase)
{
	const struct latest none = {XS_ACTION_NONE, -INFINITY};
	const size_t count = phase->step_count, room = count + 1;

	xs_numbering_init(&rec->threads, count);
	xs_numbering_init(&rec->queues, count);
	xs_numbering_init(&rec->events, count);
	rec->returned_ns = xs_calloc(room, sizeof(double));
	rec->queued = xs_calloc(room, sizeof(*rec->queued));
	rec->happens = xs_calloc(room, sizeof(*rec->happens));
	number_handles(rec, phase);
	for (size_t i = 0; i < room; i++)
		rec->queued[i] = rec->happens[i] = none;
	for (size_t i = 0; i < XS_UNITS; i++)
		rec->on_unit[i] = none;
	rec->all_end_ns = -INFINITY;
}

static void recorder_free(struct recorder *rec)
{
	xs_numbering_free(&rec->threads);
	xs_numbering_free(&rec->queues);
	xs_numbering_free(&rec->events);
	free(rec->returned_ns);
	free(rec->queued);
	free(rec->happens);
}

/* Takes the wait out of a launch call: it begins later. */
static void leave_out_launch_wait(const struct recorder *rec,
				  struct xs_step *step)
{
	const double wait_ns = (double)(step->return_ns - step->call_ns) -
			       xs_or_zero(rec->machine->call_launch_ns.value);

	if (xs_step_is_long_launch(step) && wait_ns > 0)
		step->call_ns += (uint64_t)(rec->waits_part * wait_ns);
}

void xs_recorded_plan_build(const struct xs_phase *phase,
			    const struct xs_machine *machine,
			    const struct xs_recorded_plan_change *change,
			    struct xs_plan *plan)
{
	struct recorder rec = {.machine = machine, .change = change};

	recorder_init(&rec, phase);
	rec.waits_part = change->pin ? xs_launches_await_staging(phase) : 0;
	for (size_t i = 0; i < phase->step_count; i++) {
		struct xs_step step = on_one_clock(&phase->steps[i]);
		struct xs_action action = begin_action(&rec, &step);

		leave_out_launch_wait(&rec, &step);
		if (change->pin && xs_step_is_pageable(&step) && step.end_ns)
			take_pinned(&rec, &step, &action);
		else if (!has_op(&step))
			take_call(&rec, &step, &action);
		else
			take_op(&rec, &step, &action);
		remember(&rec, &step, &action, (uint32_t)i);
		xs_plan_add(plan, &action);
	}
	plan->recorded = plan->count;
	plan->behind_ns = (double)phase->behind_ns;
	recorder_free(&rec);
}

/* Recorded ops have no unit. */
static bool is_launch(const struct xs_plan *plan, const struct xs_phase *phase,
		      size_t i)
{
	return plan->actions[i].unit == XS_UNIT_SM ||
	       (i < plan->recorded && plan->actions[i].unit == XS_UNIT_NONE &&
		phase->steps[i].kind == XS_STEP_KERNEL);
}

double xs_plan_calls_ns(const struct xs_plan *plan,
			const struct xs_phase *phase,
			const struct xs_machine *machine)
{
	double ns = 0;

	for (size_t i = plan->untimed; i < plan->count; i++) {
		const struct xs_action *action = &plan->actions[i];

		if (action->kind != XS_ACTION_OP || action->blocking)
			continue;
		ns += fmin(action->call_ns,
			   xs_or_zero(is_launch(plan, phase, i)
					  ? machine->call_launch_ns.value
					  : machine->call_copy_async_ns.value));
	}
	return plan->rounds ? ns / plan->rounds : ns;
}
