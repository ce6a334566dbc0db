/* SPDX-License-Identifier: MIT */
/* JSON documents. Of one result it is an object, of several an array. */
#pragma once

#include "report/diff/diff.h"
#include "report/formulas/formulas.h"
#include "report/job/job_diff.h"
#include "report/result/display.h"

xs_render_report xs_render_json_report;
xs_render_job xs_render_json_job;
xs_render_job_diff xs_render_json_job_diff;
xs_render_diff xs_render_json_diff;
xs_render_model xs_render_json_model;
