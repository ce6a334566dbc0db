/* SPDX-License-Identifier: MIT */
/* JSON of the coverage. */
#include "report/render/json/parts.h"

#define IN struct xs_result_gap
static const struct xs_json_field gap[] = {
    FIELDS(kind, from_ns, to_ns, calls), FIELDS(of), {0}};

#undef IN
#define IN struct xs_result_match_count
static const struct xs_json_field seen[] = {FIELDS(name, count, matched), {0}};

#undef IN
#define IN struct xs_result_cudart
static const struct xs_json_field cudart[] = {FIELDS(path, shared), {0}};

#undef IN
#define IN struct xs_result_coverage
const struct xs_json_field xs_json_coverage[] = {
    FIELDS(api_calls_seen, calls_counted, calls_estimated, gpu_ops_seen),
    FIELDS(matched, lost, lost_calls, lost_ops, lost_cupti, graphs_as_one),
    FIELDS(graphs_by_node, graphs_unknown, untimed, failed, missing_bytes),
    FIELDS(unexamined_waits, imported, mode),
    NAMED("rung", timing_source),
    NAMED_ROWS("calls", classes, class_count, seen),
    NAMED_ROWS("ops", kinds, kind_count, seen),
    FIELDS(driver_calls, early_ops),
    ROWS(cudarts, cudart_count, cudart),
    TEXTS(remarks, remark_count),
    ROWS(gaps, gap_count, gap),
    TEXTS(notes, note_count),
    {0}};
