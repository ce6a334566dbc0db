/* SPDX-License-Identifier: MIT */
/* JSON of the coverage. */
#include "report/render/json/values.h"

static json_t *gap(const struct xs_result_gap *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, kind);
	SET_NUMBER(in, from_ns);
	SET_NUMBER(in, to_ns);
	SET_NUMBER(in, calls);
	return xs_json_finish(out, failed);
}
ARRAY_OF(gap, struct xs_result_gap)

static json_t *seen(const struct xs_result_match_count *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, name);
	SET_NUMBER(in, count);
	SET_NUMBER(in, matched);
	return xs_json_finish(out, failed);
}
ARRAY_OF(seen, struct xs_result_match_count)

static json_t *cudart(const struct xs_result_cudart *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, path);
	xs_json_set(out, "shared", json_boolean(in->shared), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(cudart, struct xs_result_cudart)

json_t *xs_json_coverage(const struct xs_result_coverage *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, api_calls_seen);
	SET_NUMBER(in, calls_counted);
	SET_NUMBER(in, calls_estimated);
	SET_NUMBER(in, gpu_ops_seen);
	SET_NUMBER(in, matched);
	SET_NUMBER(in, lost);
	SET_NUMBER(in, lost_calls);
	SET_NUMBER(in, lost_ops);
	SET_NUMBER(in, lost_cupti);
	SET_NUMBER(in, graphs_as_one);
	SET_NUMBER(in, graphs_by_node);
	SET_NUMBER(in, graphs_unknown);
	SET_NUMBER(in, untimed);
	SET_NUMBER(in, failed);
	SET_NUMBER(in, missing_bytes);
	SET_NUMBER(in, unexamined_waits);
	SET_TEXT(in, imported);
	SET_TEXT(in, mode);
	xs_json_set(out, "rung", xs_json_text(in->timing_source), &failed);
	xs_json_set(out, "calls", seens(in->classes, in->class_count), &failed);
	xs_json_set(out, "ops", seens(in->kinds, in->kind_count), &failed);
	SET_NUMBER(in, driver_calls);
	SET_NUMBER(in, early_ops);
	xs_json_set(out, "cudarts", cudarts(in->cudarts, in->cudart_count),
		    &failed);
	xs_json_set(out, "remarks",
		    xs_json_texts(in->remarks, in->remark_count), &failed);
	xs_json_set(out, "gaps", gaps(in->gaps, in->gap_count), &failed);
	xs_json_set(out, "notes", xs_json_texts(in->notes, in->note_count),
		    &failed);
	return xs_json_finish(out, failed);
}
