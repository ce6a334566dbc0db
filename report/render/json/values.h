/* SPDX-License-Identifier: MIT */
/* JSON values from the structs of a result. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>
#include <stdio.h>

/* Values return a new reference. Unknown (XS_UNKNOWN, NAN, NULL) becomes null.
 * Memory of jansson is not short: commands/main.c ends the process then. */
json_t *xs_json_number(int64_t number);
json_t *xs_json_ratio(double ratio);
json_t *xs_json_text(const char *text);

json_t *xs_json_texts(const char *const *items, size_t count);

/* Writes root with a newline and releases it. Returns 0 or -EIO. */
int xs_json_write(json_t *root, FILE *out);
