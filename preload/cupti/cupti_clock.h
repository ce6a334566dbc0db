/* SPDX-License-Identifier: MIT */
/*
 * The clock that CUPTI's times are in: CLOCK_REALTIME, until another profiler
 * of the process sets one of its own, as PyTorch's does with the ticks of the
 * CPU. From then on all that CUPTI says is in that clock, to us as well.
 *
 * A time is converted by the line through the moments before and after it at
 * which both clocks were read: CLOCK_REALTIME may be slewed by 1 ms in 2 s, and
 * where that begins nobody says. What CUPTI had converted before stays in
 * CLOCK_REALTIME, so that only its value says which clock a time is of: the one
 * whose span, since the other clock was set, it is in or is nearer to.
 */
#ifndef XS_PRELOAD_CUPTI_CUPTI_CLOCK_H
#define XS_PRELOAD_CUPTI_CUPTI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Arithmetic alone. */

/* One moment, in the other clock and in CLOCK_REALTIME. */
struct xs_clock_pair {
	uint64_t ticks, ns;
};

#define XS_CLOCK_MOMENTS 64

struct xs_clock_line {
	struct xs_clock_pair first; /* since when the clock is in use */
	struct xs_clock_pair kept[XS_CLOCK_MOMENTS]; /* the oldest first */
	unsigned count; /* of those kept; 1 or more */
	struct xs_clock_pair last;
	double ns_per_tick; /* of late; 0: not known yet */
};

/* A clock that was set at that moment. */
void xs_clock_line_begin(struct xs_clock_line *line, struct xs_clock_pair now);

/* One more moment. Whether the line is known; if not, another one is wanted,
 * XS_CLOCK_BASELINE_NS later. */
#define XS_CLOCK_BASELINE_NS 1000000u
bool xs_clock_line_add(struct xs_clock_line *line, struct xs_clock_pair now);

/* A time of CUPTI's in ns of CLOCK_REALTIME; 0: it is of neither clock, or is
 * 0, CUPTI's word for unknown. */
uint64_t xs_clock_line_ns(const struct xs_clock_line *line, uint64_t stamp);

/* The clock of this process. From any thread; no lock is held over the
 * callback. */

typedef uint64_t (*xs_cupti_clock)(void);

/* CUPTI is about to use it; NULL: it uses none but its own. What was set. */
xs_cupti_clock xs_cupti_clock_set(xs_cupti_clock callback);

bool xs_cupti_clock_is(xs_cupti_clock callback);

/* Reads both clocks: before times that came until now are converted. The first
 * time it may wait for XS_CLOCK_BASELINE_NS. */
void xs_cupti_clock_look(void);

/* As xs_clock_line_ns; without a clock of another's, the time itself. */
uint64_t xs_cupti_clock_ns(uint64_t stamp);

#endif
