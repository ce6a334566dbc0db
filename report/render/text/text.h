/* SPDX-License-Identifier: MIT */
/* Text for a terminal: 80 columns, with colours if color is set. */
#ifndef XS_REPORT_RENDER_TEXT_TEXT_H
#define XS_REPORT_RENDER_TEXT_TEXT_H

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"

#include <stdio.h>

/* Reports, one after another. Returns 0 or -ENOMEM. */
int xs_render_text_report(struct xs_result *const *results, size_t count,
			  bool color, FILE *out);
/* gate_percent: value of --fail-above, NAN without. Returns 0 or -ENOMEM. */
int xs_render_text_diff(struct xs_diff *diff, double gate_percent, bool color,
			FILE *out);
/* Returns 0 or -ENOMEM. */
int xs_render_text_model(const struct xs_formulas_result *model, bool color,
			 FILE *out);

#endif
