/* SPDX-License-Identifier: MIT */
/* Text for a terminal. */
#ifndef XS_REPORT_RENDER_TEXT_TEXT_H
#define XS_REPORT_RENDER_TEXT_TEXT_H

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"

#include <stdio.h>

/* Reports, one after another. Returns 0 or -ENOMEM. */
int xs_render_text_report(struct xs_result *const *results, size_t count,
			  const struct xs_display *display, FILE *out);
/* One answer on many traces. Returns 0 or -ENOMEM. */
int xs_render_text_job(struct xs_job *job, bool all,
		       const struct xs_display *display, FILE *out);
int xs_render_text_job_diff(struct xs_job_diff *diff,
			    const struct xs_display *display, FILE *out);
/* gate_percent: value of --fail-above, NAN without. Returns 0 or -ENOMEM. */
int xs_render_text_diff(struct xs_diff *diff, double gate_percent,
			const struct xs_display *display, FILE *out);
/* Returns 0 or -ENOMEM. */
int xs_render_text_model(const struct xs_formulas_result *model,
			 const struct xs_display *display, FILE *out);

#endif
