/* SPDX-License-Identifier: MIT */
/*
 * When calls are recorded one by one, and when they are only counted: the
 * decision alone, a function of what was asked for and of where the run is.
 *
 * Three gates, and all must be open:
 *   range  the part of the run that XFERSPY_RANGE asks for;
 *   light  XFERSPY_MODE=light: a window at the start, one more whenever the
 *          program does what no window has seen, and from the first second
 *          on short ones, further and further apart, since times may change
 *          where nothing else does. Where calls come so fast that what CUPTI
 *          leaves behind would cost the program more than two hundredths, only
 *          if CUPTI was detached before, and so will be again: switched on
 *          again in a context, and switched off, it leaves each launch dearer
 *          by 250 ns for good, however it is done (H200, CUDA 13.0). Once it
 *          has, windows cost no more. To attach it, record, and detach it
 *          takes such a program 40 ms, so that eight seconds lie between two
 *          windows that are for nothing new; where calls are slower by then,
 *          but CUPTI is detached, as much as the run took so far, if that is
 *          less;
 *   size   XFERSPY_MAX_SIZE: beyond half of it a window now and then, further
 *          and further apart, and for what no window has seen, each a share of
 *          what is left.
 */
#ifndef XS_PRELOAD_SAMPLING_SAMPLING_POLICY_H
#define XS_PRELOAD_SAMPLING_SAMPLING_POLICY_H

#include "preload/sampling/capture_mode.h"

#include <stdbool.h>
#include <stdint.h>

#define XS_SAMPLING_LIGHT_FIRST_CALLS	 10000u
#define XS_SAMPLING_LIGHT_NEXT_CALLS	 10000u
#define XS_SAMPLING_LIGHT_PERIODIC_CALLS 1000u

struct xs_sampling_mark {
	uint64_t ns, calls; /* recorded or counted by then */
};

struct xs_sampling_policy {
	bool light;
	uint64_t max_bytes; /* of the trace; 0: no bound */

	/* The rest is the gates' own; all zero at the start. */
	bool open, light_shut, size_shut;
	uint64_t until_calls; /* of the window at hand */
	uint64_t light_until_calls;
	uint64_t light_unseen_ns, light_next_ns; /* not before */
	uint64_t light_shut_ns;
	struct xs_sampling_mark light_from; /* the rate is of then on; in a
					     * window moved on, to light_next */
	struct xs_sampling_mark light_next;
	bool light_again; /* CUPTI was switched on again, not attached */
	bool light_ended; /* no more windows */
	uint64_t size_next_ns, size_next_bytes, size_unseen_ns;
	uint64_t size_opened_ns; /* 0: the first window */
};

struct xs_sampling_input {
	uint64_t elapsed_ns;	/* since tracing began */
	uint64_t used_bytes;	/* of the trace, and what is about to be */
	uint64_t taken_calls;	/* recorded since tracing began */
	uint64_t counted_calls; /* the others of the range, nearly all */
	bool unseen; /* calls were counted of a kind never recorded */
	bool in_range;
	bool detached; /* CUPTI is */
};

/*
 * Whether calls are to be recorded one by one from now on. If so, *until is the
 * number of them, since tracing began, from which on they are only counted
 * again, whether somebody asks by then or not; XS_CAPTURE_MODE_NO_LIMIT: none.
 */
bool xs_sampling_policy_decide(struct xs_sampling_policy *policy,
			       const struct xs_sampling_input *in,
			       uint64_t *until);

/* Whether light's window is shut, and calls have come so fast, for 20 ms or
 * more that may be the window's last ones, that CUPTI is worth detaching. */
bool xs_sampling_policy_is_high_rate(const struct xs_sampling_policy *policy,
				     const struct xs_sampling_input *in);

/* The window that was decided on cannot be had, nor any later one. */
void xs_sampling_policy_end_light(struct xs_sampling_policy *policy);

#endif
