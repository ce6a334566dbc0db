/* SPDX-License-Identifier: MIT */
/* What the stars of the table of strategies stand for. */
#pragma once

#include "report/render/text/terminal.h"
#include "report/result/result.h"

/* A condition of rows with a star, their strategies, and the first one's phase.
 */
struct xs_text_best_case {
	const char *text, *strategies;
	int64_t phase;
	bool once; /* each byte is to cross the bus once */
};

struct xs_text_best_cases {
	struct xs_text_best_case *items; /* of the arena */
	size_t count;
	bool said; /* printed steps name conditions of others */
};

/* None yet, with room for each row of all phases. */
struct xs_text_best_cases xs_text_best_cases(struct xs_result *result);

/* Appends the condition of the phase's row, or its strategy to that of other
 * rows. */
void xs_text_best_cases_add(struct xs_result *result,
			    struct xs_text_best_cases *out, int64_t phase,
			    const struct xs_result_estimate *row);

/* "* on a condition that the trace does not show: resident: ...; ... (mapped,
 * hybrid): ..." */
void xs_text_best_cases_put(const struct xs_terminal *terminal,
			    struct xs_result *result,
			    const struct xs_text_best_cases *cases);
