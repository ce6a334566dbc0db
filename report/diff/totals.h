/* SPDX-License-Identifier: MIT */
/* The totals of a run that are compared. */
#pragma once

#include "report/diff/diff.h"

/* A total. The name alone is not unique: "copies in" is a time and a count. */
struct xs_total_row {
	const char *name;
	enum xs_diff_unit unit;
	size_t offset; /* in struct xs_result */
};

/* The time of the run, its XS_DIFF_PARTS parts, then the others. */
extern const struct xs_total_row xs_total_rows[];
extern const size_t xs_total_row_count;

/* Returns "ns", "bytes" or "count". */
const char *xs_total_unit(enum xs_diff_unit unit);

/* Returns a total over runs; values has room for one of each. */
struct xs_run_spread xs_total_spread(const struct xs_total_row *row,
				     struct xs_result *const *runs,
				     size_t count, int64_t *values);

/* Fills diff->wall, diff->totals. */
void xs_diff_build_totals(struct xs_diff *diff);
