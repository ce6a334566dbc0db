/* SPDX-License-Identifier: MIT */
/* --format text: for a terminal. */
#include "report/render/renderer.h"
#include "report/render/text/text.h"

extern const struct xs_renderer xs_renderer_text;
const struct xs_renderer xs_renderer_text = {
    .name = "text",
    .runs = true,
    .report = xs_render_text_report,
    .job = xs_render_text_job,
    .job_diff = xs_render_text_job_diff,
    .diff = xs_render_text_diff,
    .model = xs_render_text_model,
};
