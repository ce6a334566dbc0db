/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti_suspend.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/pause.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/info.h"
#include "preload/trace/thread.h"
#include "preload/util/clock.h"

#include <time.h>

/* Wait for the ops of recorded calls: the least time, the least time with
 * graphs, whose pending ops are not known, and the most time. */
#define DRAIN_NS	20000000u
#define DRAIN_GRAPHS_NS 250000000u
#define DRAIN_MAX_NS	10000000000u
/* Polling interval and most time of the wait in a pause. */
#define PAUSED_WAIT_NS 200000u
#define PAUSED_MAX_NS  2000000u

/* If a pause fails, it is tried again at doubled intervals, because hooked
 * calls have waited without need. They wait longer each time, but only for a
 * limited part of the run. */
#define TRY_NS	      10000000u
#define TRY_MAX_NS    10240000000u
#define TRY_NOTED_NS  1000000000u
#define PATIENCE_PART 80 /* 1/80 of the interval */

/* Limit of the wait for the end of a call that only callbacks see. */
#define REQUEST_MAX_NS 1000000000u

/* RECORDING, then DRAINING until the window's ops have arrived, then OFF until
 * the next window. After the last one: OFF, perhaps REQUESTED (a call that no
 * hook sees is to detach CUPTI), LEFT. */
static enum { RECORDING, DRAINING, OFF, REQUESTED, LEFT } state;
static uint64_t since_ns; /* end of the window, or time of the request */
static uint64_t interval_ns, next_ns; /* of attempts to leave */
static bool detaches, request_failed;
/* Several threads were inside calls that no hook sees at the same time. */
static bool unhooked_overlap;

void xs_cupti_suspend_end(void)
{
	xs_cupti_switch_records(true);
	state = RECORDING;
}

void xs_cupti_suspend_begin_at_once(void)
{
	state = DRAINING;
	since_ns = 0;
}

static bool all_arrive_within(uint64_t ns)
{
	const uint64_t until_ns = xs_clock_monotonic_ns() + ns;

	while (!xs_cupti_brought_all(true)) {
		if (xs_clock_monotonic_ns() > until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = PAUSED_WAIT_NS}, NULL);
	}
	return true;
}

/* Runs in a pause. A thread that waited for too long may have ended it. */
static void leave(void)
{
	if (state == DRAINING &&
	    (xs_op_tracker_saw_graphs() || !all_arrive_within(PAUSED_MAX_NS)))
		return;
	if (atomic_load(&xs_capture_mode_now) == XS_CAPTURE_PAUSED &&
	    xs_cupti_leave(detaches))
		state = LEFT;
}

static void note_waiting(void)
{
	xs_trace_info("note",
		      "some thread was always inside of CUDA, so that CUPTI "
		      "could not be switched off in time: calls took longer "
		      "than necessary");
}

static void leave_in_pause(void)
{
	uint64_t patience_ns = interval_ns / PATIENCE_PART;

	if (patience_ns < XS_PAUSE_PATIENCE_NS)
		patience_ns = XS_PAUSE_PATIENCE_NS;
	if (xs_pause_for(leave, patience_ns))
		return;
	interval_ns = interval_ns ? 2 * interval_ns : TRY_NS;
	if (interval_ns >= TRY_NOTED_NS && interval_ns < 2 * TRY_NOTED_NS) {
		note_waiting();
		/* no detach after graphs from now on, but no records either */
		xs_cupti_switch_records(false);
	}
	if (interval_ns > TRY_MAX_NS)
		interval_ns = TRY_MAX_NS;
	next_ns = xs_clock_monotonic_ns() + interval_ns;
}

/* A call that no hook sees may begin during the detach: a program with eight
 * such threads crashed (CUPTI 13.0). */
static bool may_detach(void)
{
	return xs_cupti_may_detach() && !unhooked_overlap;
}

/*
 * Hooked calls wait for a pause. If there are calls that only callbacks see,
 * one of these is requested first to detach CUPTI.
 */
static void try_to_leave(void)
{
	if (xs_clock_monotonic_ns() < next_ns)
		return;
	detaches = may_detach();
	if (detaches && !request_failed && !xs_call_origin_all_hooked()) {
		xs_cupti_ask_to_detach(true);
		state = REQUESTED;
		since_ns = xs_clock_monotonic_ns();
		return;
	}
	leave_in_pause();
}

/* The request fails if there are no more calls that only callbacks see, if one
 * takes very long, or if several threads make them. */
static void await_call(void)
{
	if (unhooked_overlap ||
	    xs_clock_monotonic_ns() >= since_ns + REQUEST_MAX_NS)
		xs_cupti_ask_to_detach(false);
	if (xs_cupti_is_leaving())
		return;
	state = xs_cupti_callbacks_disabled() ? LEFT : OFF;
	request_failed = true;
}

void xs_cupti_suspend_begin(bool for_good)
{
	state = DRAINING;
	since_ns = xs_clock_monotonic_ns();
	/* ops arrive soonest while all threads wait in a pause */
	if (for_good && xs_call_origin_all_hooked() &&
	    !xs_op_tracker_saw_graphs())
		try_to_leave();
}

static bool is_drained(void)
{
	const uint64_t ns = xs_clock_monotonic_ns() - since_ns,
		       least_ns = xs_op_tracker_saw_graphs() ? DRAIN_GRAPHS_NS
							     : DRAIN_NS;

	return ns >= DRAIN_MAX_NS ||
	       (ns >= least_ns && !xs_thread_any_in_recorded_call() &&
		xs_cupti_brought_all(false));
}

static void note_missing(const char *when)
{
	static bool done;
	const unsigned pending = xs_op_tracker_pending();

	if (pending && !done)
		xs_trace_info("note",
			      "the GPU work of %u calls at the end of the "
			      "recorded part is missing: it was not complete "
			      "%s",
			      pending, when);
	done |= pending;
}

/* A graph that was launched while records were on fails if they are switched
 * off before CUPTI is detached. */
static bool records_must_stay_on(bool for_good)
{
	return for_good && xs_op_tracker_saw_graphs() && may_detach();
}

bool xs_cupti_suspend_tick(bool for_good)
{
	if (state != LEFT && !unhooked_overlap)
		unhooked_overlap = xs_thread_count_in_unhooked() > 1;
	if (state == DRAINING && is_drained()) {
		note_missing("within 10 s");
		if (!records_must_stay_on(for_good))
			xs_cupti_switch_records(false);
		state = OFF;
	}
	if (state == REQUESTED)
		await_call();
	if (state == OFF && for_good)
		try_to_leave();
	return state == DRAINING || state == REQUESTED ||
	       (state == OFF && for_good);
}

void xs_cupti_suspend_finish(void)
{
	if (state == DRAINING)
		note_missing("when the program ended");
}

bool xs_cupti_suspend_has_left(void)
{
	return state == LEFT;
}
