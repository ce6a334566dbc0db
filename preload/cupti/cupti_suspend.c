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

/* Ops of recorded calls are waited for: for so long at least, longer where
 * there are graphs, since nobody knows what they have under way, and for so
 * long at most. */
#define DRAIN_NS	 20000000u
#define DRAIN_GRAPHS_NS	 250000000u
#define DRAIN_LONGEST_NS 10000000000u
/* In a pause. */
#define ALL_WAIT_NS    200000u
#define ALL_LONGEST_NS 2000000u

/* A pause that was not to be had is tried again later and later, for others
 * have waited in vain, and they wait the longer: up to a share of the run. */
#define TRY_APART_NS   10000000u
#define TRY_LONGEST_NS 10240000000u
#define TRY_NOTED_NS   1000000000u
#define PATIENCE_SHARE 80

/* For the end of a call that only callbacks see. */
#define ASKED_LONGEST_NS 1000000000u

static enum { RECORDING, DRAINING, OFF, ASKED, LEFT } state;
static uint64_t since_ns;	   /* the window's end, or when it was asked */
static uint64_t apart_ns, next_ns; /* of tries to leave */
static bool detaches, asked_in_vain;

static uint64_t now_ns(void)
{
	return xs_clock_ns(CLOCK_MONOTONIC);
}

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

static bool all_come_within(uint64_t ns)
{
	const uint64_t until_ns = now_ns() + ns;

	while (!xs_cupti_brought_all(true)) {
		if (now_ns() > until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = ALL_WAIT_NS}, NULL);
	}
	return true;
}

/* In a pause. Who waited for long may have ended it. */
static void leave(void)
{
	if (state == DRAINING &&
	    (xs_op_tracker_saw_graphs() || !all_come_within(ALL_LONGEST_NS)))
		return;
	if (atomic_load(&xs_capture_mode_now) == XS_DETAIL_PAUSED &&
	    xs_cupti_leave(detaches))
		state = LEFT;
}

static void note_waiting(void)
{
	xs_trace_info("note",
		      "some thread was always inside of CUDA, so that CUPTI "
		      "could not be switched off in time: calls took longer "
		      "than they had to");
}

static void leave_in_pause(void)
{
	uint64_t patience_ns = apart_ns / PATIENCE_SHARE;

	if (patience_ns < XS_PAUSE_PATIENCE_NS)
		patience_ns = XS_PAUSE_PATIENCE_NS;
	if (xs_pause_for(leave, patience_ns))
		return;
	apart_ns = apart_ns ? 2 * apart_ns : TRY_APART_NS;
	if (apart_ns >= TRY_NOTED_NS && apart_ns < 2 * TRY_NOTED_NS)
		note_waiting();
	if (apart_ns > TRY_LONGEST_NS)
		apart_ns = TRY_LONGEST_NS;
	next_ns = now_ns() + apart_ns;
}

/*
 * Hooked calls wait for the pause. Where there are others, one of these is
 * asked first to detach CUPTI.
 */
static void try_to_leave(void)
{
	if (now_ns() < next_ns)
		return;
	detaches = xs_cupti_may_detach();
	if (detaches && !asked_in_vain && !xs_call_origin_all_hooked()) {
		xs_cupti_ask_to_detach(true);
		state = ASKED;
		since_ns = now_ns();
		return;
	}
	leave_in_pause();
}

/* Nobody makes calls that only callbacks see, or one takes very long. */
static void await_call(void)
{
	if (now_ns() >= since_ns + ASKED_LONGEST_NS)
		xs_cupti_ask_to_detach(false);
	if (xs_cupti_is_leaving())
		return;
	state = xs_cupti_callbacks_disabled() ? LEFT : OFF;
	asked_in_vain = true;
}

void xs_cupti_suspend_begin(bool for_good)
{
	state = DRAINING;
	since_ns = now_ns();
	/* while all wait, ops come soonest */
	if (for_good && xs_call_origin_all_hooked() &&
	    !xs_op_tracker_saw_graphs())
		try_to_leave();
}

static bool is_drained(void)
{
	const uint64_t ns = now_ns() - since_ns,
		       least_ns = xs_op_tracker_saw_graphs() ? DRAIN_GRAPHS_NS
							     : DRAIN_NS;

	return ns >= DRAIN_LONGEST_NS ||
	       (ns >= least_ns && !xs_thread_any_in_recorded_call() &&
		xs_cupti_brought_all(false));
}

static void note_missing(void)
{
	static bool done;
	const unsigned pending = xs_op_tracker_pending();

	if (pending && !done)
		xs_trace_info("note",
			      "the GPU work of %u calls at the end of what was "
			      "recorded is missing: it was not done within "
			      "10 s",
			      pending);
	done |= pending;
}

bool xs_cupti_suspend_tick(bool for_good)
{
	if (state == DRAINING && is_drained()) {
		note_missing();
		xs_cupti_switch_records(false);
		state = OFF;
	}
	if (state == ASKED)
		await_call();
	if (state == OFF && for_good)
		try_to_leave();
	return state == DRAINING || state == ASKED ||
	       (state == OFF && for_good);
}

bool xs_cupti_suspend_has_left(void)
{
	return state == LEFT;
}
