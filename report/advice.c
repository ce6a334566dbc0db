/* SPDX-License-Identifier: MIT */
/*
 * From estimates to ranked advice: for each phase and strategy the best
 * estimate, by what it saves of the whole run. A new strategy is one row in
 * the table of sentences below.
 */
#include "report/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Added to every sentence whose estimate presumes it. */
static const char once[] = " At most this much: it holds only if each byte "
			   "crosses the bus once, which was not measured.";

/* Sites that a sentence names; more are counted. */
#define SITES_NAMED 3

typedef const char *sentence(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate);

static bool is_step(const struct xs_result_site *site, const char *step)
{
	return strcmp(site->step, step) == 0;
}

static bool is_copy(const struct xs_result_site *site)
{
	return is_step(site, "h2d") || is_step(site, "d2h");
}

/* "a.cu:8, a.cu:9 and 2 more (step)": the places that copy. */
static const char *copy_places(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	const char *list = NULL, *function = NULL;
	size_t named = 0, more = 0;

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];
		const char *label;

		if (!is_copy(site))
			continue;
		label = xs_result_site_label(arena, site);
		if (!label || (list && strstr(list, label)))
			continue;
		if (!function && site->function)
			function = xs_arena_print(
			    arena, "%.*s", (int)strcspn(site->function, "("),
			    site->function);
		if (named++ < SITES_NAMED)
			list =
			    list ? xs_arena_print(arena, "%s, %s", list, label)
				 : label;
		else
			more++;
	}
	if (more)
		list = xs_arena_print(arena, "%s and %zu more", list, more);
	if (list && function)
		list = xs_arena_print(arena, "%s (%s)", list, function);
	return list ? list : "this phase";
}

static bool is_pageable(const char *memory)
{
	return memory && strcmp(memory, "pageable") == 0;
}

/* "64 MiB in at 9.5 GB/s from pageable memory", or the way out. */
static const char *copy_rate(struct xs_arena *arena, int64_t bytes, int64_t ns,
			     const char *way, const char *memory)
{
	if (bytes <= 0)
		return NULL;
	return xs_arena_print(
	    arena, "%s %s %s memory at %s", xs_units_bytes(bytes).s, way,
	    memory ? memory : "mixed", xs_units_rate(bytes, ns).s);
}

static const char *copy_rates(struct xs_arena *arena,
			      const struct xs_result_phase *phase)
{
	const char *in = copy_rate(arena, phase->h2d_bytes, phase->h2d_ns,
				   "in from", phase->src_memory);
	const char *out = copy_rate(arena, phase->d2h_bytes, phase->d2h_ns,
				    "out to", phase->dst_memory);

	if (in && out)
		return xs_arena_print(arena, "%s, %s", in, out);
	return in ? in : out ? out : "nothing";
}

static const char *say_pinned(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Allocate the host buffers of %s with cudaMallocHost, or pin "
	    "them once with cudaHostRegister: a round now moves %s.",
	    copy_places(arena, phase), copy_rates(arena, phase));
}

static const char *pin_first(const struct xs_result_phase *phase)
{
	return is_pageable(phase->src_memory) || is_pageable(phase->dst_memory)
		   ? " from pinned buffers (cudaHostRegister)"
		   : "";
}

/* Each direction and the kernels in turn, or already partly at once. */
static const char *overlap_now(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	if (phase->overlap_ns <= 0)
		return "now they take turns";
	return xs_arena_print(arena, "now they overlap for %s of %s",
			      xs_units_ns(phase->overlap_ns).s,
			      xs_units_ns(phase->round_ns).s);
}

/* What overlaps, of what there is. */
static const char *overlap_of(const struct xs_result_phase *phase)
{
	return phase->h2d_bytes > 0 && phase->d2h_bytes > 0
		   ? "copies in, kernels and copies out overlap"
		   : "copies and kernels overlap";
}

static const char *issue_of(const struct xs_result_estimate *estimate)
{
	if (!estimate->order)
		return "";
	return strcmp(estimate->order, "depth") == 0 ? ", issued chunk by chunk"
						     : ", issued kind by kind";
}

static const char *say_streams(struct xs_arena *arena,
			       const struct xs_result_phase *phase,
			       const struct xs_result_estimate *estimate)
{
	return xs_arena_print(
	    arena,
	    "Split the round of %s into %" PRId64 " chunks, a stream each%s, "
	    "with cudaMemcpyAsync%s, so that %s: %s.",
	    copy_places(arena, phase), estimate->n_streams, issue_of(estimate),
	    pin_first(phase), overlap_of(phase), overlap_now(arena, phase));
}

static const char *say_mapped(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Map the host buffers of %s (cudaHostAllocMapped) and let the "
	    "kernels use them without copies.",
	    copy_places(arena, phase));
}

static const char *say_hybrid(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	return xs_arena_print(
	    arena,
	    "Copy in over %" PRId64 " streams at %s and let the kernels "
	    "write their results to mapped host memory.",
	    estimate->n_streams == XS_UNKNOWN ? 1 : estimate->n_streams,
	    copy_places(arena, phase));
}

static const char *say_other(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate)
{
	return xs_arena_print(arena, "Use %s for %s.", estimate->strategy,
			      copy_places(arena, phase));
}

static const struct {
	const char *strategy;
	sentence *say;
} sentences[] = {
    {"pinned", say_pinned}, {"streams", say_streams}, {"mapped", say_mapped},
    {"hybrid", say_hybrid}, {NULL, say_other},
};

static const char *say(struct xs_arena *arena,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *estimate)
{
	size_t i = 0;

	while (sentences[i].strategy &&
	       strcmp(sentences[i].strategy, estimate->strategy) != 0)
		i++;
	return sentences[i].say(arena, phase, estimate);
}

/* The setup, and whether this run was long enough for it to pay. */
static const char *payback(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate)
{
	if (estimate->setup_ns == XS_UNKNOWN)
		return " What pinning costs here is not known, and not "
		       "counted.";
	if (estimate->setup_ns <= 0 || estimate->breakeven_rounds == XS_UNKNOWN)
		return "";
	if (estimate->breakeven_rounds > phase->rounds)
		return xs_arena_print(
		    arena,
		    " The setup of %s pays only after %" PRId64
		    " rounds; this run has %" PRId64 ".",
		    xs_units_ns(estimate->setup_ns).s,
		    estimate->breakeven_rounds, phase->rounds);
	return xs_arena_print(arena,
			      " The setup of %s has paid after %" PRId64
			      " of %" PRId64 " round%s.",
			      xs_units_ns(estimate->setup_ns).s,
			      estimate->breakeven_rounds, phase->rounds,
			      phase->rounds == 1 ? "" : "s");
}

/* Only the replay is believed. */
static bool is_candidate(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row,
			 const char *strategy, bool sure)
{
	if (!row->applies || row->round_ns == XS_UNKNOWN ||
	    strcmp(row->model, "replay") != 0 ||
	    strcmp(row->strategy, strategy) != 0)
		return false;
	return !sure ||
	       (row->round_ns < phase->round_ns && row->high_ns != XS_UNKNOWN &&
		row->high_ns < phase->round_ns);
}

/* Fewer streams are less to write, and what they lose is within the noise. */
static bool is_better(const struct xs_result_estimate *row,
		      const struct xs_result_estimate *best, int64_t fastest_ns)
{
	bool near = row->round_ns <= fastest_ns + fastest_ns / 100;

	if (!near)
		return false;
	if (row->n_streams != best->n_streams)
		return row->n_streams < best->n_streams;
	return row->round_ns < best->round_ns;
}

const struct xs_result_estimate *
xs_result_best(const struct xs_result_phase *phase, const char *strategy,
	       bool sure)
{
	const struct xs_result_estimate *rows = phase->estimates, *best = NULL;
	int64_t fastest_ns;

	for (size_t i = 0; i < phase->estimate_count; i++)
		if (is_candidate(phase, &rows[i], strategy, sure) &&
		    (!best || rows[i].round_ns < best->round_ns))
			best = &rows[i];
	if (!best)
		return NULL;
	fastest_ns = best->round_ns;
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (is_candidate(phase, &rows[i], strategy, sure) &&
		    is_better(&rows[i], best, fastest_ns))
			best = &rows[i];
	return best;
}

/* The first row of its strategy: each strategy is looked at once. */
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
	const char *strategy = phase->estimates[index].strategy;

	if (!is_first(phase, index) || strcmp(strategy, "as-is") == 0)
		return NULL;
	return xs_result_best(phase, strategy, true);
}

static void add_advice(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_result_estimate *estimate)
{
	struct xs_arena *arena = &result->arena;
	struct xs_result_advice *out = &result->advice[result->advice_count];
	bool kernels = strcmp(estimate->strategy, "pinned") != 0;
	const char *text = say(arena, phase, estimate);

	*out = (struct xs_result_advice){
	    .phase = phase,
	    .estimate = estimate,
	    .saves_percent = result->run.wall_ns == XS_UNKNOWN
				 ? NAN
				 : 100.0 * (double)estimate->saves_ns /
				       (double)result->run.wall_ns,
	    .text = xs_arena_print(arena, "%s%s%s", text ? text : "",
				   estimate->assumes_once ? once : "",
				   payback(arena, phase, estimate)),
	    .sites = xs_arena_alloc(arena, phase->site_count,
				    sizeof(const struct xs_result_site *)),
	};
	for (size_t i = 0; out->sites && i < phase->site_count; i++)
		if (is_copy(&phase->sites[i]) ||
		    (kernels && is_step(&phase->sites[i], "kernel")))
			out->sites[out->site_count++] = &phase->sites[i];
	result->advice_count++;
}

/* It holds only if each byte crosses the bus once, which nobody counted: it is
 * the most that can be had, and never the first advice. */
static bool is_bound(const struct xs_result_advice *advice)
{
	return advice->estimate->assumes_once;
}

/* What saves in this run, what saves at most, what would in a longer run. */
static int class_of(const struct xs_result_advice *advice)
{
	if (advice->estimate->saves_ns <= 0)
		return is_bound(advice) ? 3 : 2;
	return is_bound(advice) ? 1 : 0;
}

static int compare(const void *left, const void *right)
{
	const struct xs_result_advice *a = left, *b = right;
	int64_t x = a->estimate->saves_ns, y = b->estimate->saves_ns;

	if (class_of(a) != class_of(b))
		return class_of(a) - class_of(b);
	if (x != y)
		return x > y ? -1 : 1;
	return a->phase->id < b->phase->id ? -1 : a->phase->id > b->phase->id;
}

/* Where nothing firm leads, a bound must not: then it is no advice at all. */
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

int xs_result_advise(struct xs_result *result)
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
