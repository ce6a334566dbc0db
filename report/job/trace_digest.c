/* SPDX-License-Identifier: MIT */
/* From the result of a trace to its digest. */
#include "report/job/trace_digest.h"

#include "analyzer/util/hash.h"
#include "report/diff/comparable.h"
#include "report/job/digest.h"
#include "report/job/digest_process.h"

#include <inttypes.h>
#include <string.h>

/* "00042 0123456789abcdef": the rank and a hash, by which the same trace is
 * found twice. */
static const char *id_of(struct xs_result *result)
{
	const int64_t own = result->run.rank;
	const char *rank = own == XS_UNKNOWN
			       ? "-----"
			       : xs_print(&result->arena, "%05" PRId64, own);

	return xs_print(&result->arena, "%s %016" PRIx64, rank,
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
		return xs_print(arena, "%s (rank %" PRId64 "%s%s)", name,
				run->rank, run->host ? " on " : "",
				run->host ? run->host : "");
	return run->host ? xs_print(arena, "%s (on %s)", name, run->host)
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
		kind = xs_print(arena, "%s, PCIe %" PRId64 " x%" PRId64, kind,
				gpu->pcie_gen, gpu->pcie_width);
	if (node != XS_UNKNOWN)
		kind = xs_print(arena, "%s, NUMA node %" PRId64, kind, node);
	if (node != XS_UNKNOWN && gpu && gpu->numa_node != XS_UNKNOWN &&
	    gpu->numa_node != node)
		kind = xs_print(arena, "%s, the GPU's %" PRId64, kind,
				gpu->numa_node);
	return kind;
}

/* Counts a trace that something is wrong with, by its name. Returns the row, as
 * xs_digest_row() does. */
static json_t *add_problem(json_t *group, const char *table, const char *what,
			   const char *name)
{
	json_t *row = xs_digest_row(group, table, what);

	xs_digest_number(row, "add", "traces", 1);
	xs_digest_count(row, "names", name);
	return row;
}

/* Counts the warnings of a trace, whatever their figures, with the text of
 * one. */
static void add_warnings(json_t *program, const struct xs_digest_process *p)
{
	const struct xs_result_coverage *in = &p->result->coverage;
	struct xs_arena *arena = &p->result->arena;

	for (size_t i = 0; i < in->note_count; i++) {
		const char *kind = xs_print(arena, "%016" PRIx64,
					    xs_hash_text(0, in->note_kinds[i]));
		json_t *row, *best;

		if (json_object_get(xs_digest_get(program, "table", "warnings"),
				    kind))
			continue;
		row = add_problem(program, "warnings", kind, p->name);
		best = json_pack("{s:i, s:o}", "by", 0, "text",
				 xs_digest_text(in->notes[i]));
		json_object_set_new(row, "best", best);
	}
}

/* Takes off what a step of no phase saves, if it has one. The run with the
 * plan's last step has those before it in. */
static void take_off(struct xs_digest_process *p,
		     const struct xs_result_step *last, int64_t step,
		     int64_t saves_ns, int64_t low_ns, int64_t high_ns)
{
	if (!step || (last && step < last->step))
		return;
	p->after_ns -= saves_ns;
	p->after_low_ns -= high_ns;
	p->after_high_ns -= low_ns;
}

/* What is known of the process; false: too little for figures. */
static bool prepare(struct xs_result *result, struct xs_digest_process *p)
{
	const struct xs_result_step *last =
	    result->plan_count ? &result->plan[result->plan_count - 1] : NULL;
	const struct xs_result_pinning *pinning = &result->verdict.pinning;
	const struct xs_result_device *gpu = main_device(&result->run);

	*p = (struct xs_digest_process){
	    .result = result,
	    .id = id_of(result),
	    .name = name_of(result),
	    .host = result->run.host ? result->run.host : "unknown",
	    .kind = kind_of(result),
	    .gpu = gpu,
	    .wall_ns = xs_result_untraced_wall_ns(result)};
	if (p->wall_ns == XS_UNKNOWN || result->verdict.missing)
		return false;
	p->after_ns = p->after_low_ns = p->after_high_ns = p->wall_ns;
	if (last && last->app_wall_ns != XS_UNKNOWN &&
	    last->low_ns != XS_UNKNOWN && last->high_ns != XS_UNKNOWN) {
		p->after_ns = last->app_wall_ns;
		p->after_low_ns = last->low_ns;
		p->after_high_ns = last->high_ns;
	}
	XS_EACH(link, result->run.links, result->run.link_count) {
		take_off(p, last, link->step, link->saves_ns, link->saves_ns,
			 link->saves_ns);
	}
	take_off(p, last, pinning->step, pinning->saves_ns,
		 pinning->saves_low_ns, pinning->saves_high_ns);
	if (p->after_ns < 0)
		p->after_ns = 0;
	return true;
}

/* How many ranks the job of a rank has; XS_UNKNOWN: it is of none. */
static int64_t ranks_of(const struct xs_result_run *run)
{
	return run->rank >= 0 && run->rank < run->ranks ? run->ranks
							: XS_UNKNOWN;
}

/* The job of a rank. Runs of one rank each are seen together. */
static const char *job_of(struct xs_result *result, int64_t ranks)
{
	const char *job = ranks > 1 ? result->run.job : NULL;

	return ranks == XS_UNKNOWN
		   ? ""
		   : xs_print(&result->arena, ", %" PRId64 " ranks%s%.255s",
			      ranks, job ? ", " : "", job ? job : "");
}

/* What is in the figures. Traces that end early are a program of their own, as
 * those of each job are. */
static void add_program(json_t *group, const struct xs_digest_process *p)
{
	struct xs_result *result = p->result;
	struct xs_arena *arena = &result->arena;
	const char *app = result->run.app;
	const char *name = xs_program_name(arena, &app), *key;
	const char *why = result->coverage.incomplete;
	const int64_t ranks = ranks_of(&result->run);
	const char *job = job_of(result, ranks);
	json_t *program;

	if (!name)
		name = "unknown";
	key = xs_print(arena, "%s%s%s", name, job, why ? " (incomplete)" : "");
	program = xs_digest_row(group, "programs", key);
	xs_digest_number(program, "most", "ranks", ranks);
	xs_digest_set(program, "text", "name", xs_digest_text(name));
	xs_digest_set(program, "text", "job", xs_digest_text(job));
	xs_digest_set(program, "text", "incomplete", xs_digest_text(why));
	xs_digest_count(program, "names", p->name);
	xs_digest_add_totals(program, p, xs_digest_add_steps(program, p));
	xs_digest_add_phases(program, p);
	add_warnings(program, p);
}

/* Why the trace is in no figure; NULL: it is. */
static const char *problem_of(const struct xs_result *result, bool known)
{
	return result->coverage.counted	  ? "counted"
	       : result->coverage.damaged ? "damaged"
	       : !known			  ? "no verdict"
					  : NULL;
}

json_t *xs_digest_of_result(struct xs_result *result)
{
	json_t *group = json_object();
	struct xs_digest_process p;
	const bool known = prepare(result, &p);
	const char *problem = problem_of(result, known);

	xs_digest_number(group, "add", "traces", 1);
	if (problem) {
		xs_digest_count(add_problem(group, "problems", problem, p.name),
				"traces", p.id);
	} else {
		add_program(group, &p);
	}
	return group;
}

json_t *xs_digest_of_problem(const char *what, const char *path)
{
	json_t *group = json_object();

	add_problem(group, "problems", what, path);
	return group;
}
