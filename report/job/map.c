/* SPDX-License-Identifier: MIT */
/* From the result of a trace to its digest: what is of the process. */
#include "report/job/map.h"

#include "analyzer/util/hash.h"
#include "report/diff/comparable.h"
#include "report/job/digest.h"
#include "report/job/map_parts.h"
#include "report/job/sketch.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "00042 0123456789abcdef": the rank and a hash, by which the same trace is
 * found twice. */
static const char *id_of(struct xs_result *result)
{
	const int64_t own = result->run.rank;
	const char *rank =
	    own == XS_UNKNOWN
		? "-----"
		: xs_arena_print(&result->arena, "%05" PRId64, own);

	return xs_arena_print(&result->arena, "%s %016" PRIx64, rank,
			      xs_trace_hash(result));
}

/* "app.3.xspy (rank 3 on node7)" */
static const char *name_of(struct xs_result *result)
{
	const struct xs_result_run *run = &result->run;
	const char *slash = strrchr(run->path, '/');
	const char *name = slash ? slash + 1 : run->path;
	struct xs_arena *arena = &result->arena;

	if (run->rank != XS_UNKNOWN)
		return xs_arena_print(arena, "%s (rank %" PRId64 "%s%s)", name,
				      run->rank, run->host ? " on " : "",
				      run->host ? run->host : "");
	return run->host ? xs_arena_print(arena, "%s (on %s)", name, run->host)
			 : name;
}

/* The device that works most. */
static const struct xs_result_device *
main_device(const struct xs_result_run *run)
{
	const struct xs_result_device *most = NULL;

	for (size_t i = 0; i < run->device_count; i++)
		if (!most || run->devices[i].busy_ns > most->busy_ns)
			most = &run->devices[i];
	return most;
}

/* "NVIDIA H200, PCIe 5 x16, NUMA node 1, the GPU's 0": what is known of it */
static const char *kind_of(struct xs_result *result)
{
	const struct xs_result_device *gpu = main_device(&result->run);
	struct xs_arena *arena = &result->arena;
	const char *kind = gpu && gpu->name ? gpu->name : "unknown GPU";
	const int64_t node = result->run.numa_node;

	if (gpu && gpu->pcie_gen != XS_UNKNOWN && gpu->pcie_width != XS_UNKNOWN)
		kind = xs_arena_print(arena, "%s, PCIe %" PRId64 " x%" PRId64,
				      kind, gpu->pcie_gen, gpu->pcie_width);
	if (node != XS_UNKNOWN)
		kind =
		    xs_arena_print(arena, "%s, NUMA node %" PRId64, kind, node);
	if (node != XS_UNKNOWN && gpu && gpu->numa_node != XS_UNKNOWN &&
	    gpu->numa_node != node)
		kind = xs_arena_print(arena, "%s, the GPU's %" PRId64, kind,
				      gpu->numa_node);
	return kind;
}

static const struct {
	const char *name;
	size_t offset; /* of an int64_t in struct xs_result_totals */
} copies[] = {{"h2d_bytes", offsetof(struct xs_result_totals, h2d_bytes)},
	      {"h2d_ns", offsetof(struct xs_result_totals, h2d_ns)},
	      {"d2h_bytes", offsetof(struct xs_result_totals, d2h_bytes)},
	      {"d2h_ns", offsetof(struct xs_result_totals, d2h_ns)}};

/* {"h2d_bytes": n, ...}: what the process copied. */
static json_t *copies_of(const struct xs_map *map, bool *failed)
{
	const char *totals = (const char *)&map->result->totals;
	json_t *out = json_object();

	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		const int64_t number =
		    *(const int64_t *)(const void *)(totals + copies[i].offset);

		if (json_object_set_new(out, copies[i].name,
					json_integer(number)) < 0)
			*failed = true;
	}
	return out;
}

/* The work of this process alone. */
static void add_work(json_t *group, const struct xs_map *map, bool *failed)
{
	json_t *moved = copies_of(map, failed);

	xs_digest_number(group, "add", "traces", 1, failed);
	xs_digest_number(group, "add", "wall_ns", map->wall_ns, failed);
	xs_digest_number(group, "most", "wall_ns", map->wall_ns, failed);
	xs_digest_number(group, "add", "kernel_ns",
			 map->result->totals.kernel_ns, failed);
	if (json_object_update(json_object_get(group, "add"), moved) < 0)
		*failed = true;
	json_decref(moved);
}

/* The time outside of the steady part. */
static int64_t outside_ns(const struct xs_map *map)
{
	const int64_t ns = map->wall_ns - map->result->verdict.recorded_ns;

	return ns > 0 ? ns : 0;
}

/* {"copies": ns, ...}: the parts of the steady part, and what is outside of
 * it. */
static json_t *parts_of(const struct xs_map *map, bool *failed)
{
	const struct xs_result_verdict *in = &map->result->verdict;
	json_t *parts = json_object();

	for (size_t i = 0; i < in->part_count; i++)
		if (json_object_set_new(parts, in->parts[i].what,
					json_integer(in->parts[i].ns)) < 0)
			*failed = true;
	if (json_object_set_new(parts, "outside",
				json_integer(outside_ns(map))) < 0)
		*failed = true;
	return parts;
}

/* The process as a row of the slowest, or of the busiest. Takes its steps, if
 * not NULL. */
static void add_process(json_t *program, const struct xs_map *map,
			const char *rows, int64_t by_ns, json_t *steps,
			bool *failed)
{
	json_t *row =
	    json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o*}", "by",
		      (json_int_t)by_ns, "name", xs_digest_text(map->name),
		      "host", xs_digest_text(map->host), "kind",
		      xs_digest_text(map->kind), "parts", parts_of(map, failed),
		      "moved", copies_of(map, failed), "steps", steps);

	xs_digest_set(program, "rows", rows, json_pack("[o]", row), failed);
}

static int64_t busy_ns(const struct xs_map *map)
{
	const struct xs_result_verdict *in = &map->result->verdict;
	int64_t ns = 0;

	for (size_t i = 0; i < in->part_count; i++)
		if (xs_map_is_busy(in->parts[i].what))
			xs_number_add(&ns, in->parts[i].ns);
	return ns;
}

static void add_totals(json_t *program, const struct xs_map *map, bool *failed)
{
	const struct xs_result_verdict *verdict = &map->result->verdict;

	add_work(program, map, failed);
	add_work(xs_digest_row(program, "kinds", map->kind, failed), map,
		 failed);
	add_work(xs_digest_row(program, "hosts", map->host, failed), map,
		 failed);
	xs_digest_number(program, "add", "outside_ns", outside_ns(map), failed);
	xs_digest_number(program, "add", "recorded_ns", verdict->recorded_ns,
			 failed);
	for (size_t i = 0; i < verdict->part_count; i++) {
		json_t *row = xs_digest_row(program, "parts",
					    verdict->parts[i].what, failed);

		xs_digest_number(row, "add", "traces", 1, failed);
		xs_digest_number(row, "add", "ns", verdict->parts[i].ns,
				 failed);
		xs_digest_set(row, "text", "words",
			      json_string(verdict->parts[i].words), failed);
		xs_sketch_add(row, "ns", verdict->parts[i].ns, failed);
	}
}

/* What no change saves more than; the plan has steps outside of the steady
 * part, too. */
static int64_t at_most_ns(const struct xs_map *map)
{
	const int64_t saves_ns = map->wall_ns - map->after_ns;
	const int64_t steady_ns = map->result->verdict.at_most_saves_ns;

	return steady_ns != XS_UNKNOWN && steady_ns < saves_ns ? saves_ns
							       : steady_ns;
}

/* The profile of the predictions: a name that traces of one job share. */
static const char *machine_of(const struct xs_result *result)
{
	const char *origin = result->machine_choice.origin;

	return strcmp(origin, "given") == 0 || strcmp(origin, "shipped") == 0
		   ? result->machine.name
		   : origin;
}

/* The times of the run, now and with the plan, and who ran. */
static void add_times(json_t *program, const struct xs_map *map, bool *failed)
{
	const struct xs_result_run *run = &map->result->run;
	const struct xs_result_device *gpu = main_device(run);

	xs_digest_number(program, "least", "wall_ns", map->wall_ns, failed);
	xs_digest_number(program, "most", "after_ns", map->after_ns, failed);
	xs_digest_number(program, "most", "after_low_ns", map->after_low_ns,
			 failed);
	xs_digest_number(program, "most", "after_high_ns", map->after_high_ns,
			 failed);
	xs_digest_number(program, "most", "saves_ns",
			 map->wall_ns - map->after_ns, failed);
	xs_digest_number(program, "most", "at_most_saves_ns", at_most_ns(map),
			 failed);
	if (run->start_us != XS_UNKNOWN) {
		xs_digest_number(program, "most", "start_us", run->start_us,
				 failed);
		xs_digest_number(program, "least", "end_us",
				 run->start_us + run->wall_ns / 1000, failed);
	}
	xs_sketch_add_exact(program, "wall_ns", map->wall_ns, failed);
	xs_digest_count(program, "traces", map->id, failed);
	if (run->rank == XS_UNKNOWN)
		xs_digest_count(program, "unranked", map->name, failed);
	if (run->ranks != XS_UNKNOWN)
		xs_digest_count(
		    program, "ranks",
		    xs_arena_print(&map->result->arena, "%" PRId64, run->ranks),
		    failed);
	xs_digest_count(program, "machines", machine_of(map->result), failed);
	if (gpu && gpu->uuid)
		xs_digest_count(program, "gpus", gpu->uuid, failed);
	if (run->recorder)
		xs_digest_count(program, "versions", run->recorder, failed);
	add_process(program, map, "slowest", map->wall_ns,
		    xs_map_steps_of(map, failed), failed);
	add_process(program, map, "busiest", busy_ns(map), NULL, failed);
}

/* What the plan leaves open: of all processes, that of the one that a change of
 * data movement may save most. */
static void add_open(json_t *program, const struct xs_map *map, bool *failed)
{
	const struct xs_result *in = map->result;
	const int64_t most_ns = at_most_ns(map);
	json_t *best =
	    json_pack("{s:I, s:o, s:o, s:o}", "by",
		      (json_int_t)(most_ns == XS_UNKNOWN ? 0 : most_ns),
		      "no_step", xs_digest_text(in->no_step), "question",
		      xs_digest_text(in->question), "question_code",
		      xs_digest_text(in->question_code));

	*failed |= json_object_set_new(program, "best", best) < 0;
}

/* Counts a trace that something is wrong with, by its name. Returns the row, as
 * xs_digest_row() does. */
static json_t *add_problem(json_t *group, const char *what, const char *name,
			   bool *failed)
{
	json_t *row = xs_digest_row(group, "problems", what, failed);

	xs_digest_number(row, "add", "traces", 1, failed);
	xs_digest_count(row, "names", name, failed);
	return row;
}

/* Counts the warnings of a trace, whatever their figures, with the text of
 * one. */
static void add_warnings(json_t *group, const struct xs_map *map, bool *failed)
{
	const struct xs_result_coverage *in = &map->result->coverage;
	struct xs_arena *arena = &map->result->arena;

	for (size_t i = 0; i < in->note_count; i++) {
		const char *kind =
		    xs_arena_print(arena, "warning %016" PRIx64,
				   xs_hash_text(0, in->note_kinds[i]));
		json_t *row, *best;

		if (json_object_get(xs_digest_get(group, "table", "problems"),
				    kind))
			continue;
		row = add_problem(group, kind, map->name, failed);
		best = json_pack("{s:i, s:o}", "by", 0, "text",
				 xs_digest_text(in->notes[i]));
		*failed |= json_object_set_new(row, "best", best) < 0;
	}
}

/* Takes off what a step of no phase saves, if it has one. The run with the
 * plan's last step has those before it in. */
static void take_off(struct xs_map *map, const struct xs_result_step *last,
		     int64_t step, int64_t saves_ns, int64_t low_ns,
		     int64_t high_ns)
{
	if (!step || (last && step < last->step))
		return;
	map->after_ns -= saves_ns;
	map->after_low_ns -= high_ns;
	map->after_high_ns -= low_ns;
}

/* What is known of the process; false: too little for figures. */
static bool prepare(struct xs_result *result, struct xs_map *map)
{
	const struct xs_result_step *last =
	    result->plan_count ? &result->plan[result->plan_count - 1] : NULL;
	const struct xs_result_pinning *pinning = &result->verdict.pinning;

	*map = (struct xs_map){.result = result,
			       .id = id_of(result),
			       .name = name_of(result),
			       .host = result->run.host ? result->run.host
							: "unknown",
			       .kind = kind_of(result),
			       .wall_ns = xs_result_untraced_wall_ns(result)};
	if (map->wall_ns == XS_UNKNOWN || result->verdict.missing)
		return false;
	map->after_ns = map->after_low_ns = map->after_high_ns = map->wall_ns;
	if (last && last->app_wall_ns != XS_UNKNOWN &&
	    last->low_ns != XS_UNKNOWN && last->high_ns != XS_UNKNOWN) {
		map->after_ns = last->app_wall_ns;
		map->after_low_ns = last->low_ns;
		map->after_high_ns = last->high_ns;
	}
	for (size_t i = 0; i < result->run.link_count; i++) {
		const struct xs_result_gpu_link *link = &result->run.links[i];

		take_off(map, last, link->step, link->saves_ns, link->saves_ns,
			 link->saves_ns);
	}
	take_off(map, last, pinning->step, pinning->saves_ns,
		 pinning->saves_low_ns, pinning->saves_high_ns);
	return true;
}

json_t *xs_digest_of_result(struct xs_result *result)
{
	const char *app = result->run.app;
	const char *name = xs_program_name(&result->arena, &app);
	json_t *group = xs_digest_new(), *program;
	struct xs_map map;
	const bool known = prepare(result, &map);
	bool failed = !group;

	xs_digest_number(group, "add", "traces", 1, &failed);
	if (result->coverage.counted) {
		add_problem(group, "counted", map.name, &failed);
	} else if (result->coverage.damaged) {
		add_problem(group, "damaged", map.name, &failed);
	} else if (!known) {
		add_problem(group, "no verdict", map.name, &failed);
	} else {
		program = xs_digest_row(group, "programs",
					name ? name : "unknown", &failed);
		add_times(program, &map, &failed);
		add_totals(program, &map, &failed);
		add_open(program, &map, &failed);
		xs_map_phases(program, &map, &failed);
		xs_map_steps(program, &map, &failed);
	}
	add_warnings(group, &map, &failed);
	if (!failed && !result->arena.failed)
		return group;
	json_decref(group);
	return NULL;
}

json_t *xs_digest_of_problem(const char *what, const char *path)
{
	json_t *group = xs_digest_new();
	bool failed = !group;

	add_problem(group, what, path, &failed);
	if (!failed)
		return group;
	json_decref(group);
	return NULL;
}
