/* SPDX-License-Identifier: MIT */
/* What bounds the run. */
#pragma once

#include "report/build/steady.h"
#include "report/result/result.h"

/* Fills result->verdict except its text, result->steady.phase, and which
 * phases are apart. Needs complete phases, totals and coverage. */
void xs_verdict_build(struct xs_result *result, const struct xs_trace *trace,
		      const struct xs_phases *phases,
		      const struct xs_steady *steady);

/* Fills the text. Needs the plan. */
void xs_verdict_say(struct xs_result *result);

/* Returns how long start-up, steady part and end are: "Steady part: 908 ms
 * (48.3 % of the run); start-up: 576 ms.". Of the result's arena. */
const char *xs_verdict_spans(struct xs_result *result);

/* Returns that one thread drives GPUs in turn, and what to do; "" if none does.
 * Of the result's arena. */
const char *xs_verdict_turns(struct xs_result *result);

/* Returns the part by name: of copy calls what most of them do, and of kernels
 * what is counted as these. */
const char *xs_verdict_words(const struct xs_result *result,
			     const struct xs_result_part *part);
