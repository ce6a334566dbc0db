/* SPDX-License-Identifier: MIT */
/* JSON values from the structs of a result. */
#ifndef XS_REPORT_RENDER_JSON_VALUES_H
#define XS_REPORT_RENDER_JSON_VALUES_H

#include "report/result/result.h"

#include <jansson.h>
#include <stdio.h>

/* Values return a new reference, or NULL without memory. Unknown (XS_UNKNOWN,
 * NAN, NULL) becomes null. */
json_t *xs_json_number(int64_t number);
json_t *xs_json_ratio(double ratio);
json_t *xs_json_text(const char *text);
json_t *xs_json_estimate(const struct xs_result_estimate *estimate);
json_t *xs_json_machine(const struct xs_machine *machine);

/* Writes root with a newline and releases it. Returns -ENOMEM if root is NULL.
 */
int xs_json_write(json_t *root, FILE *out);

/* Sets a key; a NULL value or object sets *failed. */
void xs_json_set(json_t *object, const char *key, json_t *value, bool *failed);
/* Returns the object, or releases it and returns NULL if failed. */
json_t *xs_json_finish(json_t *object, bool failed);

/* These return a new reference, or NULL without memory. */
json_t *xs_json_texts(const char *const *items, size_t count);
/* The devices, and the work of each. */
json_t *xs_json_devices(const struct xs_result_device *items, size_t count);
json_t *xs_json_device_totals(const struct xs_result_device *items,
			      size_t count);
json_t *xs_json_gpu_links(const struct xs_result_gpu_link *items, size_t count);
json_t *xs_json_coverage(const struct xs_result_coverage *in);
json_t *xs_json_sites(const struct xs_result_site *items, size_t count);
json_t *xs_json_site_list(const struct xs_result_site *const *items,
			  size_t count);
json_t *xs_json_verdict(const struct xs_result_verdict *in);
json_t *xs_json_plan(const struct xs_result *result);
/* NULL becomes null. */
json_t *xs_json_pinned_budget(const struct xs_result_pinned_budget *in);
json_t *xs_json_dataflow(const struct xs_result_dataflow *in);
json_t *xs_json_nvtx(const struct xs_result_nvtx *in);
json_t *xs_json_runs(const struct xs_result_runs *in);

/* Sets "function", "file", "line" and "call". */
void xs_json_set_place(json_t *out, const struct xs_result_site *site,
		       bool *failed);
/* Sets "callers", if the site has any. */
void xs_json_set_callers(json_t *out, const struct xs_result_site *site,
			 bool *failed);

/* Sets a member under its own name; needs the variables out and failed. */
#define SET_NUMBER(from, name)                                                 \
	xs_json_set(out, #name, xs_json_number((from)->name), &failed)
#define SET_TEXT(from, name)                                                   \
	xs_json_set(out, #name, xs_json_text((from)->name), &failed)
#define SET_RATIO(from, name)                                                  \
	xs_json_set(out, #name, xs_json_ratio((from)->name), &failed)

/* Defines a function that returns an array of count items. */
#define ARRAY_OF(function, type)                                               \
	static json_t *function##s(const type *items, size_t count)            \
	{                                                                      \
		json_t *out = json_array();                                    \
                                                                               \
		for (size_t i = 0; i < count; i++)                             \
			if (json_array_append_new(out, function(&items[i])) <  \
			    0)                                                 \
				return xs_json_finish(out, true);              \
		return out;                                                    \
	}

#endif
