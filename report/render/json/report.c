/* SPDX-License-Identifier: MIT */
/* The JSON report. Numbers are integers of ns and bytes; unknown is null. */
#include "report/render/json/json.h"

#include "model/machine/machine_json.h"
#include "report/render/json/parts.h"

#include <errno.h>
#include <inttypes.h>

#define IN struct xs_result_run
static const struct xs_json_field run[] = {
    FIELDS(path, app, host, pid, rank, ranks, numa_node, recorder),
    FIELDS(started_utc, wall_ns, tracer_ns),
    ROWS(devices, device_count, xs_json_device),
    FIELDS(cupti_version, driver_version, max_connections),
    FIELD(max_copy_connections),
    {0}};

#undef IN
#define IN struct xs_result_totals
static const struct xs_json_field totals[] = {
    FIELDS(h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, kernels, h2d_ns, d2h_ns),
    FIELDS(kernel_ns, d2d_bytes, d2d_ops, d2d_ns, p2p_bytes, p2p_ops, p2p_ns),
    FIELDS(gpu_busy_ns, overlap_ns, host_blocked_ns, pinned_alloc_ns),
    FIELD(pinned_free_ns),
    FIELDS(migrated_h2d_bytes, migrated_d2h_bytes, migrated_h2d_ns),
    FIELDS(migrated_d2h_ns, init_ns, init_at_most, pageable_async_ops),
    {0}};

#undef IN
#define IN struct xs_result_wait
static const struct xs_json_field wait[] = {
    NAMED("function", site.function),
    NAMED("file", site.file),
    NAMED("line", site.line),
    NAMED("call", site.call),
    NAMED("module", site.module),
    NAMED("offset", site.offset),
    FIELDS(kind, hidden, pageable),
    NAMED("calls", site.calls),
    FIELD(gpu_calls),
    NAMED("bytes", site.bytes),
    ROWS_IF_ANY("callers", site.callers, site.caller_count, xs_json_caller),
    FIELDS(waited_ns, own_ns, h2d_ns, kernel_ns, d2h_ns, other_ns),
    FIELDS(latency_ns, host_ns, minor_faults, major_faults, touched_bytes),
    FIELDS(touched_ns, text),
    {0}};

static json_t *steady_phase(const void *in)
{
	const struct xs_result_steady *steady = in;

	return xs_json_number(steady->phase ? steady->phase->id : XS_UNKNOWN);
}

#undef IN
#define IN struct xs_result_steady
static const struct xs_json_field steady[] = {MADE("phase", steady_phase),
					      FIELD(rounds),
					      OBJECT(totals, totals),
					      ROWS(waits, wait_count, wait),
					      {0}};

static json_t *steady_of(const void *in)
{
	const struct xs_result *result = in;

	return result->verdict.repeats ? xs_json_object(&result->steady, steady)
				       : json_null();
}

#undef IN
#define IN struct xs_result_atgpu
static const struct xs_json_field atgpu[] = {
    FIELDS(rounds, in_words, out_words, in_transactions, out_transactions),
    FIELDS(global_words, shared_words, thread_blocks, blocks_per_sm),
    FIELDS(operations, memory_blocks, in_ns, out_ns, cost_ns, gpu_cost_ns),
    FIELDS(swgpu_cost_ns, transfer_share, transfer_share_observed, why),
    {0}};

#undef IN
#define IN struct xs_result_counters
static const struct xs_json_field counted[] = {
    FIELDS(sectors_read, sectors_written, requests_read, requests_written),
    FIELDS(bytes, host_bytes, instructions, l1_fills),
    {0}};

static json_t *counters(const void *in)
{
	const struct xs_result_counters *counters = in;

	return counters->counted ? xs_json_object(counters, counted)
				 : json_null();
}

/* 64-bit integers exceed what some JSON readers support. */
static json_t *hash(const void *in)
{
	char text[20];

	snprintf(text, sizeof(text), "%016" PRIx64, *(const uint64_t *)in);
	return json_string(text);
}

#undef IN
#define IN struct xs_result_phase
static const struct xs_json_field phase[] = {
    FIELDS(id, rounds, signature),
    MADE_OF("signature_hash", signature_hash, hash),
    FIELDS(device, total_ns),
    NAMED("beside_ns", concurrent_ns),
    FIELDS(wall_ns, apart, warm_up_ns, transfer_ns, movable_ns),
    FIELDS(kernel_busy_ns, h2d_call_ns, d2h_call_ns, free_bytes, task_class),
    FIELDS(task_class_why, h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, kernels),
    TEXTS(kernel_names, kernel_name_count),
    FIELDS(round_ns, median_ns, round_low_ns, round_high_ns, tracer_ns),
    FIELDS(between_ns),
    FIELDS(h2d_ns, kernel_ns, d2h_ns, host_ns, host_blocked_ns, overlap_ns),
    FIELDS(streams, order, src_memory, dst_memory),
    ROWS(sites, site_count, xs_json_site),
    MADE_OF("counters", counters, counters),
    OBJECT(atgpu, atgpu),
    ROWS(estimates, estimate_count, xs_json_estimate),
    {0}};

#undef IN
#define IN struct xs_result_rest
static const struct xs_json_field rest[] = {
    FIELDS(phases, rounds, total_ns, largest_ns), {0}};

#undef IN
#define IN struct xs_result_other_machine
static const struct xs_json_field other_machine[] = {
    FIELDS(strategy, app_wall_ns, low_ns, high_ns),
    NAMED("phases_predicted", phases),
    {0}};

#undef IN
#define IN struct xs_result_machine_choice
static const struct xs_json_field machine_choice[] = {
    FIELDS(origin, reason, calibrating, other_gpu), {0}};

static json_t *schema(const void *in)
{
	(void)in;
	return json_integer(1);
}

static json_t *machine(const void *in)
{
	return xs_machine_json(in);
}

static json_t *dataflow(const void *in)
{
	const struct xs_result *result = in;

	return xs_json_dataflow(result->dataflow);
}

#undef IN
#define IN struct xs_result
static const struct xs_json_field report[] = {
    MADE("schema", schema),
    NAMED_OBJECT("trace", run, run),
    OBJECT(coverage, xs_json_coverage),
    MADE_OF("machine", machine, machine),
    OBJECT(machine_choice, machine_choice),
    OBJECT(totals, totals),
    NAMED_ROWS("device_totals", run.devices, run.device_count,
	       xs_json_device_total),
    NAMED_ROWS("gpu_links", run.links, run.link_count, xs_json_gpu_link),
    ROWS(waits, wait_count, wait),
    ROWS(phases, phase_count, phase),
    NAMED_OBJECT("phases_rest", rest, rest),
    OBJECT(verdict, xs_json_verdict),
    ROWS(plan, plan_count, xs_json_step),
    FIELDS(opening, no_step, no_pinning, question, question_code),
    MADE("steady", steady_of),
    POINTER(pinned_budget, xs_json_pinned_budget),
    MADE("dataflow", dataflow),
    POINTER(nvtx, xs_json_nvtx),
    POINTER(runs, xs_json_runs),
    NAMED_ROWS("elsewhere", other_machines, other_machine_count, other_machine),
    {0}};

int xs_render_json_report(struct xs_result *const *results, size_t count,
			  const struct xs_display *display, FILE *out)
{
	json_t *root;

	(void)display;
	if (count == 1)
		return xs_json_write(xs_json_object(results[0], report), out);
	root = json_array();
	for (size_t i = 0; i < count; i++)
		if (results[i])
			json_array_append_new(
			    root, xs_json_object(results[i], report));
	return xs_json_write(root, out);
}
