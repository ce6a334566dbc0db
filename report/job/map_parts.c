/* SPDX-License-Identifier: MIT */
#include "report/job/map_parts.h"

#include "analyzer/util/hash.h"
#include "report/job/digest.h"
#include "report/job/sketch.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines that name a phase or a step; steps and phases of a trace. */
#define SITES_MAX  16u
#define STEPS_MAX  16u
#define PHASES_MAX 20u

/* Bytes of the list of lines. */
#define PLACES_MAX 300

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

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "main.cu:88, main.cu:90": each once, in order, as far as there is room; ""
 * without sites */
static const char *places_of(struct xs_arena *arena,
			     const struct xs_result_site *const *sites,
			     size_t count)
{
	const char *labels[SITES_MAX] = {NULL}, *list = NULL;

	if (count > SITES_MAX)
		count = SITES_MAX;
	for (size_t i = 0; i < count; i++) {
		labels[i] = xs_result_site_label(arena, sites[i]);
		if (!labels[i])
			return "";
	}
	qsort(labels, count, sizeof(*labels), compare);
	for (size_t i = 0; i < count; i++)
		list = xs_arena_join_once(arena, list, labels[i]);
	return list ? xs_arena_print(arena, "%.*s", PLACES_MAX, list) : "";
}

static const char *phase_places(const struct xs_map *map,
				const struct xs_result_phase *phase)
{
	const struct xs_result_site *sites[SITES_MAX];
	size_t count = 0;

	for (; count < phase->site_count && count < SITES_MAX; count++)
		sites[count] = &phase->sites[count];
	return places_of(&map->result->arena, sites, count);
}

/* Counts the trace once for each row of it. */
static void count_trace(json_t *row, bool *failed)
{
	if (!xs_digest_get(row, "add", "traces"))
		xs_digest_number(row, "add", "traces", 1, failed);
}

/* Adds a group to one that may have the same figures of another phase. */
static void add(json_t *row, json_t *group, bool *failed)
{
	count_trace(row, failed);
	if (!row || !group || xs_digest_merge(row, group))
		*failed = true;
	json_decref(group);
}

/* What strategies would save of the whole run: rows that are the best ones. */
static void add_strategies(json_t *row, const struct xs_result_phase *phase,
			   bool *failed)
{
	for (size_t i = 0; i < phase->estimate_count; i++) {
		const struct xs_result_estimate *in = &phase->estimates[i];
		json_t *group;

		if (!in->chosen || in->saves_ns == XS_UNKNOWN ||
		    in->app_wall_ns == XS_UNKNOWN ||
		    in->app_wall_low_ns == XS_UNKNOWN ||
		    in->app_wall_high_ns == XS_UNKNOWN)
			continue;
		group = xs_digest_new();
		xs_digest_number(group, "add", "saves_ns", in->saves_ns,
				 failed);
		xs_digest_number(group, "add", "low_ns",
				 in->saves_ns + in->app_wall_ns -
				     in->app_wall_high_ns,
				 failed);
		xs_digest_number(group, "add", "high_ns",
				 in->saves_ns + in->app_wall_ns -
				     in->app_wall_low_ns,
				 failed);
		add(xs_digest_row(row, "strategies", in->strategy, failed),
		    group, failed);
	}
}

static void add_phase(json_t *program, const struct xs_map *map,
		      const struct xs_result_phase *phase, bool *failed)
{
	const char *places = phase_places(map, phase);
	uint64_t hash = xs_hash_text(0, places);
	json_t *group = xs_digest_new(), *row;

	for (size_t i = 0; i < phase->kernel_name_count; i++)
		hash = xs_hash_text(hash, phase->kernel_names[i]);
	row = xs_digest_row(program, "phases", key_of(hash).s, failed);
	xs_digest_number(group, "add", "rounds", phase->rounds, failed);
	xs_digest_number(group, "add", "total_ns", phase->total_ns, failed);
	xs_digest_number(group, "add", "h2d_bytes", phase->h2d_bytes, failed);
	xs_digest_number(group, "add", "d2h_bytes", phase->d2h_bytes, failed);
	xs_digest_number(group, "most", "round_ns", phase->round_ns, failed);
	xs_digest_number(group, "least", "round_ns", phase->round_ns, failed);
	xs_sketch_add(group, "round_ns", phase->round_ns, failed);
	xs_digest_set(group, "text", "places", xs_digest_text(places), failed);
	xs_digest_set(group, "text", "kernel",
		      xs_digest_text(phase->kernel_label ? phase->kernel_label
							 : "no kernel"),
		      failed);
	add(row, group, failed);
	add_strategies(row, phase, failed);
}

void xs_map_phases(json_t *program, const struct xs_map *map, bool *failed)
{
	for (size_t i = 0; i < map->result->phase_count && i < PHASES_MAX; i++)
		add_phase(program, map, &map->result->phases[i], failed);
}

/* A change, of a phase or of the copies between two GPUs. */
struct step {
	const char *strategy, *places, *effort, *text, *code, *condition;
	int64_t saves_ns, low_ns, high_ns;
};

/* Collects the changes that save time in this run. */
static size_t collect(const struct xs_map *map, struct step *out)
{
	struct xs_result *result = map->result;
	size_t count = 0;

	for (size_t i = 0; i < result->plan_count && count < STEPS_MAX; i++) {
		const struct xs_result_step *in = &result->plan[i];

		if (in->pays_rounds != XS_UNKNOWN ||
		    in->adds_saves_ns == XS_UNKNOWN)
			continue;
		out[count++] = (struct step){
		    in->estimate->strategy,
		    places_of(&result->arena, in->sites, in->site_count),
		    in->estimate->effort,
		    in->text,
		    in->code,
		    in->condition,
		    in->adds_saves_ns,
		    in->saves_low_ns,
		    in->saves_high_ns};
	}
	for (size_t i = 0; i < result->run.link_count && count < STEPS_MAX;
	     i++) {
		const struct xs_result_gpu_link *in = &result->run.links[i];

		if (in->step && in->saves_ns != XS_UNKNOWN)
			out[count++] = (struct step){
			    "peer access", in->title,	     NULL,
			    in->advice,	   in->code,	     NULL,
			    in->saves_ns,  in->saves_low_ns, in->saves_high_ns};
	}
	return count;
}

static struct key step_key(const struct step *step)
{
	return key_of(xs_hash_text(xs_hash_text(0, step->strategy),
				   step->places ? step->places : ""));
}

static json_t *advice_of(const struct step *step)
{
	json_t *out =
	    json_pack("{s:I, s:o, s:o}", "by", (json_int_t)step->saves_ns,
		      "text", xs_digest_text(step->text ? step->text : ""),
		      "code", xs_digest_text(step->code ? step->code : ""));

	if (step->condition &&
	    json_object_set_new(out, "condition",
				xs_digest_text(step->condition)) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static void add_step(json_t *program, const struct xs_map *map,
		     const struct step *step, bool *failed)
{
	json_t *row = xs_digest_row(program, "steps", step_key(step).s, failed);
	json_t *group = xs_digest_new();

	xs_digest_number(group, "add", "saves_ns", step->saves_ns, failed);
	xs_digest_number(group, "add", "low_ns", step->low_ns, failed);
	xs_digest_number(group, "add", "high_ns", step->high_ns, failed);
	xs_digest_number(group, "most", "saves_ns", step->saves_ns, failed);
	xs_digest_number(group, "least", "saves_ns", step->saves_ns, failed);
	xs_digest_number(group, "most", "after_ns",
			 map->wall_ns - step->saves_ns, failed);
	xs_sketch_add(group, "saves_ns", step->saves_ns, failed);
	xs_digest_set(group, "text", "strategy", xs_digest_text(step->strategy),
		      failed);
	xs_digest_set(group, "text", "places",
		      xs_digest_text(step->places ? step->places : ""), failed);
	xs_digest_set(group, "text", "effort",
		      xs_digest_text(step->effort ? step->effort : ""), failed);
	if (json_object_set_new(group, "best", advice_of(step)) < 0)
		*failed = true;
	add(row, group, failed);
}

void xs_map_steps(json_t *program, const struct xs_map *map, bool *failed)
{
	struct step steps[STEPS_MAX];
	const size_t count = collect(map, steps);

	for (size_t i = 0; i < count; i++)
		add_step(program, map, &steps[i], failed);
}

json_t *xs_map_steps_of(const struct xs_map *map, bool *failed)
{
	struct step steps[STEPS_MAX];
	const size_t count = collect(map, steps);
	json_t *out = json_object();

	for (size_t i = 0; i < count; i++) {
		const struct key key = step_key(&steps[i]);
		const json_int_t old =
		    json_integer_value(json_object_get(out, key.s));

		if (json_object_set_new(
			out, key.s, json_integer(old + steps[i].saves_ns)) < 0)
			*failed = true;
	}
	return out;
}
