/* SPDX-License-Identifier: MIT */
/*
 * When calls are recorded one by one, and when they are only counted: the
 * decision alone, a function of what was asked for and of where the run is.
 * Calls are recorded while three conditions hold:
 *   range  the run is in the part that XFERSPY_RANGE asks for;
 *   light  XFERSPY_MODE=light: new kinds of calls still appear. A kind is a
 *          call site, a size class and a direction. Once none has appeared for
 *          long enough the run is only counted, until its end;
 *   size   XFERSPY_MAX_SIZE: the trace is below half of its limit. Beyond, a
 *          window opens now and then, at growing distances, and for kinds that
 *          were never recorded; each takes a share of the room that is left.
 */
#ifndef XS_PRELOAD_SAMPLING_SAMPLING_POLICY_H
#define XS_PRELOAD_SAMPLING_SAMPLING_POLICY_H

#include "preload/sampling/capture_mode.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Light mode records at least LEAST_CALLS: enough for medians of the times of a
 * dozen kinds, and 30 ms of overhead where calls come fastest. It goes on until
 * half of all recorded calls came after the last new kind, so that a phase is
 * followed by as much again before it counts as the last one. It stops at
 * MOST_CALLS (20 MB of trace) where new kinds never end, as with buffers that
 * keep growing.
 */
#define XS_SAMPLING_LIGHT_LEAST_CALLS 10000u
#define XS_SAMPLING_LIGHT_MOST_CALLS  500000u

struct xs_sampling_policy {
	bool light;
	uint64_t max_bytes; /* of the trace; 0: no limit */

	/* The rest is the policy's own; all zero at the start. */
	bool open, light_over, size_shut;
	uint64_t until_calls; /* of the current window */
	uint64_t size_next_ns, size_next_bytes, size_unseen_ns;
	uint64_t size_opened_ns; /* 0: the first window */
};

struct xs_sampling_input {
	uint64_t elapsed_ns;	 /* since tracing began */
	uint64_t used_bytes;	 /* of the trace, and about to be used */
	uint64_t taken_calls;	 /* recorded since tracing began */
	uint64_t new_kind_calls; /* of these, up to the last new kind */
	bool unseen; /* calls were counted of a kind never recorded */
	bool in_range;
};

/*
 * Returns whether calls are to be recorded one by one from now on. If so,
 * *until is the number of recorded calls at which hooks stop recording by
 * themselves; XS_CAPTURE_MODE_NO_LIMIT: they do not.
 */
bool xs_sampling_policy_decide(struct xs_sampling_policy *policy,
			       const struct xs_sampling_input *in,
			       uint64_t *until);

#endif
