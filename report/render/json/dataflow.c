/* SPDX-License-Identifier: MIT */
#include "report/render/json/values.h"

static json_t *access_row(const struct xs_result_access *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, memory);
	SET_NUMBER(in, offset);
	SET_NUMBER(in, bytes);
	xs_json_set(out, "reads", json_boolean(in->reads), &failed);
	xs_json_set(out, "writes", json_boolean(in->writes), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(access_row, struct xs_result_access)

static json_t *op(const struct xs_result_flow_op *in)
{
	json_t *out = json_object();
	bool failed = !out || !in->site;

	if (failed)
		return xs_json_finish(out, failed);
	SET_TEXT(in, kind);
	SET_TEXT(in, kernel);
	xs_json_set_place(out, in->site, &failed);
	SET_NUMBER(in, stream);
	SET_NUMBER(in, start_ns);
	SET_NUMBER(in, duration_ns);
	SET_NUMBER(in, bytes);
	xs_json_set(out, "unknown", json_boolean(in->unknown), &failed);
	xs_json_set(out, "accesses",
		    access_rows(in->accesses, in->access_count), &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(op, struct xs_result_flow_op)

static json_t *edge(const struct xs_result_flow_edge *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, from);
	SET_NUMBER(in, to);
	xs_json_set(out, "kind", xs_json_text(xs_result_flow_kind(in->kind)),
		    &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(edge, struct xs_result_flow_edge)

json_t *xs_json_dataflow(const struct xs_result_dataflow *in)
{
	json_t *out;
	bool failed;

	if (!in)
		return json_null();
	out = json_object();
	failed = !out;
	SET_TEXT(in, missing);
	SET_NUMBER(in, phase);
	if (in->missing)
		return xs_json_finish(out, failed);
	SET_NUMBER(in, rounds);
	SET_NUMBER(in, from_ns);
	SET_NUMBER(in, round_ns);
	SET_NUMBER(in, bound_ns);
	SET_TEXT(in, limit);
	SET_NUMBER(in, path_ns);
	SET_NUMBER(in, in_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, out_ns);
	SET_NUMBER(in, unknown);
	xs_json_set(out, "ops", ops(in->ops, in->op_count), &failed);
	xs_json_set(out, "edges", edges(in->edges, in->edge_count), &failed);
	return xs_json_finish(out, failed);
}
