/* SPDX-License-Identifier: MIT */
/* Which rows the table of strategies has. */
#pragma once

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

/* Adds to the list the row's strategy and what it saves more than the phase's
 * first `steps`, if it is none of the plan's first `full` ones, which are
 * printed whole; with a condition that the plan does not take only if that is
 * a good part of what the steps save. */
void xs_result_row_add_beyond(struct xs_result *result, size_t steps,
			      size_t full, const char **list,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row);
