/* SPDX-License-Identifier: MIT */
#include "report/render/json/parts.h"

static json_t *phases(const void *in)
{
	const struct xs_result_range *range = in;
	json_t *out = json_array();
	bool failed = !out;

	for (size_t i = 0; !failed && i < range->phase_count; i++)
		failed = json_array_append_new(
			     out, json_integer(range->phases[i])) < 0;
	return xs_json_finish(out, failed);
}

#define IN struct xs_result_range
static const struct xs_json_field range[] = {
    FIELDS(name, domain, process, count, total_ns, range_ns, h2d_bytes),
    FIELDS(d2h_bytes, kernels, h2d_ns, kernel_ns, d2h_ns, host_blocked_ns),
    MADE("phases", phases),
    {0}};

#undef IN
#define IN struct xs_result_nvtx
const struct xs_json_field xs_json_nvtx[] = {
    ROWS(ranges, count, range), FIELDS(lost, missing), {0}};
