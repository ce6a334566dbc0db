/* SPDX-License-Identifier: MIT */
#include "preload/cupti/cupti_suspend.h"
#include "preload/api/unhooked_objects.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/pause.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/trace/info.h"
#include "preload/util/clock.h"

#include <time.h>

#define GRACE_NS	  20000000u
#define GRACE_FOR_RATE_NS 80000000u
#define GRACE_LONGEST_NS  1000000000u
#define DONE_WAIT_NS	  200000u
#define DONE_LONGEST_NS	  2000000u
#define LAST_LONGEST_NS	  10000000u
#define PAUSE_APART_NS	  10000000u
#define PAUSE_SHARE	  80 /* of the run, that others wait in vain */
#define PAUSE_LONGEST_NS  10240000000u
#define PAUSE_NOTED_NS	  1000000000u

static struct xs_cupti_suspend_wants now_wants; /* as last told */
static uint64_t grace_until_ns; /* 0: CUPTI is as it should be */
static bool cupti_came;
static bool may_bypass; /* some object may, the hooks: for good */

static uint64_t now_ns(void)
{
	return xs_clock_ns(CLOCK_MONOTONIC);
}

static void cupti_on(void)
{
	cupti_came = xs_cupti_switch(true, true);
}

/* Callbacks cost nearly as much as they bring where all calls are hooked. */
static void cupti_off(void)
{
	const bool needed = now_wants.hears ||
			    (now_wants.light && now_wants.counts && may_bypass);

	xs_cupti_switch(false, needed || !xs_call_origin_all_hooked());
}

static void cupti_hear(void)
{
	cupti_came = xs_cupti_switch(false, true);
}

static void cupti_detach(void)
{
	if (!xs_cupti_detach())
		cupti_off();
}

/* The device has soon done what it was given, if it is given no more. */
static bool all_come_within(uint64_t ns)
{
	const uint64_t until_ns = now_ns() + ns;

	while (!xs_cupti_brought_all(true)) {
		if (now_ns() > until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = DONE_WAIT_NS}, NULL);
	}
	return true;
}

static void cupti_detach_when_all_came(void)
{
	/* somebody who waited for long may have ended the pause; and graphs
	 * that are about to begin let nothing be waited for */
	if (!all_come_within(DONE_LONGEST_NS) ||
	    atomic_load(&xs_capture_mode_now) != XS_DETAIL_PAUSED ||
	    xs_op_tracker_saw_graphs())
		return;
	if (!xs_cupti_detach()) {
		if (!xs_cupti_callbacks_disabled()) /* nothing was done */
			return;
		cupti_off();
	}
	grace_until_ns = 0;
}

/* What the device still owes after so long was held up by a call that has only
 * just ended, or never comes. */
static void cupti_off_at_last(void)
{
	all_come_within(LAST_LONGEST_NS);
	cupti_off();
}

/*
 * Where only callbacks see the calls they stay, and there is no nesting to be
 * counted wrong. Else everybody waits until nobody is inside; where that fails,
 * as where a thread waits inside for long, it is tried again later and later,
 * for the others have waited in vain, and they wait the longer.
 */
static bool quietly(void (*change)(void))
{
	static uint64_t apart_ns, next_ns;
	static bool said_so;
	uint64_t patience_ns;

	if (!xs_call_origin_all_hooked()) {
		change();
		return true;
	}
	if (now_ns() < next_ns)
		return false;
	patience_ns = apart_ns / PAUSE_SHARE;
	if (patience_ns < XS_PAUSE_PATIENCE_NS)
		patience_ns = XS_PAUSE_PATIENCE_NS;
	if (xs_pause_for(change, patience_ns)) {
		apart_ns = 0;
		return true;
	}
	apart_ns = apart_ns ? 2 * apart_ns : PAUSE_APART_NS;
	if (apart_ns >= PAUSE_NOTED_NS && !said_so) {
		said_so = true;
		xs_trace_info("note",
			      "some thread was always inside of CUDA, so that "
			      "CUPTI could not be switched on or off in time: "
			      "calls took longer than they had to, or what was "
			      "new was recorded late");
	}
	if (apart_ns > PAUSE_LONGEST_NS)
		apart_ns = PAUSE_LONGEST_NS;
	next_ns = now_ns() + apart_ns;
	return false;
}

bool xs_cupti_suspend_take(bool *gone)
{
	cupti_came = true;
	if (!grace_until_ns && !quietly(cupti_on))
		return false;
	grace_until_ns = 0;
	*gone = !cupti_came;
	return true;
}

static bool may_detach(void)
{
	return now_wants.counts && now_wants.light &&
	       xs_call_origin_all_hooked() && xs_cupti_may_detach();
}

/* CUPTI need not linger where it is known already that it goes. */
void xs_cupti_suspend_leave(const struct xs_cupti_suspend_wants *wants)
{
	now_wants = *wants;
	grace_until_ns = now_ns() + GRACE_NS;
	if (wants->high_rate && may_detach())
		quietly(cupti_detach_when_all_came);
}

void xs_cupti_suspend_leave_at_once(void)
{
	grace_until_ns = 1;
}

/*
 * CUPTI is detached by now or not at all: later, where only callbacks see the
 * launch of a graph, nobody would know of it. That calls rush is known when
 * each of many threads has told of its own.
 */
static void end_grace(uint64_t over_ns)
{
	static bool in_vain; /* the program has calls whose ops never come */
	const uint64_t longest_ns =
	    in_vain ? GRACE_FOR_RATE_NS : GRACE_LONGEST_NS;
	const bool all = xs_cupti_brought_all(false);
	const bool able = all && may_detach();
	const bool detach = able && now_wants.high_rate;

	if (over_ns < longest_ns && !all)
		return;
	in_vain |= !all;
	if (over_ns < GRACE_FOR_RATE_NS && able && !detach)
		return;
	/* here, since nobody may wait for it */
	may_bypass = now_wants.light && xs_unhooked_objects_find();
	if (quietly(detach ? cupti_detach
		    : all  ? cupti_off
			   : cupti_off_at_last))
		grace_until_ns = 0;
}

bool xs_cupti_suspend_look(const struct xs_cupti_suspend_wants *wants)
{
	const uint64_t ns = now_ns();

	now_wants = *wants;
	if (grace_until_ns && ns >= grace_until_ns)
		end_grace(ns - grace_until_ns);
	return grace_until_ns;
}

/* What the object does is new, and has its window once it is heard. */
bool xs_cupti_suspend_hear_others(void)
{
	const char *object = NULL;

	if (now_wants.light && now_wants.counts && !may_bypass &&
	    xs_cupti_callbacks_disabled())
		object = xs_unhooked_objects_find();
	if (!object || !quietly(cupti_hear))
		return true;
	may_bypass = true;
	xs_trace_info("note",
		      "%s was loaded when only calls through the shared CUDA "
		      "runtime were seen: if it calls CUDA by other ways, the "
		      "first of these calls are missing",
		      object);
	return cupti_came;
}
