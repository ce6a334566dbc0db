/* SPDX-License-Identifier: MIT */
/* Compares two results. */
#ifndef XS_REPORT_DIFF_COMPARE_H
#define XS_REPORT_DIFF_COMPARE_H

#include "report/diff/diff.h"

/*
 * Compares two results, which must outlive the diff. Phases are matched by
 * signature, then by kernels, then by order in the run. The caller frees the
 * diff with xs_diff_free(). Returns 0 or -ENOMEM.
 */
int xs_diff_build(struct xs_result *before, struct xs_result *after,
		  struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);

#endif
