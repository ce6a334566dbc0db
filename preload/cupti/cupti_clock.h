/* SPDX-License-Identifier: MIT */
/*
 * The clock of CUPTI's times: CLOCK_REALTIME, until another profiler of the
 * process sets its own clock. PyTorch's profiler sets the CPU's tick counter.
 * From then on CUPTI reports all times in that clock, also to us.
 *
 * A time is converted by the line through the moments before and after it at
 * which both clocks were read. CLOCK_REALTIME may be slewed by 1 ms in 2 s, and
 * the start of slewing is not reported. Times that CUPTI had converted before
 * stay in CLOCK_REALTIME, so only the value of a time shows its clock: the one
 * whose span since the clock was set contains it or is nearer to it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Arithmetic without side effects. */

/* One moment, in the other clock and in CLOCK_REALTIME. */
struct xs_clock_pair {
	uint64_t ticks, ns;
};

#define XS_CLOCK_MOMENTS 64

struct xs_clock_line {
	struct xs_clock_pair first; /* when the clock was set */
	struct xs_clock_pair kept[XS_CLOCK_MOMENTS]; /* oldest first */
	unsigned count;				     /* of kept; 1 or more */
	struct xs_clock_pair last;
	double ns_per_tick; /* recent rate; 0: not known yet */
};

/* Begins with a clock that was set at that moment. */
void xs_clock_line_begin(struct xs_clock_line *line, struct xs_clock_pair now);

/* Adds a moment. Returns whether the line is known; if not, another moment is
 * needed XS_CLOCK_BASELINE_NS later. */
#define XS_CLOCK_BASELINE_NS 1000000u
bool xs_clock_line_add(struct xs_clock_line *line, struct xs_clock_pair now);

/* Converts a time of CUPTI to ns of CLOCK_REALTIME. Returns 0 if it belongs to
 * neither clock, or if it is 0, which means unknown in CUPTI. */
uint64_t xs_clock_line_ns(const struct xs_clock_line *line, uint64_t stamp);

/* The clock of this process. Thread-safe; no lock is held over the callback. */

typedef uint64_t (*xs_cupti_clock)(void);

/* Sets the clock that CUPTI is about to use; NULL: its own. Returns the
 * previous clock. */
xs_cupti_clock xs_cupti_clock_set(xs_cupti_clock callback);

bool xs_cupti_clock_is(xs_cupti_clock callback);

/* Reads both clocks. Call it before times that arrived until now are converted.
 * The first call may wait for XS_CLOCK_BASELINE_NS. */
void xs_cupti_clock_look(void);

/* Like xs_clock_line_ns(); returns the time unchanged if no other clock was
 * set. */
uint64_t xs_cupti_clock_ns(uint64_t stamp);
