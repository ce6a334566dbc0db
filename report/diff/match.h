/* SPDX-License-Identifier: MIT */
/* Which phase of one run is which of the other. */
#ifndef XS_REPORT_DIFF_MATCH_H
#define XS_REPORT_DIFF_MATCH_H

#include "report/diff/diff.h"

/* Fills diff->phases with pairs and with what has no pair. 0 or -ENOMEM. */
int xs_diff_match(struct xs_diff *diff);

#endif
