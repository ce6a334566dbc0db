/* SPDX-License-Identifier: MIT */
/* A process's times, totals and open questions in a digest. */
#include "report/job/digest.h"
#include "report/job/digest_process.h"
#include "report/job/sketch.h"
#include "report/result/number.h"

#include <string.h>

static const struct {
	const char *name;
	size_t offset; /* of an int64_t in struct xs_result_totals */
} copies[] = {{"h2d_bytes", offsetof(struct xs_result_totals, h2d_bytes)},
	      {"h2d_ns", offsetof(struct xs_result_totals, h2d_ns)},
	      {"d2h_bytes", offsetof(struct xs_result_totals, d2h_bytes)},
	      {"d2h_ns", offsetof(struct xs_result_totals, d2h_ns)}};

/* Of all phases. */
static int64_t rounds_of(const struct xs_digest_process *p)
{
	int64_t rounds = 0;

	for (size_t i = 0; i < p->result->phase_count; i++)
		xs_number_add(&rounds, p->result->phases[i].rounds);
	return rounds;
}

static void put(json_t *out, const char *name, int64_t number)
{
	json_object_set_new(out, name, json_integer(number));
}

/* {"h2d_bytes": n, ...}: what the process copied, and in how many rounds. */
static json_t *work_of(const struct xs_digest_process *p)
{
	const char *totals = (const char *)&p->result->totals;
	json_t *out = json_object();

	put(out, "rounds", rounds_of(p));
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++)
		put(out, copies[i].name,
		    *(const int64_t *)(const void *)(totals +
						     copies[i].offset));
	return out;
}

/* The work of this process alone. */
static void add_work(json_t *group, const struct xs_digest_process *p)
{
	json_t *moved = work_of(p);

	xs_digest_number(group, "add", "traces", 1);
	xs_digest_number(group, "add", "wall_ns", p->wall_ns);
	xs_digest_number(group, "most", "wall_ns", p->wall_ns);
	xs_digest_number(group, "add", "kernel_ns",
			 p->result->totals.kernel_ns);
	json_object_update(json_object_get(group, "add"), moved);
	json_decref(moved);
}

/* The time outside of the steady part. */
static int64_t outside_ns(const struct xs_digest_process *p)
{
	const int64_t ns = p->wall_ns - p->result->verdict.recorded_ns;

	return ns > 0 ? ns : 0;
}

/* {"copies": ns, ...}: the parts of the steady part, and what is outside of
 * it. */
static json_t *parts_of(const struct xs_digest_process *p)
{
	const struct xs_result_verdict *in = &p->result->verdict;
	json_t *parts = json_object();

	for (size_t i = 0; i < in->part_count; i++)
		put(parts, in->parts[i].what, in->parts[i].ns);
	put(parts, "outside", outside_ns(p));
	return parts;
}

/* The process as a row of the slowest, or of the busiest. Takes its steps, if
 * not NULL. */
static void add_process(json_t *program, const struct xs_digest_process *p,
			const char *rows, int64_t by_ns, json_t *steps)
{
	json_t *row = json_pack(
	    "{s:I, s:o, s:o, s:o, s:o, s:o, s:o*}", "by", (json_int_t)by_ns,
	    "name", xs_digest_text(p->name), "host", xs_digest_text(p->host),
	    "kind", xs_digest_text(p->kind), "parts", parts_of(p), "moved",
	    work_of(p), "steps", steps);

	xs_digest_set(program, "rows", rows, json_pack("[o]", row));
}

static int64_t busy_ns(const struct xs_digest_process *p)
{
	const struct xs_result_verdict *in = &p->result->verdict;
	int64_t ns = 0;

	for (size_t i = 0; i < in->part_count; i++)
		if (xs_digest_is_busy(in->parts[i].what))
			xs_number_add(&ns, in->parts[i].ns);
	return ns;
}

static void add_totals(json_t *program, const struct xs_digest_process *p)
{
	const struct xs_result_verdict *verdict = &p->result->verdict;

	add_work(program, p);
	add_work(xs_digest_row(program, "kinds", p->kind), p);
	add_work(xs_digest_row(program, "hosts", p->host), p);
	xs_digest_number(program, "add", "outside_ns", outside_ns(p));
	xs_digest_number(program, "add", "recorded_ns", verdict->recorded_ns);
	for (size_t i = 0; i < verdict->part_count; i++) {
		json_t *row =
		    xs_digest_row(program, "parts", verdict->parts[i].what);

		xs_digest_number(row, "add", "traces", 1);
		xs_digest_number(row, "add", "ns", verdict->parts[i].ns);
		xs_digest_set(row, "text", "words",
			      json_string(verdict->parts[i].words));
		xs_sketch_add(row, "ns", verdict->parts[i].ns);
	}
}

/* What no change saves more than; the plan has steps outside of the steady
 * part, too. */
static int64_t at_most_ns(const struct xs_digest_process *p)
{
	const int64_t saves_ns = p->wall_ns - p->after_ns;
	const int64_t steady_ns = p->result->verdict.at_most_saves_ns;

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
static void add_times(json_t *program, const struct xs_digest_process *p,
		      json_t *steps)
{
	const struct xs_result_run *run = &p->result->run;
	const int64_t busy = busy_ns(p);

	xs_digest_number(program, "most", "after_ns", p->after_ns);
	xs_digest_number(program, "most", "after_low_ns", p->after_low_ns);
	xs_digest_number(program, "most", "after_high_ns", p->after_high_ns);
	xs_digest_number(program, "most", "saves_ns", p->wall_ns - p->after_ns);
	xs_digest_number(program, "most", "at_most_saves_ns", at_most_ns(p));
	if (run->start_us != XS_UNKNOWN) {
		xs_digest_number(program, "most", "start_us", run->start_us);
		xs_digest_number(program, "least", "end_us",
				 run->start_us + run->wall_ns / 1000);
	}
	xs_sketch_add(program, "wall_ns", p->wall_ns);
	xs_digest_count(program, "traces", p->id);
	xs_digest_count(program, "machines", machine_of(p->result));
	if (p->gpu && p->gpu->uuid)
		xs_digest_count(program, "gpus", p->gpu->uuid);
	if (p->gpu && p->gpu->name)
		xs_digest_count(program, "models", p->gpu->name);
	if (run->recorder)
		xs_digest_count(program, "versions", run->recorder);
	xs_digest_number(program, "add", "busy_ns", busy);
	add_process(program, p, "slowest", p->wall_ns, steps);
	add_process(program, p, "busiest", busy, NULL);
}

/* What the plan leaves open: of all processes, that of the one that a change of
 * data movement may save most. */
static void add_open(json_t *program, const struct xs_digest_process *p)
{
	const struct xs_result *in = p->result;
	const int64_t most_ns = at_most_ns(p);
	json_t *best =
	    json_pack("{s:I, s:o, s:o, s:o}", "by",
		      (json_int_t)(most_ns == XS_UNKNOWN ? 0 : most_ns),
		      "no_step", xs_digest_text(in->no_step), "question",
		      xs_digest_text(in->question), "question_code",
		      xs_digest_text(in->question_code));

	json_object_set_new(program, "best", best);
}

void xs_digest_add_totals(json_t *program, const struct xs_digest_process *p,
			  json_t *steps)
{
	add_times(program, p, steps);
	add_totals(program, p);
	add_open(program, p);
}
