/* SPDX-License-Identifier: MIT */
/* --format html: a page with the timeline, in one file. */
#include "report/render/html/html.h"
#include "report/render/renderer.h"

extern const struct xs_renderer xs_renderer_html;
const struct xs_renderer xs_renderer_html = {
    .lacks_dataflow = true,
    .name = "html",
    .timeline = true,
    .runs = true,
    .report = xs_render_html_report,
    .job = xs_render_html_job,
    .job_diff = xs_render_html_job_diff,
    .diff = xs_render_html_diff,
};
