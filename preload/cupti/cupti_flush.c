/* SPDX-License-Identifier: MIT */
/* When records are flushed: regularly, and until those of a window are there.
 * Our own thread only. */
#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_clock.h"
#include "preload/cupti/cupti_share.h"
#include "preload/sampling/op_tracker.h"
#include "preload/util/clock.h"

#define IDLE_FLUSH_NS  1000000000u /* interval while records are off */
#define DRAIN_FLUSH_NS 100000000u
#define FAST_FLUSHES   10u /* before DRAIN_FLUSH_NS applies */
#define LAST_FLUSHES   6u

static struct {
	uint64_t next_ns;
	unsigned flushes;
} drain; /* of the ops of the last window */

void xs_cupti_begin_drain(void)
{
	drain.next_ns = drain.flushes = 0;
}

/* A flush does not deliver a buffer in which one op is still running, which is
 * nearly always so at a high rate of calls. So it takes several flushes. */
bool xs_cupti_brought_all(bool at_once)
{
	const uint64_t now_ns = xs_clock_monotonic_ns();

	if (xs_op_tracker_pending() && (at_once || now_ns >= drain.next_ns) &&
	    xs_cupti_is_attached() && !xs_share_client_records()) {
		xs_cupti_api.cuptiActivityFlushAll(0);
		if (!at_once && ++drain.flushes >= FAST_FLUSHES)
			drain.next_ns = now_ns + DRAIN_FLUSH_NS;
	}
	return !xs_op_tracker_pending();
}

/* After records are switched off, a few flushes deliver those of running work.
 * Later there are hardly any, and a flush would delay calls for nothing. */
static bool is_worth_a_flush(void)
{
	static uint64_t next_ns;
	static unsigned left;
	const uint64_t now_ns = xs_clock_monotonic_ns();

	if (xs_cupti_records_are_on() || xs_cupti_counts_migrations())
		left = LAST_FLUSHES;
	else if (left)
		left--;
	else if (now_ns < next_ns)
		return false;
	next_ns = now_ns + IDLE_FLUSH_NS;
	return true;
}

void xs_cupti_flush(bool forced)
{
	/* the clocks must be read often: see cupti_clock.h */
	xs_cupti_clock_look();
	if (!xs_cupti_is_attached() ||
	    (!forced && (xs_share_client_records() || !is_worth_a_flush())))
		return;
	xs_share_last_flush(forced);
	xs_cupti_api.cuptiActivityFlushAll(
	    forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
	xs_share_last_flush(false);
}
