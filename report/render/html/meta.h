/* SPDX-License-Identifier: MIT */
/* The texts of a timeline, and how its slices are packed. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>

/*
 * Returns a new reference: {names, sites: [{label, call,
 * function, file, line, text}], views: [{phase, estimate, rounds, lanes:
 * [{kind, name, count}]}], phases: [{used_between_ns, in_run_ns, kernels_ns,
 * text, rows}], steps: [{title, saving, conditions}], no_phases, no_overlap,
 * beyond, pinning_outside}. phase and estimate are indices into the arrays of
 * the JSON report, null for the run and for what was. phases and steps are as
 * the text report shows those of the JSON report.
 */
json_t *xs_html_meta(struct xs_result *result,
		     const struct xs_result_timeline *timeline);
