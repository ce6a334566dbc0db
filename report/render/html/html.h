/* SPDX-License-Identifier: MIT */
/*
 * HTML: one file that needs no network. It is a fixed page, and after that the
 * data in scripts that no browser runs: the JSON of a job, or of two; or that
 * of the diff if it is one, the JSON report, and of each trace the texts of its
 * timeline and its packed slices. All data is compressed and in base64, so that
 * nothing of a trace is markup.
 */
#ifndef XS_REPORT_RENDER_HTML_HTML_H
#define XS_REPORT_RENDER_HTML_HTML_H

#include "report/diff/diff.h"
#include "report/job/job_diff.h"
#include "report/result/result.h"

#include <stdio.h>

/* Returns 0, -ENOMEM or -EIO. Results of traces that could not be read are
 * NULL. */
int xs_render_html_report(struct xs_result *const *results, size_t count,
			  FILE *out);

/* gate_percent: value of --fail-above, NAN without. Returns the same. */
int xs_render_html_diff(const struct xs_diff *diff, double gate_percent,
			FILE *out);

/* Of a job, or (job NULL) of two. Returns the same. */
int xs_render_html_job(const struct xs_job *job, const struct xs_job_diff *diff,
		       FILE *out);

#endif
