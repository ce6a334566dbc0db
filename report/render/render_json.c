/* SPDX-License-Identifier: MIT */
/* --format json: for other programs. */
#include "report/render/json/json.h"
#include "report/render/renderer.h"

static int render_report(struct xs_result *const *results, size_t count,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_json_report(results, count, out);
}

static int render_job(struct xs_job *job, bool all,
		      const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	return xs_render_json_job(job, out);
}

static int render_job_diff(struct xs_job_diff *diff,
			   const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_json_job_diff(diff, out);
}

static int render_diff(struct xs_diff *diff, double gate_percent,
		       const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_json_diff(diff, gate_percent, out);
}

static int render_model(const struct xs_formulas_result *model,
			const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_json_model(model, out);
}

extern const struct xs_renderer xs_renderer_json;
const struct xs_renderer xs_renderer_json = {
    .name = "json",
    .runs = true,
    .report = render_report,
    .job = render_job,
    .job_diff = render_job_diff,
    .diff = render_diff,
    .model = render_model,
};
