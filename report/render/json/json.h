/* SPDX-License-Identifier: MIT */
/* JSON documents. All functions return 0, -ENOMEM or -EIO. */
#ifndef XS_REPORT_RENDER_JSON_JSON_H
#define XS_REPORT_RENDER_JSON_JSON_H

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"

#include <stdio.h>

/* One result is an object, several are an array. */
int xs_render_json_report(struct xs_result *const *results, size_t count,
			  FILE *out);
int xs_render_json_job(const struct xs_job *job, FILE *out);
int xs_render_json_job_diff(const struct xs_job_diff *diff, FILE *out);
/* gate_percent: value of --fail-above, NAN without. */
int xs_render_json_diff(const struct xs_diff *diff, double gate_percent,
			FILE *out);
/* {schema, machine, estimates, bounds, compared, answers} */
int xs_render_json_model(const struct xs_formulas_result *model, FILE *out);

#endif
