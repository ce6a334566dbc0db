/* SPDX-License-Identifier: MIT */
/* The views of a round as replay predicts it. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "report/timeline/texts.h"

/* A plan of more actions has no view: they could not be told apart. */
#define XS_TIMELINE_ACTIONS_MAX 20000u

/* Returns the number of views that xs_timeline_schedules_add() adds at most. */
size_t xs_timeline_schedules_most(const struct xs_result *result,
				  const struct xs_result_phase *of);

/* Adds a view for each row of the report's table that changes something. */
void xs_timeline_schedules_add(struct xs_timeline_texts *texts,
			       const struct xs_phase *phase,
			       const struct xs_result_phase *of);
