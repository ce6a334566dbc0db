/* SPDX-License-Identifier: MIT */
/* Text for a terminal. */
#pragma once

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"

xs_render_report xs_render_text_report;
xs_render_job xs_render_text_job;
xs_render_job_diff xs_render_text_job_diff;
xs_render_diff xs_render_text_diff;
xs_render_model xs_render_text_model;
