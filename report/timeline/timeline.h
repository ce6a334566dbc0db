/* SPDX-License-Identifier: MIT */
/* The timeline of a result: the run, and a round of each phase. */
#ifndef XS_REPORT_TIMELINE_TIMELINE_H
#define XS_REPORT_TIMELINE_TIMELINE_H

#include "analyzer/rounds/phase.h"
#include "report/result/result.h"

/* Fills result->timeline. Needs the phases of the result.
 * Returns 0 or -ENOMEM. */
int xs_timeline_of_result(struct xs_result *result,
			  const struct xs_trace *trace,
			  const struct xs_phases *phases);

#endif
