/* SPDX-License-Identifier: MIT */
/*
 * Sampled runs: calls were recorded in windows and only counted otherwise.
 *
 * Every call of the run is either recorded, or counted by call site, size class
 * and direction. A recorded call therefore stands for a known number of calls:
 * its weight.
 */
#pragma once

#include "analyzer/read/trace.h"

#define XS_WEIGHT_DIRECTIONS (XS_DIR_P2P + 1)

/* By call: the number of calls, and of bytes for each of its bytes, that it
 * stands for. Both NULL if everything was recorded: all weights are 1. */
struct xs_weights {
	double *calls, *bytes;
	uint32_t *recorded; /* by call: how many of its kind were recorded, by
			     * call site, size class and direction */
	/* Bytes of counted copies whose direction is a guess. Counted copies,
	 * by enum xs_direction, and launches that no recorded call stands
	 * for. */
	double guessed_direction_bytes;
	double unrecorded_calls[XS_WEIGHT_DIRECTIONS];
	double unrecorded_bytes[XS_WEIGHT_DIRECTIONS];
	double unrecorded_launches;
	/* Counted calls that issue device work, or wait for it, at call sites
	 * without a recorded call: calls of other sites stand for them. The
	 * site with most of them. */
	double unrecorded_site_calls;
	uint32_t unrecorded_site;
	bool unrecorded_several; /* there are several such sites */
	/* The same at call sites with recorded calls, but of a size class or
	 * direction of which none was recorded there. */
	double unrecorded_kind_calls;
};

/*
 * used: by call, whether its record is used; NULL: all are used. Used records
 * also stand for unused ones.
 */
void xs_weights_build(const struct xs_trace *trace, const bool *used,
		      struct xs_weights *weights);
void xs_weights_free(struct xs_weights *weights);

/* Returns the call's weight; 1 for call XS_NONE. */
static inline double xs_weight(const double *by_call, uint32_t call)
{
	return by_call && call != XS_NONE ? by_call[call] : 1;
}

/* Returns value * weight, rounded; UINT64_MAX when it does not fit. */
uint64_t xs_weighted(uint64_t value, double weight);

/* Returns the direction by which such calls are counted, as xs_tally has it. */
uint8_t xs_call_direction(const struct xs_call *call);

/* Adds tallies, marked as estimated, for the calls that nobody saw after light
 * mode ended its use of CUPTI. Call it after xs_sampling_tidy(). */
void xs_unhooked_estimate(struct xs_trace *trace);

/* Returns whether only a part of the run was recorded. */
bool xs_trace_is_sampled(const struct xs_trace *trace);

/* Returns the number of the window in which a recorded call began; 0 before the
 * first. */
size_t xs_window_of(const struct xs_trace *trace, uint64_t time_ns);

/* Returns whether everything between the times was recorded: calls that began
 * then are of one window. */
bool xs_in_one_window(const struct xs_trace *trace, uint64_t a_ns,
		      uint64_t b_ns);

/*
 * Fills extrapolation[window_count + 1], by xs_window_of(): the time of the
 * counted run that each window stands for, in multiples of its own length. A
 * window stands for half of the gap on either side of it.
 */
void xs_window_extrapolate(const struct xs_trace *trace, double *extrapolation);

/* Sorts the windows and removes the ops of calls that were only counted. Call
 * it after ops were joined to their calls. */
void xs_sampling_tidy(struct xs_trace *trace);
