/* SPDX-License-Identifier: MIT */
#include "tests/report/fixture.h"

#include "analyzer/timeline/run_parts.h"
#include "model/formulas/estimates.h"
#include "report/build/verdict.h"
#include "report/build/wait_reason.h"
#include "report/plan/plan.h"
#include "report/render/renderer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS   1000000
#define MIB  1048576
#define NONE XS_UNKNOWN

static const char *once[] = {"each byte crosses the bus once"};

/* A row that applies; figures of the whole run as in build/phase_estimate.c. */
static struct xs_result_estimate row(const struct xs_result_phase *phase,
				     int64_t wall_ns, const char *strategy,
				     int64_t n, const char *order,
				     int64_t round_ns, int64_t setup_ns)
{
	int64_t gain = phase->round_ns - round_ns;
	struct xs_result_estimate out = {
	    .strategy = strategy,
	    .model = "replay",
	    .n_streams = n,
	    .order = order,
	    .round_ns = round_ns,
	    .low_ns = round_ns - round_ns / 50,
	    .high_ns = round_ns + round_ns / 50,
	    .known_low_ns = round_ns - round_ns / 50,
	    .known_high_ns = round_ns + round_ns / 50,
	    .otherwise_ns = NONE,
	    .speedup = (double)phase->round_ns / (double)round_ns,
	    .setup_ns = setup_ns,
	    .breakeven_rounds = gain > 0 ? (setup_ns + gain - 1) / gain : NONE,
	    .effort = n == NONE ? "one call per buffer" : "kernels split",
	    .effort_level = n == NONE ? XS_EFFORT_CALL : XS_EFFORT_SPLIT,
	    .applies = true,
	};

	out.saves_ns = phase->rounds * gain - setup_ns;
	out.app_wall_ns = wall_ns - out.saves_ns;
	out.app_wall_low_ns = out.app_wall_ns - phase->rounds * round_ns / 50;
	out.app_wall_high_ns = out.app_wall_ns + phase->rounds * round_ns / 50;
	if (strcmp(strategy, "as-is") == 0) {
		out.effort = "none";
		out.effort_level = XS_EFFORT_NONE;
	}
	if (strcmp(strategy, "mapped") == 0) {
		out.effort = "kernels rewritten";
		out.effort_level = XS_EFFORT_REWRITE;
		out.assumes_once = true;
		out.bound = out.only_if = once[0];
		out.assumes = once;
		out.assume_count = 1;
	}
	return out;
}

static struct xs_result_estimate abstention(const char *strategy,
					    const char *why)
{
	return (struct xs_result_estimate){
	    .strategy = strategy,
	    .model = "replay",
	    .n_streams = NONE,
	    .round_ns = NONE,
	    .low_ns = NONE,
	    .high_ns = NONE,
	    .known_low_ns = NONE,
	    .known_high_ns = NONE,
	    .otherwise_ns = NONE,
	    .speedup = NAN,
	    .app_wall_ns = NONE,
	    .app_wall_low_ns = NONE,
	    .app_wall_high_ns = NONE,
	    .saves_ns = NONE,
	    .setup_ns = NONE,
	    .breakeven_rounds = NONE,
	    .effort = "kernels rewritten",
	    .why = why,
	};
}

static void add_row(struct xs_result_phase *phase,
		    struct xs_result_estimate estimate)
{
	phase->estimates[phase->estimate_count++] = estimate;
}

static void add_site(struct xs_result_phase *phase, const char *step,
		     const char *call, int64_t line, int64_t bytes)
{
	phase->sites[phase->site_count++] = (struct xs_result_site){
	    .function = "step(float*, int)",
	    .file = "/home/user/app/src/main.cu",
	    .line = line,
	    .call = call,
	    .module = "/home/user/app/app",
	    .offset = 0x1f00 + line,
	    .step = step,
	    .calls = phase->rounds,
	    .bytes = bytes,
	};
}

static struct xs_result_phase blank(struct xs_result *result, int64_t id,
				    int64_t rounds, int64_t round_ns)
{
	struct xs_arena *arena = &result->arena;

	return (struct xs_result_phase){
	    .id = id,
	    .rounds = rounds,
	    .signature = "h2d kernel d2h",
	    .signature_hash = 0xfeed0000u + (uint64_t)id,
	    .total_ns = rounds * round_ns,
	    .wall_ns = rounds * round_ns,
	    .movable_ns = NONE,
	    .kernel_busy_ns = NONE,
	    .transfer_ns = NONE,
	    .first_start_ns = id,
	    .round_ns = round_ns,
	    .round_low_ns = round_ns - round_ns / 100,
	    .round_high_ns = round_ns + round_ns / 100,
	    .streams = 1,
	    .kernel_names = xs_arena_alloc(arena, 4, sizeof(char *)),
	    .sites = xs_arena_alloc(arena, 8, sizeof(struct xs_result_site)),
	    .estimates =
		xs_arena_alloc(arena, 16, sizeof(struct xs_result_estimate)),
	};
}

/* 64 MiB each way through pageable memory: 412 rounds of 16 ms. */
static void fill_stencil(struct xs_result *result, struct xs_result_phase *out)
{
	int64_t wall = result->run.wall_ns;

	*out = blank(result, 1, 412, 16 * MS);
	out->h2d_bytes = out->d2h_bytes = 64 * MIB;
	out->h2d_ops = out->d2h_ops = out->kernels = 1;
	out->h2d_ns = 7 * MS;
	out->d2h_ns = 6 * MS;
	out->h2d_call_ns = 7 * MS;
	out->d2h_call_ns = 6 * MS;
	out->kernel_ns = 2 * MS;
	out->host_blocked_ns = 13 * MS;
	out->src_memory = out->dst_memory = "pageable";
	out->kernel_names[out->kernel_name_count++] =
	    "stencil7<int>(int const*, int*, int)";
	out->kernel_label = "stencil7";
	add_site(out, "h2d", "cudaMemcpy", 88, 412LL * 64 * MIB);
	add_site(out, "kernel", "cudaLaunchKernel", 90, 0);
	add_site(out, "d2h", "cudaMemcpy", 91, 412LL * 64 * MIB);
	add_row(out, row(out, wall, "as-is", NONE, NULL, 16 * MS, 0));
	add_row(out, row(out, wall, "pinned", NONE, NULL, 13 * MS, 68 * MS));
	out->estimates[out->estimate_count - 1].why =
	    "cudaHostRegister (cudaMallocHost would take 110 ms)";
	add_row(out,
		row(out, wall, "streams", 2, "depth", 125 * MS / 10, 68 * MS));
	add_row(out, row(out, wall, "streams", 8, "depth", 12 * MS, 68 * MS));
	add_row(out, row(out, wall, "streams", 8, "breadth", 124 * MS / 10,
			 68 * MS));
	struct xs_result_estimate paper =
	    row(out, wall, "streams", 8, NULL, 118 * MS / 10, 68 * MS);
	paper.model = "vanwerkhoven2014-eq5";
	add_row(out, paper);
	add_row(out, row(out, wall, "mapped", NONE, NULL, 10 * MS, 68 * MS));
	add_row(out, abstention("hybrid", "the bandwidth of mapped writes is "
					  "not known; `xferspy calibrate` "
					  "measures it"));
}

/* 256 MiB in, three rounds of 100 ms: too few for pinning to pay off. */
static void fill_load(struct xs_result *result, struct xs_result_phase *out)
{
	int64_t wall = result->run.wall_ns;

	*out = blank(result, 2, 3, 100 * MS);
	out->h2d_bytes = 256 * MIB;
	out->h2d_ops = 1;
	out->h2d_ns = out->h2d_call_ns = 90 * MS;
	out->host_blocked_ns = 90 * MS;
	out->src_memory = "pageable";
	add_site(out, "h2d", "cudaMemcpy", 40, 3LL * 256 * MIB);
	add_row(out, row(out, wall, "as-is", NONE, NULL, 100 * MS, 0));
	add_row(out, row(out, wall, "pinned", NONE, NULL, 80 * MS, 200 * MS));
	add_row(out, abstention("streams", "there is no kernel to overlap "
					   "with"));
	struct xs_result_estimate quiet =
	    abstention("batch", "fewer than 4 copies in a round");
	quiet.quiet = true;
	add_row(out, quiet);
}

/* Only kernels: nothing to move, nothing to save. */
static void fill_solve(struct xs_result *result, struct xs_result_phase *out)
{
	*out = blank(result, 3, 1000, MS / 10);
	out->kernels = 4;
	out->kernel_ns = MS / 10;
	out->h2d_ns = out->d2h_ns = 0;
	out->kernel_names[out->kernel_name_count++] = "solve(double*)";
	out->kernel_label = "solve";
	add_row(out,
		row(out, result->run.wall_ns, "as-is", NONE, NULL, MS / 10, 0));
}

static void fill_totals(struct xs_result_totals *totals)
{
	*totals = (struct xs_result_totals){
	    .h2d_bytes = 412LL * 64 * MIB + 3LL * 256 * MIB,
	    .d2h_bytes = 412LL * 64 * MIB,
	    .h2d_ops = 415,
	    .d2h_ops = 412,
	    .kernels = 4412,
	    .h2d_ns = 3154LL * MS,
	    .d2h_ns = 2472LL * MS,
	    .kernel_ns = 924LL * MS,
	    .gpu_busy_ns = 6550LL * MS,
	    .overlap_ns = 0,
	    .host_blocked_ns = 3400LL * MS,
	    .pinned_alloc_ns = 0,
	    .init_ns = 190LL * MS,
	    .pageable_async_ops = 0,
	};
}

static struct xs_result_device h200 = {.name = "NVIDIA H200",
				       .sm_count = 132,
				       .copy_engines = 3,
				       .memory_bytes = NONE,
				       .pcie_gen = 5,
				       .pcie_width = 16};

static void fill_run(struct xs_result *result, const char *path,
		     int64_t wall_ns)
{
	static const char *notes[] = {"12 GPU records were lost (no room or no "
				      "timestamps); no figure includes them"};

	result->run = (struct xs_result_run){
	    .path = path,
	    .app = "/home/user/app/app",
	    .host = "node7",
	    .pid = 4711,
	    .rank = 3,
	    .ranks = 64,
	    .started_utc = "2026-01-02T03:04:05Z",
	    .wall_ns = wall_ns,
	    .devices = &h200,
	    .device_count = 1,
	    .cupti_version = "13.0",
	    .max_connections = NONE,
	    .max_copy_connections = NONE,
	};
	result->coverage = (struct xs_result_coverage){
	    .api_calls_seen = 5000,
	    .gpu_ops_seen = 5239,
	    .matched = 5239,
	    .lost = 12,
	    .lost_ops = 12,
	    .mode = "full",
	    .notes = notes,
	    .note_kinds = notes,
	    .note_count = 1,
	};
	fill_totals(&result->totals);
	result->streams_asked = NONE;
	xs_machine_init(&result->machine);
	result->machine_choice.origin = "fitted";
	snprintf(result->machine.name, sizeof(result->machine.name), "fitted");
	snprintf(result->machine.source, sizeof(result->machine.source),
		 "fitted-from-trace");
}

/* The copies of phase 1, and frees that wait for kernels. */
static void fill_waits(struct xs_result *result)
{
	const struct xs_result_site *sites = result->phases[0].sites;
	struct xs_result_wait *waits =
	    xs_arena_alloc(&result->arena, 3, sizeof(*waits));

	waits[0] = (struct xs_result_wait){
	    .site = sites[0],
	    .kind = "copy",
	    .pageable = true,
	    .waited_ns = 3000LL * MS,
	    .own_ns = 2900LL * MS,
	    .host_ns = 100LL * MS,
	};
	waits[1] = (struct xs_result_wait){
	    .site = {.function = "step(float*, int)",
		     .file = "/home/user/app/src/main.cu",
		     .line = 93,
		     .call = "cudaFree",
		     .calls = 412},
	    .kind = "free-device",
	    .hidden = true,
	    .gpu_calls = 400,
	    .waited_ns = 400LL * MS,
	    .kernel_ns = 390LL * MS,
	    .latency_ns = 4LL * MS,
	    .host_ns = 6LL * MS,
	};
	waits[2] = (struct xs_result_wait){
	    .site = sites[2],
	    .kind = "copy",
	    .waited_ns = 1LL * MS,
	    .own_ns = 1LL * MS,
	};
	result->waits = waits;
	result->wait_count = 3;
	for (size_t i = 0; i < result->wait_count; i++) {
		waits[i].minor_faults = waits[i].major_faults = NONE;
		waits[i].touched_bytes = waits[i].touched_ns = NONE;
		waits[i].text = xs_wait_reason(&result->arena, &waits[i], 1);
	}
}

/* The three phases are the steady part; the host computes for a second. */
static void fill_verdict(struct xs_result *result)
{
	struct xs_result_verdict *out = &result->verdict;

	out->parts = xs_arena_alloc(&result->arena, 3, sizeof(*out->parts));
	out->parts[0] = (struct xs_result_part){XS_PART_COPIES, "copies",
						"copies", 5626LL * MS};
	out->parts[1] = (struct xs_result_part){
	    XS_PART_HOST, "host", "the host's own code", 1000LL * MS};
	out->parts[2] = (struct xs_result_part){XS_PART_KERNELS, "kernels",
						"kernels", 366LL * MS};
	out->part_count = 3;
	out->repeats = true;
	out->startup_ns = 500LL * MS;
	out->steady_ns = out->recorded_ns = 6992LL * MS;
	out->after_ns = result->run.wall_ns - out->startup_ns - out->steady_ns;
	out->gpu_ns = 5992LL * MS;
	out->kernels_ns = 366LL * MS;
	out->at_most_saves_ns = 5626LL * MS;
	out->host_place = "cudaMemcpy at main.cu:88";
	result->steady = (struct xs_result_steady){
	    .rounds = XS_UNKNOWN,
	    .totals = result->totals,
	    .waits = result->waits,
	    .wait_count = result->wait_count,
	};
	result->steady.totals.init_ns = 0;
	result->steady.totals.pinned_alloc_ns = 0;
}

static struct xs_result *build(const char *path, int64_t wall_ns)
{
	struct xs_result *result = calloc(1, sizeof(*result));

	if (!result)
		abort();
	fill_run(result, path, wall_ns);
	result->phases =
	    xs_arena_alloc(&result->arena, 3, sizeof(*result->phases));
	result->phase_count = 3;
	fill_stencil(result, &result->phases[0]);
	fill_load(result, &result->phases[1]);
	fill_solve(result, &result->phases[2]);
	fill_waits(result);
	fill_verdict(result);
	return result;
}

struct xs_result *fixture_result(void)
{
	struct xs_result *result = build("before.xspy", 10000LL * MS);

	xs_plan_build(result);
	xs_verdict_say(result);
	return result;
}

struct xs_result *fixture_after(void)
{
	struct xs_result *result = build("after.xspy", 8000LL * MS);
	struct xs_result_phase *phase = &result->phases[0];

	phase->signature_hash++;
	phase->src_memory = phase->dst_memory = "pinned";
	phase->streams = 8;
	phase->order = "depth";
	phase->h2d_ops = phase->d2h_ops = phase->kernels = 8;
	phase->round_ns = 119 * MS / 10;
	phase->total_ns = phase->rounds * phase->round_ns;
	xs_plan_build(result);
	xs_verdict_say(result);
	return result;
}

char *fixture_text(struct xs_result *result, bool color)
{
	const struct xs_display display = {color, XS_DISPLAY_COLUMNS};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out ||
	    xs_renderer_find("text", XS_RENDER_REPORT)
		    ->report(&result, 1, &display, out) < 0 ||
	    fclose(out))
		abort();
	return text;
}

char *fixture_json(struct xs_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out ||
	    xs_renderer_find("json", XS_RENDER_REPORT)
		    ->report(&result, 1, NULL, out) < 0 ||
	    fclose(out))
		abort();
	return text;
}
