/* SPDX-License-Identifier: MIT */
/*
 * Histograms of times as counts of a digest: NAME has a count for each bucket,
 * "exact_NAME" for each value, as far as there is room. A bucket is 1/32 of an
 * octave or less: the median is within 1/64 (1.6 %), or exact if all values had
 * room.
 */
#pragma once

#include "report/job/job.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Adds the value of a trace: the least, the most and a count; a negative one as
 * 0, XS_UNKNOWN not. */
void xs_sketch_add(json_t *group, const char *name, int64_t value);

/* Returns the value that as many are above as below, XS_UNKNOWN without values.
 */
int64_t xs_sketch_median(const json_t *group, const char *name);

/* Fills as many bars of one width in octaves as are from the smallest to the
 * largest value, at most `room`. Returns how many. */
size_t xs_sketch_bars(const json_t *group, const char *name,
		      struct xs_job_bar *bars, size_t room);
