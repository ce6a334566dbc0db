/* SPDX-License-Identifier: MIT */
/* --format html: a page with the timeline, in one file. */
#include "report/render/html/html.h"
#include "report/render/renderer.h"

static int render_report(struct xs_result *const *results, size_t count,
			 const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_html_report(results, count, out);
}

static int render_job(struct xs_job *job, bool all,
		      const struct xs_display *display, FILE *out)
{
	(void)all;
	(void)display;
	return xs_render_html_job(job, NULL, out);
}

static int render_job_diff(struct xs_job_diff *diff,
			   const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_html_job(NULL, diff, out);
}

static int render_diff(struct xs_diff *diff, double gate_percent,
		       const struct xs_display *display, FILE *out)
{
	(void)display;
	return xs_render_html_diff(diff, gate_percent, out);
}

extern const struct xs_renderer xs_renderer_html;
const struct xs_renderer xs_renderer_html = {
    .name = "html",
    .timeline = true,
    .runs = true,
    .report = render_report,
    .job = render_job,
    .job_diff = render_job_diff,
    .diff = render_diff,
};
