/* SPDX-License-Identifier: MIT */
/* The lines to write for a change, in the language of the lines to change. */
#pragma once

#include "report/result/result.h"

/* Returns the lines to write for the row of the phase, those that its copies
 * need. The arena owns the text; NULL: none. */
const char *xs_code_of(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *row);

/* Returns the text about the row with calls of the driver API in the place of
 * the runtime's, if its copies are by such calls. The arena owns another text;
 * NULL: no text. */
const char *xs_code_in_api(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row,
			   const char *text);
