/* SPDX-License-Identifier: MIT */
#include "preload/detail.h"
#include "preload/bypass.h"
#include "preload/call.h"
#include "preload/clock.h"
#include "preload/config.h"
#include "preload/cupti.h"
#include "preload/drain.h"
#include "preload/gates.h"
#include "preload/gpu.h"
#include "preload/hot.h"
#include "preload/lifecycle.h"
#include "preload/mark.h"
#include "preload/pause.h"
#include "preload/watch.h"
#include "preload/window.h"

#include <time.h>

#define IDLE_NS		   200000000u
#define WATCH_NS	   10000000u
#define LINGER_NS	   20000000u
#define LINGER_FOR_RATE_NS 80000000u
#define LINGER_LONGEST_NS  1000000000u
#define DONE_WAIT_NS	   200000u
#define DONE_LONGEST_NS	   2000000u
#define LAST_LONGEST_NS	   10000000u
#define PAUSE_APART_NS	   10000000u
#define PAUSE_SHARE	   80 /* of the run, that others wait in vain */
#define PAUSE_LONGEST_NS   10240000000u
#define PAUSE_NOTED_NS	   1000000000u
#define MARK_WAIT_NS	   1000000u
#define MARK_WAITS	   200
/* What the GPU did of a call is in the trace after no more than two of these,
 * and takes so many bytes. */
#define OWED_NS	 250000000u
#define OP_BYTES 32u

XS_HOT_DATA _Atomic int xs_detail_now = XS_DETAIL_RECORDED;
XS_HOT_DATA atomic_bool xs_detail_is_limited;

static struct xs_config_range range;
static atomic_bool in_marked_range; /* by the program */
static _Atomic uint64_t taken;	    /* calls that are recorded, in all */
static _Atomic uint64_t counted;    /* and the others, nearly all of them */
static _Atomic uint64_t until = XS_GATES_NO_LIMIT; /* as many of them */
static atomic_bool novel;
static _Atomic uint64_t spent_ns; /* when the window had all its calls */

/* The rest is the drain thread's. */
static struct xs_gates gates;
static enum xs_detail said = XS_DETAIL_RECORDED; /* in the trace, last */
static uint64_t began_ns;
static uint64_t linger_until_ns; /* 0: CUPTI is as it should be */
static struct {
	uint64_t look_ns;
	uint64_t calls, calls_before; /* taken by the last look, and before */
} owed;

static bool in_range(uint64_t elapsed_ns)
{
	switch (range.kind) {
	case XS_RANGE_TIMED:
		return elapsed_ns >= range.from_ns &&
		       elapsed_ns - range.from_ns < range.for_ns;
	case XS_RANGE_PROFILER:
		return atomic_load(&in_marked_range);
	case XS_RANGE_SIGNAL:
		return xs_mark_is_on();
	default:
		return true;
	}
}

static bool is_bounded(void)
{
	return gates.light || gates.max_bytes || range.kind != XS_RANGE_ALL;
}

static uint64_t elapsed_ns(void)
{
	return xs_clock_ns(CLOCK_MONOTONIC) - began_ns;
}

static bool cupti_came;
static bool may_bypass; /* some object may, the hooks: for good */

static void cupti_on(void)
{
	cupti_came = xs_cupti_switch(true, true);
}

/* Callbacks cost nearly as much as they bring where all calls are hooked; but
 * the end of a range may be a call, and so may what is to be counted. */
static void cupti_off(void)
{
	bool needed = said == XS_DETAIL_COUNTED
			  ? !gates.light || may_bypass
			  : range.kind == XS_RANGE_PROFILER;

	xs_cupti_switch(false, needed || !xs_call_all_hooked());
}

static void cupti_hear(void)
{
	cupti_came = xs_cupti_switch(false, true);
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

	if (!xs_call_all_hooked()) {
		change();
		return true;
	}
	if (elapsed_ns() < next_ns)
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
		xs_gpu_info("note",
			    "some thread was always inside of CUDA, so that "
			    "CUPTI could not be switched on or off in time: "
			    "calls took longer than they had to, or what was "
			    "new was recorded late");
	}
	if (apart_ns > PAUSE_LONGEST_NS)
		apart_ns = PAUSE_LONGEST_NS;
	next_ns = elapsed_ns() + apart_ns;
	return false;
}

static bool ask_gates(const struct xs_gates_input *in)
{
	uint64_t calls;
	bool open = xs_gates_decide(&gates, in, &calls);

	if (open) {
		atomic_store(&until, calls);
		atomic_store(&xs_detail_is_limited, calls != XS_GATES_NO_LIMIT);
	}
	return open;
}

/* Whether it was done; else it is to be tried again. */
static bool switch_on(void)
{
	uint64_t now_ns = xs_clock_realtime_ns();

	cupti_came = true;
	if (!linger_until_ns && !quietly(cupti_on))
		return false;
	linger_until_ns = 0;
	if (!cupti_came) {
		xs_gates_end_light(&gates);
		return false;
	}
	xs_window_begin();
	xs_watch_begin_window();
	xs_gpu_detail(XS_DETAIL_RECORDED, now_ns);
	atomic_store(&xs_detail_now, XS_DETAIL_RECORDED);
	/* what was new until now */
	atomic_store(&novel, false);
	return true;
}

/* What the device still does of the calls before is worth waiting for. */
static void switch_off(enum xs_detail to)
{
	const bool recorded = said == XS_DETAIL_RECORDED;
	uint64_t now_ns = xs_clock_realtime_ns();

	if (recorded && atomic_load(&xs_detail_now) == XS_DETAIL_RECORDED)
		xs_window_end();
	if (atomic_exchange(&xs_detail_now, to) != XS_DETAIL_RECORDED &&
	    recorded)
		now_ns = atomic_load(&spent_ns);
	xs_gpu_detail(to, now_ns);
	if (recorded)
		linger_until_ns = elapsed_ns() + LINGER_NS;
}

static void cupti_detach(void)
{
	if (!xs_cupti_detach())
		cupti_off();
}

/* The device has soon done what it was given, if it is given no more. */
static bool all_come_within(uint64_t ns)
{
	const uint64_t until_ns = elapsed_ns() + ns;

	while (!xs_cupti_brought_all(true)) {
		if (elapsed_ns() > until_ns)
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
	    atomic_load(&xs_detail_now) != XS_DETAIL_PAUSED ||
	    xs_watch_saw_graphs())
		return;
	if (!xs_cupti_detach()) {
		if (!xs_cupti_is_deaf()) /* nothing was done */
			return;
		cupti_off();
	}
	linger_until_ns = 0;
}

/* What the device still owes after so long was held up by a call that has only
 * just ended, or never comes. */
static void cupti_off_at_last(void)
{
	all_come_within(LAST_LONGEST_NS);
	cupti_off();
}

static bool may_detach(void)
{
	return said == XS_DETAIL_COUNTED && gates.light &&
	       xs_call_all_hooked() && xs_cupti_may_detach();
}

/* CUPTI need not linger where it is known already that it goes. */
static void spare_linger(const struct xs_gates_input *in)
{
	if (linger_until_ns && xs_gates_rush(&gates, in) && may_detach())
		quietly(cupti_detach_when_all_came);
}

/*
 * CUPTI is detached by now or not at all: later, where only callbacks see the
 * launch of a graph, nobody would know of it. That calls rush is known when
 * each of many threads has told of its own.
 */
static void end_linger(const struct xs_gates_input *in)
{
	static bool in_vain; /* the program has calls whose ops never come */
	const uint64_t over_ns = in->elapsed_ns - linger_until_ns;
	const uint64_t longest_ns =
	    in_vain ? LINGER_FOR_RATE_NS : LINGER_LONGEST_NS;
	const bool all = xs_cupti_brought_all(false);
	const bool able = all && may_detach();
	const bool detach = able && xs_gates_rush(&gates, in);

	if (over_ns < longest_ns && !all)
		return;
	in_vain |= !all;
	if (over_ns < LINGER_FOR_RATE_NS && able && !detach)
		return;
	/* here, since nobody may wait for it */
	may_bypass = gates.light && xs_bypass_object();
	if (quietly(detach ? cupti_detach
		    : all  ? cupti_off
			   : cupti_off_at_last))
		linger_until_ns = 0;
}

void xs_detail_open(void)
{
	const char *unknown = NULL;

	began_ns = xs_clock_ns(CLOCK_MONOTONIC);
	gates.light = xs_config_mode() == XS_MODE_LIGHT;
	gates.max_bytes = xs_config_max_bytes(&unknown);
	if (unknown)
		xs_gpu_info("note",
			    "XFERSPY_MAX_SIZE=%s is not a size of 2M or more; "
			    "the trace has no bound",
			    unknown);
	unknown = xs_config_range(&range);
	if (unknown)
		xs_gpu_info("note",
			    "XFERSPY_RANGE=%s is not known; recorded from the "
			    "start",
			    unknown);
	if (range.kind == XS_RANGE_SIGNAL && !xs_mark_is_ours()) {
		xs_gpu_info("note", "XFERSPY_RANGE=signal: the program handles "
				    "SIGUSR2 itself; recorded from the start");
		range.kind = XS_RANGE_ALL;
	}
	if (!is_bounded())
		return;
	xs_pause_prepare();
	xs_sink_limit(&xs_sink, gates.max_bytes);
	ask_gates(&(struct xs_gates_input){.in_range = in_range(0)});
	said = gates.open ? XS_DETAIL_RECORDED : XS_DETAIL_IGNORED;
	atomic_store(&xs_detail_now, said);
	xs_gpu_detail(said, xs_clock_realtime_ns());
	if (!gates.open)
		linger_until_ns = 1;
}

void xs_detail_spend(unsigned calls)
{
	int recorded = XS_DETAIL_RECORDED;

	if (atomic_fetch_add(&taken, calls) + calls < atomic_load(&until) ||
	    atomic_load(&xs_detail_now) != XS_DETAIL_RECORDED)
		return;
	atomic_store(&spent_ns, xs_clock_realtime_ns());
	xs_window_end();
	atomic_compare_exchange_strong(&xs_detail_now, &recorded,
				       XS_DETAIL_COUNTED);
}

void xs_detail_note_many(void)
{
	atomic_fetch_add(&counted, UINT8_MAX + 1);
}

/* Of a call that began before a window the window has more. */
void xs_detail_note_novel(void)
{
	if (atomic_load(&xs_detail_now) == XS_DETAIL_COUNTED &&
	    !atomic_load_explicit(&novel, memory_order_relaxed))
		atomic_store(&novel, true);
}

void xs_detail_mark(bool start)
{
	if (range.kind != XS_RANGE_PROFILER)
		return;
	atomic_store(&in_marked_range, start);
	xs_drain_wake();
	for (int i = 0; i < MARK_WAITS && (atomic_load(&xs_detail_now) ==
					   XS_DETAIL_IGNORED) == start;
	     i++)
		nanosleep(&(struct timespec){.tv_nsec = MARK_WAIT_NS}, NULL);
}

/* Bytes that the calls which are recorded already will take of the trace. */
static uint64_t owed_bytes(uint64_t now_ns, uint64_t calls)
{
	if (now_ns >= owed.look_ns) {
		owed.calls_before = owed.calls;
		owed.calls = calls;
		owed.look_ns = now_ns + OWED_NS;
	}
	return (calls - owed.calls_before) * OP_BYTES;
}

/* An object came that may call CUDA while hooks alone see calls. What it does
 * is new, and has its window once it is heard. */
static void hear_others(void)
{
	const char *object = NULL;

	if (gates.light && said == XS_DETAIL_COUNTED && !may_bypass &&
	    xs_cupti_is_deaf())
		object = xs_bypass_object();
	if (!object || !quietly(cupti_hear))
		return;
	may_bypass = true;
	if (!cupti_came)
		xs_gates_end_light(&gates);
	xs_gpu_info("note",
		    "%s was loaded when only calls through the shared CUDA "
		    "runtime were seen: if it calls CUDA by other ways, the "
		    "first of these calls are missing",
		    object);
}

uint64_t xs_detail_tick(void)
{
	const uint64_t now_ns = elapsed_ns(), calls = atomic_load(&taken);
	const struct xs_gates_input in = {
	    .elapsed_ns = now_ns,
	    .used_bytes =
		xs_sink_used_bytes(&xs_sink) + owed_bytes(now_ns, calls),
	    .taken_calls = calls,
	    .counted_calls = atomic_load(&counted),
	    .novel = atomic_load(&novel),
	    .in_range = in_range(now_ns),
	    .detached = xs_cupti_is_detached(),
	};
	enum xs_detail wanted = XS_DETAIL_RECORDED;

	if (!is_bounded())
		return IDLE_NS;
	if (!ask_gates(&in))
		wanted = in.in_range ? XS_DETAIL_COUNTED : XS_DETAIL_IGNORED;
	if (wanted == XS_DETAIL_RECORDED && said != wanted) {
		if (switch_on())
			said = wanted;
	} else if (said != wanted) {
		switch_off(wanted);
		said = wanted;
		spare_linger(&in);
	}
	if (linger_until_ns && now_ns >= linger_until_ns)
		end_linger(&in);
	/* last: what it changes is in the next look's input */
	hear_others();
	if (linger_until_ns)
		return WATCH_NS;
	return gates.open ? WATCH_NS : IDLE_NS / 4;
}
