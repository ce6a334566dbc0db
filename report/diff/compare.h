/* SPDX-License-Identifier: MIT */
/* Compares two results. */
#ifndef XS_REPORT_DIFF_COMPARE_H
#define XS_REPORT_DIFF_COMPARE_H

#include "report/diff/diff.h"

/*
 * Phases are matched by signature, then by kernels (other sizes, other
 * memory), then by order in the run. Both results must outlive the diff. 0 or
 * -ENOMEM.
 */
int xs_diff_build(const struct xs_result *before, const struct xs_result *after,
		  struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);

#endif
