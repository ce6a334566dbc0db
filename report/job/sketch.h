/* SPDX-License-Identifier: MIT */
/*
 * Histograms of times as counts of a digest. A bucket is 1/32 of an octave or
 * less, so that a quantile is within 1/64 (1.6 %) of a value of that rank.
 */
#ifndef XS_REPORT_JOB_SKETCH_H
#define XS_REPORT_JOB_SKETCH_H

#include "report/job/job.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts a value; negative ones as 0, XS_UNKNOWN not. */
void xs_sketch_add(json_t *group, const char *name, int64_t value,
		   bool *failed);

/* Returns whether a key of a histogram is one of xs_sketch_add(). */
bool xs_sketch_is_bucket(const char *key);

/* The same; the value itself is kept, too, up to XS_DIGEST_TRACES of all
 * sketches of the group. Returns the value that as many are above as below,
 * XS_UNKNOWN if not all are kept. */
void xs_sketch_add_exact(json_t *group, const char *name, int64_t value,
			 bool *failed);
int64_t xs_sketch_exact_median(const json_t *group);

/* Returns the value below which so many percent of them are, XS_UNKNOWN
 * without values. */
int64_t xs_sketch_percentile(const json_t *group, const char *name,
			     unsigned percent);

/* Fills as many bars of one width in octaves as are from the smallest to the
 * largest value, at most `room`. Returns how many. */
size_t xs_sketch_bars(const json_t *group, const char *name,
		      struct xs_job_bar *bars, size_t room);

#endif
