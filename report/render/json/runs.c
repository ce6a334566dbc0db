/* SPDX-License-Identifier: MIT */
#include "report/render/json/parts.h"

#define IN struct xs_run_spread
static const struct xs_json_field spread[] = {
    FIELDS(median, low, high, least, most), {0}};

/* Of bytes and numbers too. */
#undef IN
#define IN struct xs_result_runs_total
static const struct xs_json_field total[] = {
    FIELDS(name, unit), NAMED_OBJECT("value", spread, spread), {0}};

#undef IN
#define IN struct xs_result_runs_phase
static const struct xs_json_field phase[] = {
    FIELDS(id, runs), OBJECT(round_ns, spread), {0}};

#undef IN
#define IN struct xs_result_runs
const struct xs_json_field xs_json_runs[] = {FIELD(count),
					     NAMED("reported", middle),
					     TEXTS(paths, count),
					     TEXTS(warnings, warning_count),
					     ROWS(totals, total_count, total),
					     ROWS(phases, phase_count, phase),
					     {0}};
