/* SPDX-License-Identifier: MIT */
/* --format json: for other programs. */
#include "report/render/json/json.h"
#include "report/render/renderer.h"

extern const struct xs_renderer xs_renderer_json;
const struct xs_renderer xs_renderer_json = {
    .name = "json",
    .runs = true,
    .report = xs_render_json_report,
    .job = xs_render_json_job,
    .job_diff = xs_render_json_job_diff,
    .diff = xs_render_json_diff,
    .model = xs_render_json_model,
};
