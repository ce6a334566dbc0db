/* SPDX-License-Identifier: MIT */
/*
 * The JSON report. Numbers are integers of ns and bytes; unknown is null. Out
 * of memory, jansson returns NULL, and json_object_set_new() fails for a NULL
 * value. xs_json_set() remembers this, so that the whole report fails.
 */
#include "report/render/json/json.h"

#include "report/render/json/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *run(const struct xs_result_run *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, path);
	SET_TEXT(in, app);
	SET_TEXT(in, host);
	SET_NUMBER(in, pid);
	SET_NUMBER(in, rank);
	SET_NUMBER(in, ranks);
	SET_NUMBER(in, numa_node);
	SET_TEXT(in, recorder);
	SET_TEXT(in, started_utc);
	SET_NUMBER(in, wall_ns);
	SET_NUMBER(in, tracer_ns);
	xs_json_set(out, "devices",
		    xs_json_devices(in->devices, in->device_count), &failed);
	SET_TEXT(in, cupti_version);
	SET_TEXT(in, driver_version);
	SET_NUMBER(in, max_connections);
	SET_NUMBER(in, max_copy_connections);
	return xs_json_finish(out, failed);
}

static json_t *totals(const struct xs_result_totals *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, h2d_bytes);
	SET_NUMBER(in, d2h_bytes);
	SET_NUMBER(in, h2d_ops);
	SET_NUMBER(in, d2h_ops);
	SET_NUMBER(in, kernels);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, d2d_bytes);
	SET_NUMBER(in, d2d_ops);
	SET_NUMBER(in, d2d_ns);
	SET_NUMBER(in, p2p_bytes);
	SET_NUMBER(in, p2p_ops);
	SET_NUMBER(in, p2p_ns);
	SET_NUMBER(in, gpu_busy_ns);
	SET_NUMBER(in, overlap_ns);
	SET_NUMBER(in, host_blocked_ns);
	SET_NUMBER(in, pinned_alloc_ns);
	SET_NUMBER(in, migrated_h2d_bytes);
	SET_NUMBER(in, migrated_d2h_bytes);
	SET_NUMBER(in, migrated_h2d_ns);
	SET_NUMBER(in, migrated_d2h_ns);
	SET_NUMBER(in, init_ns);
	xs_json_set(out, "init_at_most", json_boolean(in->init_at_most),
		    &failed);
	SET_NUMBER(in, pageable_async_ops);
	return xs_json_finish(out, failed);
}

static json_t *wait_row(const struct xs_result_wait *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(&in->site, function);
	SET_TEXT(&in->site, file);
	SET_NUMBER(&in->site, line);
	SET_TEXT(&in->site, call);
	SET_TEXT(&in->site, module);
	SET_NUMBER(&in->site, offset);
	SET_TEXT(in, kind);
	xs_json_set(out, "hidden", json_boolean(in->hidden), &failed);
	xs_json_set(out, "pageable", json_boolean(in->pageable), &failed);
	SET_NUMBER(&in->site, calls);
	SET_NUMBER(in, gpu_calls);
	SET_NUMBER(&in->site, bytes);
	xs_json_set_callers(out, &in->site, &failed);
	SET_NUMBER(in, waited_ns);
	SET_NUMBER(in, own_ns);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, other_ns);
	SET_NUMBER(in, latency_ns);
	SET_NUMBER(in, host_ns);
	SET_NUMBER(in, minor_faults);
	SET_NUMBER(in, major_faults);
	SET_NUMBER(in, touched_bytes);
	SET_NUMBER(in, touched_ns);
	SET_TEXT(in, text);
	return xs_json_finish(out, failed);
}
ARRAY_OF(wait_row, struct xs_result_wait)

static json_t *steady(const struct xs_result *result)
{
	const struct xs_result_steady *in = &result->steady;
	json_t *out;
	bool failed;

	if (!result->verdict.repeats)
		return json_null();
	out = json_object();
	failed = !out;
	xs_json_set(out, "phase",
		    xs_json_number(in->phase ? in->phase->id : XS_UNKNOWN),
		    &failed);
	SET_NUMBER(in, rounds);
	xs_json_set(out, "totals", totals(&in->totals), &failed);
	xs_json_set(out, "waits", wait_rows(in->waits, in->wait_count),
		    &failed);
	return xs_json_finish(out, failed);
}

static json_t *atgpu(const struct xs_result_atgpu *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, rounds);
	SET_NUMBER(in, in_words);
	SET_NUMBER(in, out_words);
	SET_NUMBER(in, in_transactions);
	SET_NUMBER(in, out_transactions);
	SET_NUMBER(in, global_words);
	SET_NUMBER(in, shared_words);
	SET_NUMBER(in, thread_blocks);
	SET_NUMBER(in, blocks_per_sm);
	SET_NUMBER(in, operations);
	SET_NUMBER(in, memory_blocks);
	SET_NUMBER(in, in_ns);
	SET_NUMBER(in, out_ns);
	SET_NUMBER(in, cost_ns);
	SET_NUMBER(in, gpu_cost_ns);
	SET_NUMBER(in, swgpu_cost_ns);
	SET_RATIO(in, transfer_share);
	SET_RATIO(in, transfer_share_observed);
	SET_TEXT(in, why);
	return xs_json_finish(out, failed);
}

static json_t *counters(const struct xs_result_counters *in)
{
	json_t *out;
	bool failed;

	if (!in->counted)
		return json_null();
	out = json_object();
	failed = !out;
	SET_NUMBER(in, sectors_read);
	SET_NUMBER(in, sectors_written);
	SET_NUMBER(in, requests_read);
	SET_NUMBER(in, requests_written);
	SET_NUMBER(in, bytes);
	SET_NUMBER(in, host_bytes);
	SET_NUMBER(in, instructions);
	SET_NUMBER(in, l1_fills);
	return xs_json_finish(out, failed);
}

ARRAY_OF(xs_json_estimate, struct xs_result_estimate)

/* The medians of a round. Returns whether memory ran out. */
static bool set_round(json_t *out, const struct xs_result_phase *in)
{
	bool failed = false;

	SET_NUMBER(in, round_ns);
	SET_NUMBER(in, round_low_ns);
	SET_NUMBER(in, round_high_ns);
	SET_NUMBER(in, tracer_ns);
	SET_NUMBER(in, between_ns);
	SET_NUMBER(in, h2d_ns);
	SET_NUMBER(in, kernel_ns);
	SET_NUMBER(in, d2h_ns);
	SET_NUMBER(in, host_ns);
	SET_NUMBER(in, host_blocked_ns);
	SET_NUMBER(in, overlap_ns);
	return failed;
}

/* What a round moves. Returns whether memory ran out. */
static bool set_moved(json_t *out, const struct xs_result_phase *in)
{
	bool failed = false;

	SET_NUMBER(in, transfer_ns);
	SET_NUMBER(in, movable_ns);
	SET_NUMBER(in, kernel_busy_ns);
	SET_NUMBER(in, h2d_call_ns);
	SET_NUMBER(in, d2h_call_ns);
	SET_NUMBER(in, free_bytes);
	SET_TEXT(in, task_class);
	SET_TEXT(in, task_class_why);
	SET_NUMBER(in, h2d_bytes);
	SET_NUMBER(in, d2h_bytes);
	SET_NUMBER(in, h2d_ops);
	SET_NUMBER(in, d2h_ops);
	SET_NUMBER(in, kernels);
	return failed;
}

static json_t *phase(const struct xs_result_phase *in)
{
	json_t *out = json_object();
	bool failed = !out;
	char hash[20];

	SET_NUMBER(in, id);
	SET_NUMBER(in, rounds);
	SET_TEXT(in, signature);
	/* 64-bit integers exceed what some JSON readers support */
	snprintf(hash, sizeof(hash), "%016" PRIx64, in->signature_hash);
	xs_json_set(out, "signature_hash", json_string(hash), &failed);
	SET_NUMBER(in, device);
	SET_NUMBER(in, total_ns);
	xs_json_set(out, "beside_ns", xs_json_number(in->concurrent_ns),
		    &failed);
	SET_NUMBER(in, wall_ns);
	xs_json_set(out, "apart", json_boolean(in->apart), &failed);
	SET_NUMBER(in, warm_up_ns);
	failed |= set_moved(out, in);
	xs_json_set(out, "kernel_names",
		    xs_json_texts(in->kernel_names, in->kernel_name_count),
		    &failed);
	failed |= set_round(out, in);
	SET_NUMBER(in, streams);
	SET_TEXT(in, order);
	SET_TEXT(in, src_memory);
	SET_TEXT(in, dst_memory);
	xs_json_set(out, "sites", xs_json_sites(in->sites, in->site_count),
		    &failed);
	xs_json_set(out, "counters", counters(&in->counters), &failed);
	xs_json_set(out, "atgpu", atgpu(&in->atgpu), &failed);
	xs_json_set(out, "estimates",
		    xs_json_estimates(in->estimates, in->estimate_count),
		    &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(phase, struct xs_result_phase)

static json_t *rest(const struct xs_result_rest *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_NUMBER(in, phases);
	SET_NUMBER(in, rounds);
	SET_NUMBER(in, total_ns);
	SET_NUMBER(in, largest_ns);
	return xs_json_finish(out, failed);
}

static json_t *other_machine(const struct xs_result_other_machine *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, strategy);
	SET_NUMBER(in, app_wall_ns);
	SET_NUMBER(in, low_ns);
	SET_NUMBER(in, high_ns);
	xs_json_set(out, "phases_predicted", xs_json_number(in->phases),
		    &failed);
	return xs_json_finish(out, failed);
}
ARRAY_OF(other_machine, struct xs_result_other_machine)

static json_t *machine_choice(const struct xs_result_machine_choice *in)
{
	json_t *out = json_object();
	bool failed = !out;

	SET_TEXT(in, origin);
	SET_TEXT(in, reason);
	SET_TEXT(in, calibrating);
	xs_json_set(out, "other_gpu", json_boolean(in->other_gpu), &failed);
	return xs_json_finish(out, failed);
}

/* What to change, and what the plan leaves open. */
static void set_plan(json_t *out, const struct xs_result *result, bool *fails)
{
	bool failed = *fails;

	xs_json_set(out, "verdict", xs_json_verdict(&result->verdict), &failed);
	xs_json_set(out, "plan", xs_json_plan(result), &failed);
	SET_TEXT(result, no_step);
	SET_TEXT(result, no_pinning);
	SET_TEXT(result, question);
	SET_TEXT(result, question_code);
	*fails = failed;
}

static json_t *report(const struct xs_result *result)
{
	json_t *out = json_object();
	bool failed = !out;

	xs_json_set(out, "schema", json_integer(1), &failed);
	xs_json_set(out, "trace", run(&result->run), &failed);
	xs_json_set(out, "coverage", xs_json_coverage(&result->coverage),
		    &failed);
	xs_json_set(out, "machine", xs_json_machine(&result->machine), &failed);
	xs_json_set(out, "machine_choice",
		    machine_choice(&result->machine_choice), &failed);
	xs_json_set(out, "totals", totals(&result->totals), &failed);
	xs_json_set(out, "device_totals",
		    xs_json_device_totals(result->run.devices,
					  result->run.device_count),
		    &failed);
	xs_json_set(
	    out, "gpu_links",
	    xs_json_gpu_links(result->run.links, result->run.link_count),
	    &failed);
	xs_json_set(out, "waits", wait_rows(result->waits, result->wait_count),
		    &failed);
	xs_json_set(out, "phases", phases(result->phases, result->phase_count),
		    &failed);
	xs_json_set(out, "phases_rest", rest(&result->rest), &failed);
	set_plan(out, result, &failed);
	xs_json_set(out, "steady", steady(result), &failed);
	xs_json_set(out, "pinned_budget",
		    xs_json_pinned_budget(result->pinned_budget), &failed);
	xs_json_set(out, "dataflow", xs_json_dataflow(result->dataflow),
		    &failed);
	xs_json_set(out, "nvtx", xs_json_nvtx(result->nvtx), &failed);
	xs_json_set(out, "runs", xs_json_runs(result->runs), &failed);
	xs_json_set(
	    out, "elsewhere",
	    other_machines(result->other_machines, result->other_machine_count),
	    &failed);
	return xs_json_finish(out, failed);
}

int xs_render_json_report(struct xs_result *const *results, size_t count,
			  FILE *out)
{
	json_t *root;

	if (count == 1)
		return xs_json_write(report(results[0]), out);
	root = json_array();
	for (size_t i = 0; i < count; i++)
		if (results[i] &&
		    json_array_append_new(root, report(results[i])) < 0) {
			json_decref(root);
			return -ENOMEM;
		}
	return xs_json_write(root, out);
}
