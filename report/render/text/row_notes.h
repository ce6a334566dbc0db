/* SPDX-License-Identifier: MIT */
/* Notes below the table of strategies. */
#ifndef XS_REPORT_RENDER_TEXT_ROW_NOTES_H
#define XS_REPORT_RENDER_TEXT_ROW_NOTES_H

#include "report/render/text/terminal.h"
#include "report/result/result.h"

/* Adds the row's strategy to the list, if its round saves more than the run
 * counts. */
void xs_text_uncounted_add(struct xs_result *result, const char **list,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row);

/* Explains the rows of the list; NULL: there is none. */
void xs_text_uncounted_put(const struct xs_terminal *terminal,
			   struct xs_result *result, const char *list);

/* Adds the row to the list, if it needs new memory: "double-buffer 21.8 ms". */
void xs_text_new_memory_add(struct xs_result *result, const char **list,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row);

/* Explains the rows of the list; NULL: there is none. */
void xs_text_new_memory_put(const struct xs_terminal *terminal,
			    struct xs_result *result, const char *list);

/* "phase 1: each with the host's 900 us until the next round": nothing if no
 * row uses that time. */
void xs_text_between_put(const struct xs_terminal *terminal,
			 struct xs_result *result,
			 const struct xs_result_phase *phase);

#endif
