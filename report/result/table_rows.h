/* SPDX-License-Identifier: MIT */
/* Which rows the table of strategies has. */
#ifndef XS_REPORT_RESULT_TABLE_ROWS_H
#define XS_REPORT_RESULT_TABLE_ROWS_H

#include "report/result/result.h"

/* Returns whether the table has the row: a step, or the best of its strategy.
 * Without --all, only one that shortens this run. */
bool xs_result_row_is_shown(const struct xs_result *result,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row);

/* Returns the strategies of the phase's rows that only --all shows; NULL: none.
 */
const char *xs_result_row_hidden(struct xs_result *result,
				 const struct xs_result_phase *phase);

/* Adds the row's strategy and what it saves more than the phase's first
 * `steps`, `full` of them with their texts, if it is none and needs no
 * condition that the plan does not take. */
void xs_result_row_add_beyond(struct xs_result *result, size_t steps,
			      size_t full, const char **list,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row);

#endif
