/* SPDX-License-Identifier: MIT */
/*
 * HTML: one file that needs no network. It is a fixed page, and after that the
 * data in scripts that no browser runs: the JSON of a job, or of two; or that
 * of the diff if it is one, the JSON report, and of each trace the texts of its
 * timeline and its packed slices. All data is compressed and in base64, so that
 * nothing of a trace is markup.
 */
#pragma once

#include "report/diff/diff.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"
#include "report/result/result.h"

xs_render_report xs_render_html_report;
xs_render_diff xs_render_html_diff;
xs_render_job xs_render_html_job;
xs_render_job_diff xs_render_html_job_diff;
