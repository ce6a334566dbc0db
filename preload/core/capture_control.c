/* SPDX-License-Identifier: MIT */
#include "preload/core/capture_control.h"
#include "preload/core/collector.h"
#include "preload/cupti/cupti_suspend.h"
#include "preload/cupti/pause.h"
#include "preload/sampling/call_origin.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/op_tracker.h"
#include "preload/sampling/range_signal.h"
#include "preload/sampling/sample_window.h"
#include "preload/sampling/sampling_policy.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/clock.h"
#include "preload/util/config.h"

#include <pthread.h>
#include <time.h>

#define IDLE_NS	     200000000u
#define ACTIVE_NS    10000000u
#define MARK_WAIT_NS 1000000u
#define MARK_WAITS   5000 /* a busy disk may hold up the collector */
/* The op of a call is in the trace after at most two intervals of this length,
 * and takes OP_BYTES. */
#define PENDING_NS 250000000u
#define OP_BYTES   32u

static struct xs_config_range range;
static atomic_bool in_marked_range; /* between the program's marks */

/* The rest belongs to the collector thread. */
static struct xs_sampling_policy policy;
static enum xs_capture written =
    XS_CAPTURE_RECORDED; /* last mode in the trace */
static uint64_t began_ns;
static struct {
	uint64_t next_ns;
	uint64_t calls, calls_before; /* recorded by the last times */
} pending;

static bool in_range(uint64_t elapsed_ns)
{
	switch (range.kind) {
	case XS_RANGE_TIMED:
		return elapsed_ns >= range.from_ns &&
		       elapsed_ns - range.from_ns < range.for_ns;
	case XS_RANGE_PROFILER:
		return atomic_load(&in_marked_range);
	case XS_RANGE_SIGNAL:
		return xs_range_signal_is_on();
	default:
		return true;
	}
}

static bool is_bounded(void)
{
	return policy.light || policy.max_bytes || range.kind != XS_RANGE_ALL;
}

static uint64_t elapsed_ns(void)
{
	return xs_clock_monotonic_ns() - began_ns;
}

static bool ask_policy(const struct xs_sampling_input *in)
{
	uint64_t calls;
	bool open = xs_sampling_policy_decide(&policy, in, &calls);

	if (open)
		atomic_store(&xs_capture_mode_progress.until, calls);
	return open;
}

static void switch_on(void)
{
	xs_cupti_suspend_end();
	xs_sample_window_begin();
	xs_op_tracker_begin_window();
	xs_trace_info_mode(XS_CAPTURE_RECORDED, xs_clock_realtime_ns());
	atomic_store(&xs_capture_mode_now, XS_CAPTURE_RECORDED);
	/* the window records the kinds that were unseen until now */
	atomic_store(&xs_capture_mode_progress.unseen, false);
	written = XS_CAPTURE_RECORDED;
}

/* Returns whether a window ended. */
static bool switch_off(enum xs_capture to)
{
	const bool recorded = written == XS_CAPTURE_RECORDED;
	uint64_t now_ns = xs_clock_realtime_ns();

	if (recorded &&
	    atomic_load(&xs_capture_mode_now) == XS_CAPTURE_RECORDED)
		xs_sample_window_end();
	if (atomic_exchange(&xs_capture_mode_now, to) != XS_CAPTURE_RECORDED &&
	    recorded)
		now_ns = atomic_load(&xs_capture_mode_progress.spent_ns);
	xs_trace_info_mode(to, now_ns);
	written = to;
	return recorded;
}

/* Returns whether light mode has recorded enough and CUPTI is no longer needed.
 * It is still needed if only its callbacks show the end of the range. */
static bool is_over_for_good(void)
{
	if (policy.light_over)
		atomic_store(&xs_capture_mode_progress.for_good, true);
	return policy.light_over &&
	       (range.kind != XS_RANGE_PROFILER || xs_call_origin_all_hooked());
}

static void write_hooked_once(void)
{
	static bool done;

	if (done || written != XS_CAPTURE_COUNTED ||
	    !xs_cupti_suspend_has_left())
		return;
	xs_trace_info_mode(XS_CAPTURE_HOOKED, xs_clock_realtime_ns());
	done = true;
}

void xs_capture_control_open(void)
{
	began_ns = xs_clock_monotonic_ns();
	policy.light = xs_config_mode() == XS_MODE_LIGHT;
	policy.max_bytes = xs_config_max_bytes();
	range = xs_config_range();
	if (range.kind == XS_RANGE_SIGNAL && !xs_range_signal_is_ours()) {
		xs_trace_info("note",
			      "XFERSPY_RANGE=signal: the program handles "
			      "SIGUSR2 itself; recorded from the start");
		range.kind = XS_RANGE_ALL;
	}
	if (range.kind != XS_RANGE_ALL)
		xs_trace_info("range", "%s", range.text);
	xs_capture_mode_is_whole = !is_bounded();
	if (xs_capture_mode_is_whole)
		return;
	xs_pause_prepare();
	xs_trace_file_limit(&xs_session_trace, policy.max_bytes);
	ask_policy(&(struct xs_sampling_input){.in_range = in_range(0)});
	written = policy.open ? XS_CAPTURE_RECORDED : XS_CAPTURE_IGNORED;
	atomic_store(&xs_capture_mode_now, written);
	xs_trace_info_mode(written, xs_clock_realtime_ns());
	if (!policy.open)
		xs_cupti_suspend_begin_at_once();
}

static bool has_switched(bool on)
{
	const int now = atomic_load(&xs_capture_mode_now);

	return now != XS_CAPTURE_PAUSED && (now != XS_CAPTURE_IGNORED) == on;
}

void xs_capture_control_mark(bool start)
{
	int cancel_state;

	if (range.kind != XS_RANGE_PROFILER)
		return;
	atomic_store(&in_marked_range, start);
	if (!xs_collector_wake())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	for (int i = 0; i < MARK_WAITS && !has_switched(start); i++)
		nanosleep(&(struct timespec){.tv_nsec = MARK_WAIT_NS}, NULL);
	pthread_setcancelstate(cancel_state, NULL);
}

/* Returns the bytes of trace that ops of recorded calls will still take. */
static uint64_t pending_bytes(uint64_t now_ns, uint64_t calls)
{
	if (now_ns >= pending.next_ns) {
		pending.calls_before = pending.calls;
		pending.calls = calls;
		pending.next_ns = now_ns + PENDING_NS;
	}
	return (calls - pending.calls_before) * OP_BYTES;
}

static struct xs_sampling_input read_input(void)
{
	const uint64_t now_ns = elapsed_ns(),
		       calls = atomic_load(&xs_capture_mode_progress.taken);

	return (struct xs_sampling_input){
	    .elapsed_ns = now_ns,
	    .used_bytes = xs_trace_file_used_bytes(&xs_session_trace) +
			  pending_bytes(now_ns, calls),
	    .taken_calls = calls,
	    .new_kind_calls = atomic_load(&xs_capture_mode_progress.new_kind),
	    .unseen = atomic_load(&xs_capture_mode_progress.unseen),
	    .in_range = in_range(now_ns),
	};
}

uint64_t xs_capture_control_tick(void)
{
	enum xs_capture wanted = XS_CAPTURE_RECORDED;
	struct xs_sampling_input in;
	bool for_good;

	if (!is_bounded())
		return IDLE_NS;
	in = read_input();
	if (!ask_policy(&in))
		wanted = in.in_range ? XS_CAPTURE_COUNTED : XS_CAPTURE_IGNORED;
	for_good = is_over_for_good();
	if (wanted == XS_CAPTURE_RECORDED && written != wanted)
		switch_on();
	else if (written != wanted && switch_off(wanted))
		xs_cupti_suspend_begin(for_good);
	if (xs_cupti_suspend_tick(for_good) || policy.open)
		return ACTIVE_NS;
	write_hooked_once();
	return IDLE_NS / 4;
}

void xs_capture_control_close(void)
{
	if (written == XS_CAPTURE_RECORDED &&
	    atomic_load(&xs_capture_mode_now) == XS_CAPTURE_COUNTED)
		switch_off(XS_CAPTURE_COUNTED);
}
