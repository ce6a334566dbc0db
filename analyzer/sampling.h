/* SPDX-License-Identifier: MIT */
/*
 * Runs of which only windows were recorded, and the rest counted.
 *
 * Every call of the run is either recorded or counted at its place, so what
 * was recorded of a place stands for a known number of calls: its weight.
 */
#ifndef XS_SAMPLING_H
#define XS_SAMPLING_H

#include "analyzer/trace.h"

/* By site: what one recorded call, and one byte of it, stand for. Both NULL
 * where all was recorded: every weight is 1. */
struct xs_weights {
	double *calls, *bytes;
};

/*
 * kept: by call, whether its record is used; NULL: all are. What is not used
 * is made up for by what is. 0 or -ENOMEM.
 */
int xs_weights_build(const struct xs_trace *trace, const bool *kept,
		     struct xs_weights *weights);
void xs_weights_free(struct xs_weights *weights);

static inline double xs_weight(const double *by_site, uint32_t site)
{
	return by_site && site != XS_NONE ? by_site[site] : 1;
}

/* value * weight, rounded, and UINT64_MAX where it does not fit. */
uint64_t xs_weighted(uint64_t value, double weight);

/* Whether only a part of the run was recorded. */
bool xs_trace_is_sampled(const struct xs_trace *trace);

/* The number of the window in which a recorded call began; 0 before all. */
size_t xs_window_of(const struct xs_trace *trace, uint64_t time_ns);

/* Brings the windows into order, and takes out the ops of calls that were
 * only counted. After the ops were joined to their calls. 0 or -ENOMEM. */
int xs_sampling_tidy(struct xs_trace *trace);

#endif
