/* SPDX-License-Identifier: MIT */
/*
 * From estimates to ranked advice: for each phase and strategy the best
 * estimate, by what it saves of the whole run.
 */
#include "report/build/advice.h"

#include "report/build/advice_text.h"
#include "report/result/best.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_step(const struct xs_result_site *site, const char *step)
{
	return strcmp(site->step, step) == 0;
}

/* Qualifies an advice whose estimate is an upper bound. */
static const char *at_most(struct xs_arena *arena,
			   const struct xs_result_estimate *estimate)
{
	const char *else_saves = "";

	if (!estimate->bound)
		return "";
	if (estimate->least_saves_ns > 0)
		else_saves =
		    xs_arena_print(arena, "; otherwise it saves %s",
				   xs_units_ns(estimate->least_saves_ns).s);
	return xs_arena_print(arena,
			      " This is an upper bound: it holds only if %s, "
			      "which was not measured%s.",
			      estimate->bound, else_saves);
}

/* The setup cost, and after how many rounds it pays off. */
static const char *payback(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate)
{
	if (estimate->setup_ns == XS_UNKNOWN)
		return " The cost of pinning is unknown here and not included.";
	if (estimate->setup_ns <= 0 || estimate->breakeven_rounds == XS_UNKNOWN)
		return "";
	if (estimate->breakeven_rounds > phase->rounds)
		return xs_arena_print(
		    arena,
		    " The setup of %s pays off only after %" PRId64
		    " rounds; this run has %" PRId64 ".",
		    xs_units_ns(estimate->setup_ns).s,
		    estimate->breakeven_rounds, phase->rounds);
	return xs_arena_print(arena,
			      " The setup of %s pays off after %" PRId64
			      " of %" PRId64 " round%s.",
			      xs_units_ns(estimate->setup_ns).s,
			      estimate->breakeven_rounds, phase->rounds,
			      phase->rounds == 1 ? "" : "s");
}

/* Strategies of effort "none" are predictions, not advice. */
static bool is_change(const struct xs_result_estimate *estimate)
{
	return strcmp(estimate->effort, "none") != 0;
}

/* Whether the row is the first of its strategy, so that each is visited once.
 */
static bool is_first(const struct xs_result_phase *phase, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(phase->estimates[i].strategy,
			   phase->estimates[index].strategy) == 0)
			return false;
	return true;
}

static const struct xs_result_estimate *
candidate_at(const struct xs_result_phase *phase, size_t index)
{
	const struct xs_result_estimate *row = &phase->estimates[index];

	if (!is_first(phase, index) || !is_change(row))
		return NULL;
	return xs_result_best(phase, row->strategy, true);
}

static void add_advice(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *estimate)
{
	struct xs_arena *arena = &result->arena;
	struct xs_result_advice *out = &result->advice[result->advice_count];
	bool kernels = strncmp(estimate->effort, "kernels", 7) == 0;
	const char *text = xs_advice_text(arena, phase, estimate);

	*out = (struct xs_result_advice){
	    .phase = phase,
	    .estimate = estimate,
	    .saves_percent = result->run.wall_ns == XS_UNKNOWN
				 ? NAN
				 : 100.0 * (double)estimate->saves_ns /
				       (double)result->run.wall_ns,
	    .text = xs_arena_print(arena, "%s%s%s", text ? text : "",
				   at_most(arena, estimate),
				   payback(arena, phase, estimate)),
	    .sites = xs_arena_alloc(arena, phase->site_count,
				    sizeof(const struct xs_result_site *)),
	};
	for (size_t i = 0; out->sites && i < phase->site_count; i++)
		if (xs_advice_is_about(estimate, &phase->sites[i]) ||
		    (kernels && is_step(&phase->sites[i], "kernel")))
			out->sites[out->site_count++] = &phase->sites[i];
	result->advice_count++;
}

/* An upper bound whose condition was not measured. It never ranks first,
 * unless it saves time without the condition too. */
static bool is_bound(const struct xs_result_advice *advice)
{
	return advice->estimate->bound &&
	       !(advice->estimate->least_saves_ns > 0);
}

/* The certain saving; for an upper bound, the largest possible one. */
static int64_t ranked_by(const struct xs_result_advice *advice)
{
	const struct xs_result_estimate *estimate = advice->estimate;

	return estimate->bound && !is_bound(advice) ? estimate->least_saves_ns
						    : estimate->saves_ns;
}

/* Ranking classes: saves in this run, upper bound, would save in a longer run.
 */
static int class_of(const struct xs_result_advice *advice)
{
	if (advice->estimate->saves_ns <= 0)
		return is_bound(advice) ? 3 : 2;
	return is_bound(advice) ? 1 : 0;
}

static int compare(const void *left, const void *right)
{
	const struct xs_result_advice *a = left, *b = right;
	int64_t x = ranked_by(a), y = ranked_by(b);

	if (class_of(a) != class_of(b))
		return class_of(a) - class_of(b);
	if (x != y)
		return x > y ? -1 : 1;
	return a->phase->id < b->phase->id ? -1 : a->phase->id > b->phase->id;
}

/* If no certain saving ranks first, upper bounds are dropped. */
static void drop_leading_bounds(struct xs_result *result)
{
	size_t kept = 0;

	if (!result->advice_count || class_of(&result->advice[0]) == 0)
		return;
	for (size_t i = 0; i < result->advice_count; i++)
		if (!is_bound(&result->advice[i]))
			result->advice[kept++] = result->advice[i];
	result->advice_count = kept;
}

int xs_advice_build(struct xs_result *result)
{
	size_t room = 0;

	for (size_t i = 0; i < result->phase_count; i++)
		room += result->phases[i].estimate_count;
	result->advice =
	    xs_arena_alloc(&result->arena, room, sizeof(*result->advice));
	if (!result->advice)
		return -ENOMEM;
	for (size_t i = 0; i < result->phase_count; i++) {
		const struct xs_result_phase *phase = &result->phases[i];

		for (size_t k = 0; k < phase->estimate_count; k++) {
			const struct xs_result_estimate *best =
			    candidate_at(phase, k);

			if (best)
				add_advice(result, phase, best);
		}
	}
	qsort(result->advice, result->advice_count, sizeof(*result->advice),
	      compare);
	drop_leading_bounds(result);
	for (size_t i = 0; i < result->advice_count; i++)
		result->advice[i].rank = (int64_t)i + 1;
	return result->arena.failed ? -ENOMEM : 0;
}
