/* SPDX-License-Identifier: MIT */
#include "report/render/json/parts.h"

#define IN struct xs_result_access
static const struct xs_json_field access[] = {
    FIELDS(memory, device, offset, bytes, reads, writes), {0}};

#undef IN
#define IN struct xs_result_flow_op
static const struct xs_json_field op[] = {
    FIELDS(kind, kernel),
    MEMBERS(site, xs_json_place),
    FIELDS(stream, start_ns, duration_ns, bytes, unknown),
    ROWS(accesses, access_count, access),
    {0}};

static json_t *flow_kind(const void *kind)
{
	return xs_json_text(xs_result_flow_kind(*(const int *)kind));
}

#undef IN
#define IN struct xs_result_flow_edge
static const struct xs_json_field edge[] = {
    FIELDS(from, to), MADE_OF("kind", kind, flow_kind), {0}};

#undef IN
#define IN struct xs_result_flow_reason
static const struct xs_json_field reason[] = {FIELDS(ops, why), {0}};

#undef IN
#define IN struct xs_result_dataflow
static const struct xs_json_field missing[] = {FIELDS(missing, phase), {0}};

static const struct xs_json_field dataflow[] = {
    FIELDS(missing, phase, rounds, from_ns, round_ns, bound_ns, limit),
    FIELDS(path_ns, in_ns, kernel_ns, out_ns, unknown, unrecorded),
    ROWS(reasons, reason_count, reason),
    ROWS(ops, op_count, op),
    ROWS(edges, edge_count, edge),
    {0}};

json_t *xs_json_dataflow(const struct xs_result_dataflow *in)
{
	return in ? xs_json_object(in, in->missing ? missing : dataflow)
		  : json_null();
}
