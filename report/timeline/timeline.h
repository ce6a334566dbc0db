/* SPDX-License-Identifier: MIT */
/* The timeline of a result: the run, and a round of each phase. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "report/result/result.h"

/* Fills result->timeline. Needs the phases of the result. */
void xs_timeline_of_result(struct xs_result *result,
			   const struct xs_trace *trace,
			   const struct xs_phases *phases);
