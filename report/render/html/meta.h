/* SPDX-License-Identifier: MIT */
/* The texts of a timeline, and how its slices are packed. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>

/*
 * Returns a new reference, NULL without memory: {names, sites: [{label, call,
 * function, file, line, text}], views: [{phase, estimate, rounds, lanes:
 * [{kind, name, count}]}], shown}. phase and estimate are indices into the
 * arrays of the JSON report, null for the run and for what was. shown: for each
 * phase the estimates that the text report shows: [{index, low, high}], with
 * the interval of what each saves, as that of a step.
 */
json_t *xs_html_meta(struct xs_result *result,
		     const struct xs_result_timeline *timeline);
