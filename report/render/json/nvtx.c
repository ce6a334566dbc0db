/* SPDX-License-Identifier: MIT */
#include "report/render/json/values.h"

static json_t *phases(const struct xs_result_range *in)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < in->phase_count; i++)
		if (json_array_append_new(out, json_integer(in->phases[i])) <
		    0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *range(const struct xs_result_range *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, name);
	SET_TEXT(in, domain);
	xs_json_set(out, "process", json_boolean(in->process), &failed);
	SET_NUMBER(in, count);
	SET_NUMBER(in, total_ns);
	SET_NUMBER(in, range_ns);
	SET_NUMBER(in, h2d_bytes);
	SET_NUMBER(in, d2h_bytes);
	SET_NUMBER(in, kernels);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, host_blocked_ns);
	xs_json_set(out, "phases", phases(in), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(range, struct xs_result_range)

json_t *xs_json_nvtx(const struct xs_result_nvtx *in)
{
	json_t *out;
	bool failed;

	if (!in)
		return json_null();
	out = json_object();
	failed = !out;
	xs_json_set(out, "ranges", ranges(in->ranges, in->count), &failed);
	SET_NUMBER(in, lost);
	SET_TEXT(in, missing);
	return xs_json_finish(out, failed);
}
