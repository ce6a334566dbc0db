/* SPDX-License-Identifier: MIT */
/* Tables of parts of a report. */
#pragma once

#include "report/render/json/fields.h"
#include "report/render/json/values.h"

/* NULL becomes null. */
json_t *xs_json_dataflow(const struct xs_result_dataflow *in);

/* "function", "file", "line" and "call" of a site */
extern const struct xs_json_field xs_json_place[];
extern const struct xs_json_field xs_json_site[], xs_json_caller[];
/* The columns of CSV, and texts. */
extern const struct xs_json_field xs_json_estimate[];
extern const struct xs_json_field xs_json_device[], xs_json_device_total[];
extern const struct xs_json_field xs_json_gpu_link[], xs_json_coverage[];
extern const struct xs_json_field xs_json_verdict[], xs_json_step[];
extern const struct xs_json_field xs_json_pinned_budget[], xs_json_nvtx[];
extern const struct xs_json_field xs_json_runs[];
