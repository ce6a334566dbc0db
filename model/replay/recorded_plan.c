/* SPDX-License-Identifier: MIT */
#include "model/replay/recorded_plan.h"

#include "model/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* How far GPU times, converted to the host's clock, may be off: an op may seem
 * to end after the synchronisation that waited for it. */
#define XS_CLOCK_SLACK_NS 5000.0

/* Handles to small indices: their places in a sorted list. */
struct numbering {
	uint64_t *values; /* owned */
	size_t count;
};

/* The last op of a unit, a queue or an event: its step, and when it ended. */
struct latest {
	uint32_t act; /* XS_ACT_NONE: there is none */
	double end_ns;
};

struct recorder {
	const struct xs_machine *machine;
	const struct xs_record_change *change;
	struct numbering threads, queues, events;
	double *returned_ns;	/* by thread */
	struct latest *queued;	/* by queue */
	struct latest *happens; /* by event */
	struct latest on_unit[XS_UNITS];
};

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_numbering(struct numbering *n)
{
	size_t i, kept = 0;

	qsort(n->values, n->count, sizeof(*n->values), by_value);
	for (i = 0; i < n->count; i++)
		if (!kept || n->values[i] != n->values[kept - 1])
			n->values[kept++] = n->values[i];
	n->count = kept;
}

static uint32_t number(const struct numbering *n, uint64_t value)
{
	const uint64_t *found =
	    bsearch(&value, n->values, n->count, sizeof(*n->values), by_value);

	return (uint32_t)(found - n->values);
}

/* A further op of a call that had returned with it done (a blocking copy in
 * parts): its time is in the return of the step before. */
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

static bool has_call(const struct xs_step *step)
{
	return step->return_ns > 0;
}

static enum xs_unit unit_of(const struct xs_step *step)
{
	switch (step->kind) {
	case XS_STEP_H2D:
		return XS_UNIT_COPY_IN;
	case XS_STEP_D2H:
		return XS_UNIT_COPY_OUT;
	case XS_STEP_KERNEL:
		return XS_UNIT_SM;
	default:
		return XS_UNIT_NONE;
	}
}

bool xs_step_is_pageable(const struct xs_step *step)
{
	return (step->kind == XS_STEP_H2D &&
		step->src_memory == XS_MEM_PAGEABLE) ||
	       (step->kind == XS_STEP_D2H &&
		step->dst_memory == XS_MEM_PAGEABLE);
}

/*
 * What an op waited for, as far as the record does not contradict it: its
 * queue's last op, and the op before it on its unit. Returns the latest of
 * their ends, -INFINITY when there is none.
 */
static double find_order(const struct recorder *rec, const struct xs_step *step,
			 struct xs_act *act)
{
	const struct latest *queue = &rec->queued[act->queue];
	const struct latest *unit = &rec->on_unit[unit_of(step)];
	const double start_ns = (double)step->start_ns;
	double latest_ns = -INFINITY;

	if (queue->end_ns <= start_ns)
		latest_ns = queue->end_ns;
	else
		act->loose = true;
	if (unit_of(step) != XS_UNIT_NONE && unit->act != XS_ACT_NONE &&
	    unit->end_ns <= start_ns) {
		act->after = unit->act;
		latest_ns = fmax(latest_ns, unit->end_ns);
	}
	return latest_ns;
}

/* From a call to its op on an idle device: within the call, unless that blocks
 * and so lasts longer than the op. */
static double usual_issue_ns(const struct recorder *rec,
			     const struct xs_step *step)
{
	if (!step->blocking)
		return (double)(step->return_ns - step->call_ns);
	return xs_or_zero(step->kind == XS_STEP_D2H
			      ? rec->machine->lo_d2h_ns.value
			      : rec->machine->lo_h2d_ns.value);
}

/* The measured delay after whichever came last, the call or the order; after
 * the other the machine's own, if the record leaves room for it. */
static void measure_lags(const struct recorder *rec, const struct xs_step *step,
			 double ordered_ns, struct xs_act *act)
{
	const double start_ns = (double)step->start_ns;
	const double issue_ns = has_call(step) ? (double)step->call_ns : 0;
	const double usual_ns = xs_or_zero(rec->machine->kernel_gap_ns.value);

	act->issue_lag_ns = fmax(start_ns - issue_ns, 0);
	if (isinf(ordered_ns))
		return;
	act->dep_lag_ns = start_ns - ordered_ns;
	if (issue_ns >= ordered_ns)
		act->dep_lag_ns = fmin(act->dep_lag_ns, usual_ns);
	else
		act->issue_lag_ns = fmin(act->issue_lag_ns,
					 usual_issue_ns(rec, step) + usual_ns);
}

/* An op with its measured time. */
static void take_op(const struct recorder *rec, const struct xs_step *step,
		    struct xs_act *act)
{
	const double ordered_ns = find_order(rec, step, act);

	measure_lags(rec, step, ordered_ns, act);
	act->kind = XS_ACT_OP;
	act->work_ns = (double)(step->end_ns - step->start_ns);
	if (step->kind == XS_STEP_KERNEL)
		act->work_ns *= rec->change->kernel_scale;
	act->blocking = step->blocking && has_call(step);
	if (act->blocking && step->return_ns > step->end_ns)
		act->return_ns = (double)(step->return_ns - step->end_ns);
	else if (!act->blocking)
		act->call_ns = (double)(step->return_ns - step->call_ns);
}

/* The same copy from pinned memory, asynchronous if that was asked for. (A
 * small pageable copy may return early from a blocking call; a pinned one
 * does not.) */
static void take_pinned(const struct recorder *rec, const struct xs_step *step,
			struct xs_act *act)
{
	struct xs_act ordered = *act;

	find_order(rec, step, &ordered);
	*act = xs_act_copy(rec->machine, step->kind == XS_STEP_H2D,
			   (double)step->bytes, has_call(step) && !step->async);
	act->thread = ordered.thread;
	act->queue = ordered.queue;
	act->gap_ns = ordered.gap_ns;
	act->after = ordered.after;
	act->loose = ordered.loose;
}

/* Where the two clocks disagree: a blocking copy is done when its call
 * returns. */
static struct xs_step on_one_clock(const struct xs_step *step)
{
	struct xs_step seen = *step;

	if (!has_call(step) || !has_op(step))
		return seen;
	if (seen.start_ns < seen.call_ns)
		seen.start_ns = seen.call_ns;
	if (seen.blocking && seen.end_ns > seen.return_ns)
		seen.end_ns = seen.return_ns;
	if (seen.end_ns < seen.start_ns)
		seen.end_ns = seen.start_ns;
	return seen;
}

/* The end of what a synchronisation waited for; -INFINITY for nothing. */
static double awaited_ns(const struct recorder *rec, const struct xs_act *act)
{
	double latest_ns = -INFINITY;
	uint32_t q;

	if (act->kind == XS_ACT_SYNC_QUEUE)
		return rec->queued[act->queue].end_ns;
	if (act->kind == XS_ACT_SYNC_EVENT)
		return rec->happens[act->event].end_ns;
	for (q = 0; q < rec->queues.count; q++)
		latest_ns = fmax(latest_ns, rec->queued[q].end_ns);
	return latest_ns;
}

static void take_sync(const struct recorder *rec, const struct xs_step *step,
		      struct xs_act *act)
{
	double awaited;

	act->kind =
	    step->kind == XS_STEP_SYNC_EVENT ? XS_ACT_SYNC_EVENT
	    : step->kind == XS_STEP_SYNC_STREAM && step->queue != XS_NONE
		? XS_ACT_SYNC_QUEUE
		: XS_ACT_SYNC_ALL;
	awaited = fmax(awaited_ns(rec, act), (double)step->call_ns);
	if (awaited <= (double)step->return_ns + XS_CLOCK_SLACK_NS) {
		act->return_ns = fmax((double)step->return_ns - awaited, 0);
		return;
	}
	act->kind = XS_ACT_HOST; /* it did not wait for that */
	act->call_ns = (double)(step->return_ns - step->call_ns);
}

static void take_call(const struct recorder *rec, const struct xs_step *step,
		      struct xs_act *act)
{
	act->call_ns = (double)(step->return_ns - step->call_ns);
	switch (step->kind) {
	case XS_STEP_EVENT_RECORD:
		act->kind = XS_ACT_RECORD;
		break;
	case XS_STEP_STREAM_WAIT:
		act->kind = XS_ACT_WAIT;
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
	case XS_STEP_SYNC_EVENT:
		act->call_ns = 0;
		take_sync(rec, step, act);
		break;
	default: /* also a copy or a launch whose op was not seen */
		act->kind = XS_ACT_HOST;
	}
}

/* Ops whose call is not known count as one more thread's. */
static uint64_t thread_of(const struct xs_step *step)
{
	return has_call(step) ? step->thread : UINT64_MAX;
}

/* Who, where, and how long after the thread's last call. */
static struct xs_act begin_act(struct recorder *rec, const struct xs_step *step)
{
	struct xs_act act = {.after = XS_ACT_NONE};

	act.thread = number(&rec->threads, thread_of(step));
	act.queue = number(&rec->queues, step->queue);
	act.event = number(&rec->events, step->event);
	if (has_call(step)) {
		act.gap_ns = fmax(
		    (double)step->call_ns - rec->returned_ns[act.thread], 0);
		act.gap_ns *= rec->change->host_scale;
		rec->returned_ns[act.thread] = (double)step->return_ns;
	}
	return act;
}

/* Remembers what later steps can depend on. */
static void remember(struct recorder *rec, const struct xs_step *step,
		     const struct xs_act *act, uint32_t i)
{
	const struct latest op = {i, (double)step->end_ns};
	struct latest *queue = &rec->queued[act->queue];
	struct latest *unit = &rec->on_unit[unit_of(step)];

	if (act->kind == XS_ACT_OP) {
		*queue = op;
		if (op.end_ns >= unit->end_ns)
			*unit = op;
	} else if (act->kind == XS_ACT_RECORD) {
		rec->happens[act->event] = *queue;
	} else if (act->kind == XS_ACT_WAIT) {
		queue->act = i;
		queue->end_ns =
		    fmax(queue->end_ns, rec->happens[act->event].end_ns);
	}
}

static void number_handles(struct recorder *rec, const struct xs_phase *phase)
{
	const size_t count = phase->step_count;
	size_t i;

	for (i = 0; i < count; i++) {
		rec->threads.values[i] = thread_of(&phase->steps[i]);
		rec->queues.values[i] = phase->steps[i].queue;
		rec->events.values[i] = phase->steps[i].event;
	}
	rec->threads.count = rec->queues.count = rec->events.count = count;
	sort_numbering(&rec->threads);
	sort_numbering(&rec->queues);
	sort_numbering(&rec->events);
}

static int recorder_init(struct recorder *rec, const struct xs_phase *phase)
{
	const struct latest none = {XS_ACT_NONE, -INFINITY};
	const size_t room = phase->step_count + 1;
	size_t i;

	rec->threads.values = calloc(room, sizeof(uint64_t));
	rec->queues.values = calloc(room, sizeof(uint64_t));
	rec->events.values = calloc(room, sizeof(uint64_t));
	rec->returned_ns = calloc(room, sizeof(double));
	rec->queued = calloc(room, sizeof(*rec->queued));
	rec->happens = calloc(room, sizeof(*rec->happens));
	if (!rec->threads.values || !rec->queues.values ||
	    !rec->events.values || !rec->returned_ns || !rec->queued ||
	    !rec->happens)
		return -ENOMEM;
	number_handles(rec, phase);
	for (i = 0; i < room; i++)
		rec->queued[i] = rec->happens[i] = none;
	for (i = 0; i < XS_UNITS; i++)
		rec->on_unit[i] = none;
	return 0;
}

static void recorder_free(struct recorder *rec)
{
	free(rec->threads.values);
	free(rec->queues.values);
	free(rec->events.values);
	free(rec->returned_ns);
	free(rec->queued);
	free(rec->happens);
}

int xs_record_plan(const struct xs_phase *phase,
		   const struct xs_machine *machine,
		   const struct xs_record_change *change, struct xs_plan *plan)
{
	struct recorder rec = {.machine = machine, .change = change};
	int rc = recorder_init(&rec, phase);
	size_t i;

	for (i = 0; !rc && i < phase->step_count; i++) {
		const struct xs_step step = on_one_clock(&phase->steps[i]);
		struct xs_act act = begin_act(&rec, &step);

		if (change->pin && xs_step_is_pageable(&step) && step.end_ns)
			take_pinned(&rec, &step, &act);
		else if (!has_op(&step))
			take_call(&rec, &step, &act);
		else
			take_op(&rec, &step, &act);
		remember(&rec, &step, &act, (uint32_t)i);
		rc = xs_plan_add(plan, &act);
	}
	recorder_free(&rec);
	return rc;
}
