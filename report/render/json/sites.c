/* SPDX-License-Identifier: MIT */
/* Call sites as JSON. */
#include "report/render/json/parts.h"

#define IN struct xs_result_caller
const struct xs_json_field xs_json_caller[] = {
    FIELDS(function, file, line, calls), {0}};

#undef IN
#define IN struct xs_result_site
const struct xs_json_field xs_json_place[] = {
    FIELDS(function, file, line, call), {0}};

const struct xs_json_field xs_json_site[] = {
    FIELDS(function, file, line, text, call, module, offset, step),
    FIELDS(calls, bytes),
    ROWS_IF_ANY("callers", callers, caller_count, xs_json_caller),
    {0}};
