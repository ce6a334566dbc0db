/* SPDX-License-Identifier: MIT */
/* JSON values from the structs of a result. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>
#include <stdio.h>

/* Values return a new reference, or NULL without memory. Unknown (XS_UNKNOWN,
 * NAN, NULL) becomes null. */
json_t *xs_json_number(int64_t number);
json_t *xs_json_ratio(double ratio);
json_t *xs_json_text(const char *text);

/* Writes root with a newline and releases it. Returns -ENOMEM if root is NULL.
 */
int xs_json_write(json_t *root, FILE *out);

/* Set a key, append an item. A NULL value releases *out, and it stays NULL. */
void xs_json_set(json_t **out, const char *key, json_t *value);
void xs_json_append(json_t **out, json_t *value);

/* These return a new reference, or NULL without memory. */
json_t *xs_json_texts(const char *const *items, size_t count);
