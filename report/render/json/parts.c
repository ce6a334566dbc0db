/* SPDX-License-Identifier: MIT */
/* JSON of the parts of a report. */
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

#undef IN
#define IN struct xs_result_estimate
const struct xs_json_field xs_json_estimate[] = {
    FIELDS(strategy, n_streams, order, model, round_ns, low_ns, high_ns),
    FIELDS(speedup, app_wall_ns, saves_ns, setup_ns, loop_ns),
    FIELDS(breakeven_rounds, effort, applies, assumes_once, bound),
    FIELDS(otherwise_ns, why, chosen, app_wall_low_ns, app_wall_high_ns),
    FIELDS(known_low_ns, known_high_ns, shared_low_ns, shared_high_ns),
    FIELDS(more_bytes, between_ns, new_memory_ns),
    NAMED("needs", only_if),
    FIELDS(setup_less_ns, setup_more_ns),
    TEXTS(assumes, assume_count),
    {0}};

#undef IN
#define IN struct xs_result_device
const struct xs_json_field xs_json_device[] = {
    FIELDS(name, index, sm_count, copy_engines, memory_bytes, pcie_gen),
    FIELDS(pcie_width, numa_node, uuid),
    {0}};

const struct xs_json_field xs_json_device_total[] = {
    FIELDS(index, h2d_bytes, d2h_bytes, p2p_bytes, h2d_ops, d2h_ops, p2p_ops),
    FIELDS(kernels, h2d_ns, d2h_ns, p2p_ns, kernel_ns, busy_ns, overlap_ns),
    {0}};

#undef IN
#define IN struct xs_result_gpu_link
const struct xs_json_field xs_json_gpu_link[] = {
    FIELDS(first, second, direct_ops, direct_bytes, direct_ns, staged_ops),
    FIELDS(staged_bytes, staged_ns, peer_ns, saves_ns, saves_low_ns),
    FIELDS(saves_high_ns, step, title, saving, advice, code),
    {0}};

#undef IN
#define IN struct xs_result_gap
static const struct xs_json_field gap[] = {
    FIELDS(kind, from_ns, to_ns, calls), FIELDS(of), {0}};

#undef IN
#define IN struct xs_result_match_count
static const struct xs_json_field seen[] = {FIELDS(name, count, matched), {0}};

#undef IN
#define IN struct xs_result_cudart
static const struct xs_json_field cudart[] = {FIELDS(path, shared), {0}};

#undef IN
#define IN struct xs_result_coverage
const struct xs_json_field xs_json_coverage[] = {
    FIELDS(api_calls_seen, calls_counted, calls_estimated, gpu_ops_seen),
    FIELDS(matched, lost, lost_calls, lost_ops, lost_cupti, graphs_as_one),
    FIELDS(graphs_by_node, graphs_unknown, untimed, failed, missing_bytes),
    FIELDS(unexamined_waits, imported, mode),
    NAMED("rung", timing_source),
    NAMED_ROWS("calls", classes, class_count, seen),
    NAMED_ROWS("ops", kinds, kind_count, seen),
    FIELDS(driver_calls, early_ops),
    ROWS(cudarts, cudart_count, cudart),
    TEXTS(remarks, remark_count),
    ROWS(gaps, gap_count, gap),
    TEXTS(notes, note_count),
    {0}};

#undef IN
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

#undef IN
#define IN struct xs_result_range
static const struct xs_json_field range[] = {
    FIELDS(name, domain, process, count, total_ns, range_ns, h2d_bytes),
    FIELDS(d2h_bytes, kernels, h2d_ns, kernel_ns, d2h_ns, host_blocked_ns),
    {0}};

#undef IN
#define IN struct xs_result_nvtx
const struct xs_json_field xs_json_nvtx[] = {
    ROWS(ranges, count, range), FIELDS(lost, missing), {0}};

#undef IN
#define IN struct xs_result_pinned_place
static const struct xs_json_field place[] = {
    MEMBERS(site, xs_json_place),
    FIELDS(step, phase, buffers, bytes, taken, taken_bytes, saves_ns),
    {0}};

#undef IN
#define IN struct xs_result_pinned_budget
const struct xs_json_field xs_json_pinned_budget[] = {
    FIELDS(budget_bytes, used_bytes, saves_ns),
    ROWS(places, count, place),
    {0}};

#undef IN
#define IN struct xs_run_spread
static const struct xs_json_field spread[] = {
    FIELDS(median, low, high, least, most), {0}};

/* Of bytes and numbers too. */
#undef IN
#define IN struct xs_result_runs_total
static const struct xs_json_field total[] = {
    FIELDS(name, unit), NAMED_OBJECT("value", spread, spread), {0}};

#undef IN
#define IN struct xs_result_runs_phase
static const struct xs_json_field phase[] = {
    FIELDS(id, runs), OBJECT(round_ns, spread), {0}};

#undef IN
#define IN struct xs_result_runs
const struct xs_json_field xs_json_runs[] = {FIELD(count),
					     NAMED("reported", middle),
					     TEXTS(paths, count),
					     TEXTS(warnings, warning_count),
					     ROWS(totals, total_count, total),
					     ROWS(phases, phase_count, phase),
					     {0}};
