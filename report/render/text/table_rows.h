/* SPDX-License-Identifier: MIT */
/* Which rows the table of strategies has. */
#ifndef XS_REPORT_RENDER_TEXT_TABLE_ROWS_H
#define XS_REPORT_RENDER_TEXT_TABLE_ROWS_H

#include "report/render/text/terminal.h"
#include "report/result/result.h"

/* Returns whether the table has the row: a step, or the best of its strategy.
 * Without --all, only one that shortens this run. */
bool xs_text_row_is_shown(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row);

/* Returns the strategies of the phase's rows that only --all shows; NULL: none.
 */
const char *xs_text_row_hidden(struct xs_result *result,
			       const struct xs_result_phase *phase);

/* Adds the row's strategy and what it saves more than the phase's steps, if it
 * is none and needs no condition that the plan does not take. */
void xs_text_row_add_beyond(struct xs_result *result, const char **list,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row);

/* Names the rows of the list; NULL: there is none. */
void xs_text_row_put_beyond(const struct xs_terminal *terminal,
			    struct xs_result *result, const char *list);

#endif
