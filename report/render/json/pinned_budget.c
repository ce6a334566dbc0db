/* SPDX-License-Identifier: MIT */
#include "report/render/json/parts.h"

#define IN struct xs_result_pinned_place
static const struct xs_json_field place[] = {
    MEMBERS(site, xs_json_place),
    FIELDS(step, phase, buffers, bytes, taken, taken_bytes, saves_ns),
    {0}};

#undef IN
#define IN struct xs_result_pinned_budget
const struct xs_json_field xs_json_pinned_budget[] = {
    FIELDS(budget_bytes, used_bytes, saves_ns),
    ROWS(places, count, place),
    {0}};
