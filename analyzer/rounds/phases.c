/* SPDX-License-Identifier: MIT */
/* Groups rounds to phases, by key, then by bytes in, then by bytes out, and has
 * each phase measured. */
#include "analyzer/rounds/phase.h"

#include "analyzer/rounds/allocation_starts.h"
#include "analyzer/rounds/connections.h"
#include "analyzer/rounds/measure.h"
#include "analyzer/rounds/rounds.h"
#include "analyzer/rounds/setup_calls.h"
#include "analyzer/rounds/staged_copies.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rounds are alike if their bytes differ by less than about 5 % from their
 * middle: the largest may have 10 % more than the smallest.
 */
#define TOLERANCE_DIVISOR 10

/* The properties that the rounds of a phase share, in the order of comparison.
 * Copies of pageable memory take other time than those of pinned memory at the
 * same call site, or where sites are unknown. */
enum level { LEVEL_KEY, LEVEL_H2D, LEVEL_D2H, LEVELS };

struct grouper {
	const struct xs_trace *trace;
	const struct xs_rounds *rounds;
	struct xs_phases *phases;
	bool *used;	 /* by round: partial rounds are mostly unused */
	double *weights; /* by round; NULL: all were recorded */
	uint32_t *row_of_identity;
	size_t call_steps; /* that may still be made: see xs_steps_build() */
};

static uint64_t level_value(const struct xs_round *round, enum level level)
{
	switch (level) {
	case LEVEL_KEY:
		return xs_hash_mix(xs_hash_mix(round->key, round->memory),
				   round->device);
	case LEVEL_H2D:
		return round->h2d_bytes;
	default:
		return round->d2h_bytes;
	}
}

static bool alike(uint64_t first, uint64_t value, enum level level)
{
	return level == LEVEL_KEY ? first == value
				  : value - first <= first / TOLERANCE_DIVISOR;
}

/* Returns the rounds whose ops were recorded between the phase's first and its
 * last one: a window may end, and the next one begin, within a round. */
static uint64_t recorded_rounds(const struct grouper *g,
				const struct xs_phase_members *m,
				const struct xs_phase *phase)
{
	const uint64_t ops = xs_phase_member(m, 0)->op_count;
	uint64_t cut_ops = 0;

	for (size_t i = 0; i < g->rounds->count; i++) {
		const struct xs_round *round = &g->rounds->items[i];

		if (!g->used[i] && round->begin_ns > phase->first_start_ns &&
		    round->end_ns < phase->last_end_ns)
			cut_ops += round->op_count;
	}
	return m->count + (ops ? cut_ops / ops : 0);
}

/* Scales the phase to the whole run if its rounds are a sample. */
static void scale_to_run(const struct grouper *g,
			 const struct xs_phase_members *m,
			 struct xs_phase *phase)
{
	double weight = 0;

	for (size_t i = 0; i < m->count; i++)
		weight += g->weights[m->keys[i].index];
	weight /= (double)m->count;
	phase->rounds = xs_weighted(phase->rounds, weight);
	if (!phase->rounds)
		phase->rounds = 1;
	phase->recorded_rounds = recorded_rounds(g, m, phase);
	if (g->trace->skipped || phase->recorded_rounds > phase->rounds)
		phase->recorded_rounds = phase->rounds;
	phase->total_ns = xs_weighted(phase->total_ns, weight);
	phase->concurrent_ns = xs_weighted(phase->concurrent_ns, weight);
	phase->wall_ns = xs_weighted(phase->wall_ns, weight);
	XS_EACH_MUTABLE(site, phase->sites, phase->site_count) {
		site->calls = xs_weighted(site->calls, weight);
		site->bytes = xs_weighted(site->bytes, weight);
	}
}

/* Copies the repeat counts of each site to its steps. */
static void copy_repeats_to_steps(struct xs_phase *phase)
{
	XS_EACH(site, phase->sites, phase->site_count) {
		for (size_t j = 0;
		     site->repeats.compared > 0 && j < phase->step_count; j++)
			if (phase->steps[j].kind == site->step_kind &&
			    phase->steps[j].site == site->site)
				phase->steps[j].repeats = site->repeats;
	}
}

static void add_phase(struct grouper *g, struct xs_key *keys, size_t count)
{
	struct xs_phase_members members = {.trace = g->trace,
					   .rounds = g->rounds,
					   .keys = keys,
					   .count = count,
					   .row_of_identity =
					       g->row_of_identity};
	struct xs_phases *phases = g->phases;
	struct xs_phase *phase;
	uint32_t median_round;

	XS_ARRAY_ADD(phases->items, phases->count, (struct xs_phase){0});
	phase = &phases->items[phases->count - 1];
	phase->imported = xs_trace_find_info(g->trace, "imported") != NULL;
	xs_measure_times(&members, phase, &median_round);
	xs_phase_sites_measure(&members, phase);
	xs_signature_build(&members, phase);
	xs_steps_build(g->trace, g->rounds, median_round, &g->call_steps,
		       phase);
	xs_same_host_find(&members, phase);
	if (g->trace->pointers_count)
		xs_sample_rounds_find(&members, phase);
	if (g->rounds->same)
		copy_repeats_to_steps(phase);
	if (g->weights)
		scale_to_run(g, &members, phase);
}

/* Splits rounds that agree in all levels before `level` into groups that agree
 * in it, too. */
static void split(struct grouper *g, struct xs_key *keys, size_t count,
		  int level)
{
	if (level == LEVELS) {
		/* in the order of time, whatever they were grouped by */
		for (size_t i = 0; i < count; i++)
			keys[i].key = keys[i].index;
		xs_keys_sort(keys, count);
		add_phase(g, keys, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		keys[i].key = level_value(&g->rounds->items[keys[i].index],
					  (enum level)level);
	xs_keys_sort(keys, count);
	for (size_t first = 0, end; first < count; first = end) {
		uint64_t value = keys[first].key;

		for (end = first + 1; end < count && alike(value, keys[end].key,
							   (enum level)level);
		     end++)
			;
		split(g, keys + first, end - first, level + 1);
	}
}

static int by_total(const void *a, const void *b)
{
	const struct xs_phase *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->first_start_ns != y->first_start_ns)
		return x->first_start_ns < y->first_start_ns ? -1 : 1;
	return x->signature_hash < y->signature_hash
		   ? -1
		   : x->signature_hash > y->signature_hash;
}

/* Distinguishes phases whose signatures read the same but whose sites or kinds
 * of memory differ. */
static void disambiguate(struct xs_phase *phase)
{
	const uint64_t hash =
	    xs_hash_mix(xs_hash_mix(phase->signature_hash, phase->src_memory),
			phase->dst_memory);
	char *marked;

	if (asprintf(&marked, "%s #%04x", phase->signature,
		     (unsigned)(hash >> 48)) < 0)
		xs_no_memory();
	free(phase->signature);
	phase->signature = marked;
}

static int by_signature(const void *a, const void *b)
{
	const struct xs_phase *const *x = a, *const *y = b;

	return strcmp((*x)->signature, (*y)->signature);
}

static void disambiguate_all(struct xs_phases *phases)
{
	struct xs_phase **sorted =
	    xs_malloc((phases->count + 1) * sizeof(*sorted));
	bool equal = false;

	for (size_t i = 0; i < phases->count; i++)
		sorted[i] = &phases->items[i];
	qsort(sorted, phases->count, sizeof(*sorted), by_signature);
	for (size_t i = 0; i < phases->count; i++) {
		bool next = i + 1 < phases->count &&
			    by_signature(&sorted[i], &sorted[i + 1]) == 0;

		if (equal || next)
			disambiguate(sorted[i]);
		equal = next;
	}
	free(sorted);
}

/* Rounds cut by the edge of a sample window are used only if all rounds are. */
static bool all_are_partial(const struct xs_rounds *rounds)
{
	for (size_t i = 0; i < rounds->count; i++)
		if (!rounds->items[i].partial)
			return false;
	return true;
}

static void choose_rounds(struct grouper *g)
{
	const struct xs_rounds *rounds = g->rounds;
	bool use_partial = all_are_partial(rounds);

	for (size_t i = 0; i < rounds->count; i++)
		g->used[i] = use_partial || !rounds->items[i].partial;
}

/* Returns the number of rounds of the run that a recorded one stands for: what
 * its op's call stands for whose like was recorded least often, in the mean of
 * several. Calls recorded more often may also be of another kind of round. */
static double weight_of(const struct grouper *g,
			const struct xs_weights *weights,
			const struct xs_round *round)
{
	uint32_t rarest = UINT32_MAX, count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < round->op_count; i++) {
		const uint32_t op = xs_round_op(g->rounds, round, i);
		const uint32_t call = g->trace->ops[op].call;
		const uint32_t recorded =
		    call == XS_NONE ? UINT32_MAX : weights->recorded[call];

		if (recorded > rarest)
			continue;
		if (recorded < rarest)
			sum = count = 0;
		rarest = recorded;
		sum += xs_weight(weights->calls, call);
		count++;
	}
	return count ? sum / count : 1;
}

static void weigh_rounds(struct grouper *g)
{
	const struct xs_rounds *rounds = g->rounds;
	struct xs_weights weights = {0};
	bool *used = xs_calloc(g->trace->call_count + 1, sizeof(*used));

	g->weights = xs_calloc(rounds->count + 1, sizeof(*g->weights));
	for (size_t i = 0; i < rounds->count; i++) {
		const struct xs_round *round = &rounds->items[i];

		for (uint32_t j = 0; g->used[i] && j < round->call_count; j++)
			used[rounds->calls[round->first_call + j]] = true;
	}
	xs_weights_build(g->trace, used, &weights);
	for (size_t i = 0; i < rounds->count; i++)
		g->weights[i] = weight_of(g, &weights, &rounds->items[i]);
	xs_weights_free(&weights);
	free(used);
}

static void group_rounds(struct grouper *g)
{
	const struct xs_rounds *rounds = g->rounds;
	struct xs_key *keys = xs_malloc((rounds->count + 1) * sizeof(*keys));
	size_t count = 0;

	g->used = xs_calloc(rounds->count + 1, sizeof(*g->used));
	g->row_of_identity =
	    xs_calloc(rounds->table.count + 1, sizeof(*g->row_of_identity));
	choose_rounds(g);
	if (xs_trace_is_sampled(g->trace))
		weigh_rounds(g);
	for (size_t i = 0; i < rounds->count; i++)
		if (g->used[i])
			keys[count++].index = (uint32_t)i;
	g->phases->rounds = count;
	split(g, keys, count, LEVEL_KEY);
	free(g->weights);
	free(g->used);
	free(keys);
	free(g->row_of_identity);
}

void xs_phases_build(const struct xs_trace *trace, struct xs_phases *phases)
{
	struct xs_rounds rounds;
	struct grouper grouper = {.trace = trace,
				  .rounds = &rounds,
				  .phases = phases,
				  .call_steps = 2 * trace->call_count};

	*phases = (struct xs_phases){0};
	/* queues of another tool do not tell what a round is */
	if (!trace->call_count && xs_trace_find_info(trace, "imported"))
		return;
	xs_rounds_build(trace, &rounds);
	xs_rounds_add_setup_calls(trace, &rounds);
	xs_rounds_begin_with_staging(trace, &rounds);
	xs_rounds_find_concurrent(&rounds);
	xs_allocation_starts_find(trace, &rounds.starts);
	group_rounds(&grouper);
	xs_rounds_free(&rounds);
	if (phases->count > 0) {
		qsort(phases->items, phases->count, sizeof(*phases->items),
		      by_total);
		for (size_t i = 0; i < phases->count; i++)
			phases->items[i].id = (uint32_t)i + 1;
		xs_connections_fill(trace, phases);
		disambiguate_all(phases);
	}
}

void xs_phases_free(struct xs_phases *phases)
{
	for (size_t i = 0; i < phases->count; i++) {
		free(phases->items[i].signature);
		free(phases->items[i].steps);
		free(phases->items[i].sites);
	}
	free(phases->items);
	free(phases->counts);
	*phases = (struct xs_phases){0};
}
