/* SPDX-License-Identifier: MIT */
#include "report/job/digest_process.h"

#include "analyzer/util/hash.h"
#include "report/job/digest.h"
#include "report/job/sketch.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines that name a phase or a step; steps and phases of a trace. */
#define SITES_MAX  16u
#define STEPS_MAX  16u
#define PHASES_MAX 20u

/* Bytes of the list of lines. */
#define PLACES_MAX 300

bool xs_digest_is_busy(const char *part)
{
	return strcmp(part, "host") != 0;
}

/* A key of 16 digits. */
struct key {
	char s[20];
};

static struct key key_of(uint64_t hash)
{
	struct key key;

	snprintf(key.s, sizeof(key.s), "%016" PRIx64, hash);
	return key;
}

/* "main.cu:88, main.cu:90": each once, in order; "" without sites */
static const char *places_of(struct xs_arena *arena,
			     const struct xs_result_site *const *sites,
			     size_t count)
{
	const char *labels[SITES_MAX] = {NULL}, *list = NULL;

	if (count > SITES_MAX)
		count = SITES_MAX;
	for (size_t i = 0; i < count; i++)
		labels[i] = xs_result_site_label(arena, sites[i]);
	qsort(labels, count, sizeof(*labels), xs_digest_by_name);
	for (size_t i = 0; i < count; i++)
		list = xs_arena_join_once(arena, list, labels[i]);
	return list ? list : "";
}

/* The list as far as there is room. */
static json_t *places_text(const struct xs_digest_process *p, const char *list)
{
	return xs_digest_text(
	    xs_print(&p->result->arena, "%.*s", PLACES_MAX, list));
}

static const char *phase_places(const struct xs_digest_process *p,
				const struct xs_result_phase *phase)
{
	const struct xs_result_site *sites[SITES_MAX];
	size_t count = 0;

	for (; count < phase->site_count && count < SITES_MAX; count++)
		sites[count] = &phase->sites[count];
	return places_of(&p->result->arena, sites, count);
}

/* From one round to the next, without tracing, as a report on one trace has it.
 */
static int64_t until_next_ns(const struct xs_result_phase *phase)
{
	const int64_t ns =
	    xs_result_untraced_ns(phase) + xs_result_used_between_ns(phase);

	return ns > 0 ? ns : 0;
}

/* The same of all rounds. */
static int64_t total_ns(const struct xs_result_phase *phase, int64_t round_ns)
{
	return xs_number_round(
	    fmax(0, (double)phase->total_ns +
			(double)phase->rounds *
			    (double)(round_ns - phase->round_ns)));
}

static void add_phase(json_t *program, const struct xs_digest_process *p,
		      const struct xs_result_phase *phase)
{
	const char *places = phase_places(p, phase);
	const int64_t round_ns = until_next_ns(phase);
	uint64_t hash = xs_hash_text(0, places);
	json_t *group = json_object(), *row;

	for (size_t i = 0; i < phase->kernel_name_count; i++)
		hash = xs_hash_text(hash, phase->kernel_names[i]);
	row = xs_digest_row(program, "phases", key_of(hash).s);
	xs_digest_number(group, "add", "rounds", phase->rounds);
	xs_digest_number(group, "add", "total_ns", total_ns(phase, round_ns));
	xs_sketch_add(group, "round_ns", round_ns);
	xs_digest_set(group, "text", "places", places_text(p, places));
	xs_digest_set(group, "text", "kernel",
		      xs_digest_text(phase->kernel_label ? phase->kernel_label
							 : "no kernel"));
	/* once for all phases of the trace at these lines */
	if (!xs_digest_get(row, "add", "traces"))
		xs_digest_number(row, "add", "traces", 1);
	xs_digest_merge(row, group);
	json_decref(group);
}

void xs_digest_add_phases(json_t *program, const struct xs_digest_process *p)
{
	for (size_t i = 0; i < p->result->phase_count && i < PHASES_MAX; i++)
		add_phase(program, p, &p->result->phases[i]);
}

/* A change, of phases or of no phase. */
struct step {
	struct key key;
	const char *strategy, *places, *effort, *text, *code;
	const char *condition; /* that the trace does not show; NULL: none */
	const char *assumes;   /* by the prediction; NULL: nothing */
	bool at_most;	       /* it saves no more than saves_ns */
	int64_t saves_ns, low_ns, high_ns;
	int64_t order; /* in the plan: 1, 2, ... */
};

/* Numbers of a result are within 2^60. */
static int64_t sum(int64_t a, int64_t b)
{
	const int64_t most = INT64_C(1) << 60;

	if (a == XS_UNKNOWN || b == XS_UNKNOWN)
		return XS_UNKNOWN;
	return a + b > most ? most : a + b < -most ? -most : a + b;
}

/* Adds a step. One at the same lines is the same change, for another phase; the
 * text stays that of the first. */
static void add_step(struct step *list, size_t *count, struct step step)
{
	size_t i = 0;

	step.key =
	    key_of(xs_hash_text(xs_hash_text(0, step.strategy), step.places));
	while (i < *count && strcmp(list[i].key.s, step.key.s) != 0)
		i++;
	if (i == *count && i < STEPS_MAX) {
		list[(*count)++] = step;
	} else if (i < *count) {
		list[i].saves_ns = sum(list[i].saves_ns, step.saves_ns);
		list[i].low_ns = sum(list[i].low_ns, step.low_ns);
		list[i].high_ns = sum(list[i].high_ns, step.high_ns);
		if (!list[i].condition)
			list[i].condition = step.condition;
		list[i].at_most |= step.at_most;
	}
}

/* What a prediction assumes, except its condition: "...; ..." or NULL. */
static const char *assumes_of(struct xs_arena *arena,
			      const struct xs_result_estimate *row)
{
	const char *list = NULL;

	for (size_t i = 0; i < row->assume_count; i++)
		if (!(row->bound && !strcmp(row->assumes[i], row->bound)) &&
		    !(row->only_if && !strcmp(row->assumes[i], row->only_if)))
			list = list ? xs_print(arena, "%s; %s", list,
					       row->assumes[i])
				    : row->assumes[i];
	return list;
}

/* What pins memory outside of the steady part, and the copies between two
 * GPUs. */
static void collect_others(const struct xs_result *result, struct step *list,
			   size_t *count)
{
	const struct xs_result_pinning *pinning = &result->verdict.pinning;

	XS_EACH(in, result->run.links, result->run.link_count) {
		if (in->step && in->saves_ns != XS_UNKNOWN)
			add_step(list, count,
				 (struct step){.strategy = "peer access",
					       .order = in->step,
					       .places = in->title,
					       .text = in->advice,
					       .code = in->code,
					       .saves_ns = in->saves_ns,
					       .low_ns = in->saves_low_ns,
					       .high_ns = in->saves_high_ns});
	}
	if (pinning->step)
		add_step(list, count,
			 (struct step){
			     .strategy = "register",
			     .order = pinning->step,
			     .places = pinning->places ? pinning->places : "",
			     .effort = "one call per buffer",
			     .text = pinning->advice,
			     .code = pinning->code,
			     .condition = pinning->condition,
			     .at_most = true,
			     .saves_ns = pinning->saves_ns,
			     .low_ns = pinning->saves_low_ns,
			     .high_ns = pinning->saves_high_ns});
}

/* Collects the changes that save time in this run. */
static size_t collect(const struct xs_digest_process *p, struct step *list)
{
	struct xs_result *result = p->result;
	size_t count = 0;

	XS_EACH(in, result->plan, result->plan_count) {
		if (in->pays_rounds == XS_UNKNOWN &&
		    in->adds_saves_ns != XS_UNKNOWN)
			add_step(
			    list, &count,
			    (struct step){
				.strategy = in->estimate->strategy,
				.order = in->step,
				.places = places_of(&result->arena, in->sites,
						    in->site_count),
				.effort = in->estimate->effort,
				.text = in->text,
				.code = in->code,
				.condition = in->condition
						 ? in->condition
						 : in->estimate->only_if,
				.assumes =
				    assumes_of(&result->arena, in->estimate),
				.at_most =
				    in->condition || in->side_by_side > 1,
				.saves_ns = in->adds_saves_ns,
				.low_ns = in->saves_low_ns,
				.high_ns = in->saves_high_ns});
	}
	collect_others(result, list, &count);
	return count;
}

/* Sums are of numbers from 0: what is below has one of its own. */
static void add_low(json_t *row, int64_t low_ns)
{
	if (low_ns < 0 && low_ns != XS_UNKNOWN)
		xs_digest_number(row, "add", "below_ns", -low_ns);
	else
		xs_digest_number(row, "add", "low_ns", low_ns);
}

/* Adds a row of the table. */
static void add_row(json_t *program, const struct xs_digest_process *p,
		    const struct step *in)
{
	json_t *row = xs_digest_row(program, "steps", in->key.s);
	json_t *best = json_pack(
	    "{s:I, s:o, s:o, s:o, s:o}", "by", (json_int_t)in->saves_ns, "text",
	    xs_digest_text(in->text), "code", xs_digest_text(in->code),
	    "condition", xs_digest_text(in->condition), "assumes",
	    xs_digest_text(in->assumes));

	xs_digest_number(row, "add", "traces", 1);
	xs_digest_number(row, "add", "order", in->order);
	xs_digest_number(row, "most", "at_most", in->at_most);
	xs_digest_number(row, "add", "saves_ns", in->saves_ns);
	add_low(row, in->low_ns);
	xs_digest_number(row, "add", "high_ns", in->high_ns);
	xs_digest_number(row, "most", "after_ns", p->wall_ns - in->saves_ns);
	xs_sketch_add(row, "saves_ns", in->saves_ns);
	xs_digest_set(row, "text", "strategy", xs_digest_text(in->strategy));
	xs_digest_set(row, "text", "places", places_text(p, in->places));
	xs_digest_set(row, "text", "effort", xs_digest_text(in->effort));
	json_object_set_new(row, "best", best);
}

json_t *xs_digest_add_steps(json_t *program, const struct xs_digest_process *p)
{
	struct step steps[STEPS_MAX];
	const size_t count = collect(p, steps);
	json_t *saved = json_object();

	for (size_t i = 0; i < count; i++) {
		if (steps[i].saves_ns > p->wall_ns)
			steps[i].saves_ns = p->wall_ns;
		add_row(program, p, &steps[i]);
		json_object_set_new(saved, steps[i].key.s,
				    json_integer(steps[i].saves_ns));
	}
	return saved;
}
