/* SPDX-License-Identifier: MIT */
/* The views of one round of each phase. */
#ifndef XS_REPORT_TIMELINE_ROUNDS_H
#define XS_REPORT_TIMELINE_ROUNDS_H

#include "analyzer/rounds/phase.h"
#include "report/timeline/texts.h"

/* A round of more steps has no views: they could not be told apart. */
#define XS_TIMELINE_STEPS_MAX 20000u

/* Makes room for the views of the run and of all rounds. Returns 0 or -ENOMEM.
 */
int xs_timeline_rounds_room(struct xs_result *result,
			    struct xs_result_timeline *out);

/* Adds the views of the median round of each phase of the result. Returns 0 or
 * -ENOMEM. */
int xs_timeline_rounds_add(struct xs_timeline_texts *texts,
			   const struct xs_phases *phases);

#endif
