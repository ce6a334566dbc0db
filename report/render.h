/* SPDX-License-Identifier: MIT */
/* Results as text, JSON and CSV. Each renderer knows the result alone. */
#ifndef XS_REPORT_RENDER_H
#define XS_REPORT_RENDER_H

#include "report/result.h"

#include <jansson.h>
#include <stdio.h>

/* One trace is an object, several are an array. 0 or -ENOMEM, -EIO. */
int xs_render_json(struct xs_result *const *results, size_t count, FILE *out);

/* One row an estimate, a heading first. */
void xs_render_csv(struct xs_result *const *results, size_t count, FILE *out);

/* 80 columns; color: with terminal colours. 0 or -ENOMEM. */
int xs_render_text(struct xs_result *const *results, size_t count, bool color,
		   FILE *out);

/* Parts that other JSON output has too. New references, NULL without memory.
 * xs_json_number: null for XS_UNKNOWN; xs_json_ratio: null for NAN;
 * xs_json_text: null for NULL. */
json_t *xs_json_number(int64_t number);
json_t *xs_json_ratio(double ratio);
json_t *xs_json_text(const char *text);
json_t *xs_json_estimate(const struct xs_result_estimate *estimate);
json_t *xs_json_machine(const struct xs_machine *machine);

/* Writes root with a newline and lets go of it (NULL: -ENOMEM). */
int xs_json_write(json_t *root, FILE *out);

#endif
