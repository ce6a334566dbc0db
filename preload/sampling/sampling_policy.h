/* SPDX-License-Identifier: MIT */
/*
 * Decides when calls are recorded one by one and when they are only counted,
 * from the configuration and the state of the run. It has no side effects on
 * the recording. Calls are recorded while three conditions hold:
 *   range  the run is in the part that XFERSPY_RANGE selects;
 *   light  XFERSPY_MODE=light: new kinds of calls still appear. A kind is a
 *          call site, a size class and a direction. Once none has appeared for
 *          long enough, calls are only counted until the end of the run;
 *   size   XFERSPY_MAX_SIZE: the trace is below half of its limit. Above it,
 *          sample windows open at increasing intervals, and for kinds that
 *          were never recorded; each uses a share of the remaining bytes.
 */
#pragma once

#include "preload/sampling/capture_mode.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Light mode records at least LEAST_CALLS calls: enough for median times of a
 * dozen kinds, and 30 ms of overhead at the highest rate of calls. It continues
 * until half of all recorded calls came after the last new kind, so that as
 * many calls again follow a phase before it counts as the last one. It stops at
 * MOST_CALLS (20 MB of trace) if new kinds never end, for example with buffers
 * that keep growing.
 */
#define XS_SAMPLING_LIGHT_LEAST_CALLS 10000u
#define XS_SAMPLING_LIGHT_MOST_CALLS  500000u

struct xs_sampling_policy {
	bool light;
	uint64_t max_bytes; /* of the trace; 0: no limit */

	/* The rest is private state; all zero at the start. */
	bool open, light_over, size_shut;
	uint64_t until_calls;	   /* of the current window */
	uint64_t size_close_bytes; /* the window closes when so many are used */
	uint64_t size_open_ns, size_open_unseen_ns; /* the next one may open;
						     * for unseen kinds */
	uint64_t size_opened_ns;		    /* 0: the first window */
};

struct xs_sampling_input {
	uint64_t elapsed_ns;	 /* since the start of tracing */
	uint64_t used_bytes;	 /* of the trace, with expected ones */
	uint64_t taken_calls;	 /* recorded since the start of tracing */
	uint64_t new_kind_calls; /* of these, up to the last new kind */
	bool unseen; /* calls of a kind never recorded were counted */
	bool in_range;
};

/*
 * Returns whether calls are recorded one by one from now on. If so, *until is
 * the number of recorded calls at which hooks stop recording by themselves, or
 * XS_CAPTURE_MODE_NO_LIMIT if they do not stop.
 */
bool xs_sampling_policy_decide(struct xs_sampling_policy *policy,
			       const struct xs_sampling_input *in,
			       uint64_t *until);
