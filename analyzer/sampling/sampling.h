/* SPDX-License-Identifier: MIT */
/*
 * Runs of which only windows were recorded, and the rest counted.
 *
 * Every call of the run is either recorded or counted by place, size and
 * direction, so what was recorded of these stands for a known number of calls:
 * its weight.
 */
#ifndef XS_ANALYZER_SAMPLING_SAMPLING_H
#define XS_ANALYZER_SAMPLING_SAMPLING_H

#include "analyzer/read/trace.h"

#define XS_WEIGHT_DIRECTIONS (XS_DIR_P2P + 1)

/* By call: what it and a byte of it stand for. Both NULL where all was
 * recorded: every weight is 1. */
struct xs_weights {
	double *calls, *bytes;
	uint32_t *kinds; /* by call: of which place, size and direction */
	size_t kind_count;
	/* Counted copies: which way they went is a guess; and those that no
	 * record stands for, by enum xs_direction. */
	double unsure_bytes;
	double unseen_calls[XS_WEIGHT_DIRECTIONS];
	double unseen_bytes[XS_WEIGHT_DIRECTIONS];
	/* Calls that give the device work, or wait for it, at places of which
	 * nothing was recorded: calls of elsewhere stand for them. And the site
	 * with most of them. */
	double unrecorded_site_calls;
	uint32_t unrecorded_site;
	bool unrecorded_several; /* it is not the only one */
};

/*
 * kept: by call, whether its record is used; NULL: all are. What is not used
 * is made up for by what is. 0 or -ENOMEM.
 */
int xs_weights_build(const struct xs_trace *trace, const bool *kept,
		     struct xs_weights *weights);
void xs_weights_free(struct xs_weights *weights);

/* call: XS_NONE where it is not known. */
static inline double xs_weight(const double *by_call, uint32_t call)
{
	return by_call && call != XS_NONE ? by_call[call] : 1;
}

/* value * weight, rounded, and UINT64_MAX where it does not fit. */
uint64_t xs_weighted(uint64_t value, double weight);

/* Whether only a part of the run was recorded. */
bool xs_trace_is_sampled(const struct xs_trace *trace);

/* The number of the window in which a recorded call began; 0 before all. */
size_t xs_window_of(const struct xs_trace *trace, uint64_t time_ns);

/*
 * How many times its own length of the counted run each window stands for, so
 * as many times its calls; by xs_window_of(), reach[window_count + 1]. Half of
 * what lies between two of them is the one's, half the other's. 0 or -ENOMEM.
 */
int xs_window_extrapolate(const struct xs_trace *trace, double *reach);

/* Brings the windows into order, and takes out the ops of calls that were
 * only counted. After the ops were joined to their calls. 0 or -ENOMEM. */
int xs_sampling_tidy(struct xs_trace *trace);

#endif
