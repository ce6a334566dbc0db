/* SPDX-License-Identifier: MIT */
/* Compares two results. */
#pragma once

#include "report/diff/diff.h"

/*
 * Compares runs of two versions of a program, at least one of each. Totals are
 * compared by their medians, the phases of the median runs by signature, then
 * by kernels, then by order in the run. Sorts the runs, which must outlive the
 * diff. The caller frees the diff with xs_diff_free().
 */
void xs_diff_build_runs(struct xs_result **before, size_t before_count,
			struct xs_result **after, size_t after_count,
			struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);
