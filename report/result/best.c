/* SPDX-License-Identifier: MIT */
#include "report/result/best.h"

#include "model/strategies/strategies.h"
#include "report/result/number.h"

#include <math.h>
#include <string.h>

double xs_result_saving_error_ns(double off_ns, int64_t shared_ns)
{
	const double both_ns = shared_ns == XS_UNKNOWN ? 0 : (double)shared_ns;

	return sqrt(fmax(off_ns * off_ns - both_ns * both_ns, 0));
}

int64_t xs_result_both_save_ns(const struct xs_result_estimate *row,
			       const struct xs_result_estimate *other)
{
	const struct xs_strategy *its = xs_strategy_find(row->strategy);
	const struct xs_strategy *others = xs_strategy_find(other->strategy);
	const unsigned both = XS_CHANGES_PINNING | XS_CHANGES_ALLOCATION;

	if (!its || !others || !xs_strategy_are_apart(its, others))
		return XS_UNKNOWN;
	return (its->changes | others->changes) != both ? 0
	       : its->changes == XS_CHANGES_PINNING	? row->calls_ns
							: other->calls_ns;
}

double xs_result_round_end_ns(const struct xs_result_estimate *row,
			      double with_ns, bool more)
{
	const double off_ns = xs_result_saving_error_ns(
	    (double)((more ? row->low_ns : row->high_ns) - row->round_ns),
	    more ? row->shared_low_ns : row->shared_high_ns);
	const double off = fabs(with_ns) * off_ns / (double)row->round_ns;

	return with_ns + (more ? -off : off);
}

/* The longest time that a round may take, if one now takes its usual time. For
 * a bound that is its time without the condition, which ranks the row. */
static int64_t at_most_ns(const struct xs_result_estimate *row)
{
	int64_t most_ns = row->round_ns;
	double off_ns;

	if (row->otherwise_ns != XS_UNKNOWN)
		return row->otherwise_ns;
	if (row->known_high_ns == XS_UNKNOWN)
		return XS_UNKNOWN;
	off_ns = (double)row->known_high_ns - (double)row->round_ns;
	xs_number_add(&most_ns, xs_number_round(xs_result_saving_error_ns(
				    off_ns, row->shared_high_ns)));
	return most_ns;
}

int64_t xs_result_capped_ns(const struct xs_result *result, int64_t ns)
{
	const int64_t most_ns = result->verdict.at_most_saves_ns;

	return most_ns != XS_UNKNOWN && ns > most_ns ? most_ns : ns;
}

bool xs_result_is_replay(const struct xs_result_estimate *row)
{
	return strcmp(row->model, "replay") == 0;
}

/* Only replay rows are candidates. */
static bool is_timed_replay(const struct xs_result_estimate *row)
{
	return row->applies && row->round_ns != XS_UNKNOWN &&
	       xs_result_is_replay(row);
}

bool xs_result_is_faster(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	return is_timed_replay(row) &&
	       row->round_ns < xs_result_untraced_ns(phase) &&
	       at_most_ns(row) != XS_UNKNOWN &&
	       at_most_ns(row) < xs_result_untraced_ns(phase);
}

/* A row of known time is preferred up to a tenth of the best one's time. */
#define NEAR 10

/* Which rows are compared. */
struct wanted {
	const char *strategy;
	bool sure, known;
};

static bool is_candidate(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row,
			 const struct wanted *wanted)
{
	return strcmp(row->strategy, wanted->strategy) == 0 &&
	       is_timed_replay(row) &&
	       (!wanted->sure || xs_result_is_faster(phase, row)) &&
	       (!wanted->known || xs_result_is_known(row));
}

static bool is_breadth(const struct xs_result_estimate *row)
{
	return row->order && strcmp(row->order, "breadth") == 0;
}

/* Of one strategy's rows: the least time, and the least time without the
 * bounds' conditions. */
struct least {
	int64_t round_ns, otherwise_ns;
};

static int64_t otherwise_ns(const struct xs_result_estimate *row)
{
	return row->otherwise_ns != XS_UNKNOWN ? row->otherwise_ns
					       : row->round_ns;
}

static void take_least(struct least *least,
		       const struct xs_result_estimate *row)
{
	if (row->round_ns < least->round_ns)
		least->round_ns = row->round_ns;
	if (otherwise_ns(row) < least->otherwise_ns)
		least->otherwise_ns = otherwise_ns(row);
}

/* The worst-case ratio to the fastest row, with and without the conditions. */
static double loss(const struct xs_result_estimate *row,
		   const struct least *least)
{
	return fmax((double)row->round_ns / (double)least->round_ns,
		    (double)otherwise_ns(row) / (double)least->otherwise_ns);
}

/*
 * Prefers chunk-by-chunk order: issued stage by stage, kernels share hardware
 * queues and wait behind kernels whose input arrives later, by an uncertain
 * time (docs/accuracy.md). Then prefers fewer streams, which need less code.
 */
static bool is_better(const struct xs_result_estimate *row,
		      const struct xs_result_estimate *best)
{
	if (is_breadth(row) != is_breadth(best))
		return is_breadth(best);
	if (row->n_streams != best->n_streams)
		return row->n_streams < best->n_streams;
	return row->round_ns < best->round_ns;
}

static bool is_power_of_two(int64_t n)
{
	return n == XS_UNKNOWN || !(n & (n - 1));
}

/* The fastest number of pieces that is a power of two, which divides most data
 * evenly, if it is as fast as the best one within the latter's interval. */
static const struct xs_result_estimate *
even(const struct xs_result_phase *phase, const struct xs_result_estimate *best,
     const struct least *least, const struct wanted *wanted)
{
	const struct xs_result_estimate *found = NULL;
	double least_loss = loss(best, least) * (double)best->known_high_ns /
			    (double)best->round_ns;

	XS_EACH(row, phase->estimates, phase->estimate_count) {
		if (is_candidate(phase, row, wanted) &&
		    is_power_of_two(row->n_streams) &&
		    is_breadth(row) == is_breadth(best) &&
		    loss(row, least) <= least_loss) {
			found = row;
			least_loss = loss(row, least);
		}
	}
	return found ? found : best;
}

static const struct xs_result_estimate *
best_of(const struct xs_result_phase *phase, const struct wanted *wanted)
{
	const struct xs_result_estimate *rows = phase->estimates, *best = NULL;
	struct least least = {INT64_MAX, INT64_MAX};
	double least_loss = INFINITY;

	for (size_t i = 0; i < phase->estimate_count; i++)
		if (is_candidate(phase, &rows[i], wanted))
			take_least(&least, &rows[i]);
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (is_candidate(phase, &rows[i], wanted))
			least_loss = fmin(least_loss, loss(&rows[i], &least));
	for (size_t i = 0; i < phase->estimate_count; i++)
		if (is_candidate(phase, &rows[i], wanted) &&
		    loss(&rows[i], &least) <= 1.01 * least_loss &&
		    (!best || is_better(&rows[i], best)))
			best = &rows[i];
	return !best || is_power_of_two(best->n_streams)
		   ? best
		   : even(phase, best, &least, wanted);
}

const struct xs_result_estimate *
xs_result_best(const struct xs_result_phase *phase, const char *strategy,
	       bool sure)
{
	const struct wanted known = {strategy, sure, true},
			    any = {strategy, sure, false};
	const struct xs_result_estimate *best = best_of(phase, &any), *row;

	if (!best || xs_result_is_known(best))
		return best;
	row = best_of(phase, &known);
	return row && row->round_ns <= best->round_ns + best->round_ns / NEAR
		   ? row
		   : best;
}

bool xs_result_may_hold(const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);

	return !row->bound ||
	       (!row->assumes_once && !row->doubtful &&
		!(strategy && strategy->changes & XS_CHANGES_TRAFFIC));
}

bool xs_result_is_listed(const struct xs_result *result,
			 const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	const bool asked = row->n_streams != XS_UNKNOWN &&
			   row->n_streams == result->streams_asked;

	return row == xs_result_best(phase, row->strategy, false) ||
	       (asked && row->applies && xs_result_is_replay(row));
}

bool xs_result_step_is_of(const struct xs_result_step *step,
			  const struct xs_result_phase *phase)
{
	for (size_t i = 0; i < step->more_count; i++)
		if (step->more_phases[i].phase == phase)
			return true;
	return step->phase == phase;
}

int64_t xs_result_step_saves_ns(const struct xs_result_step *step,
				const struct xs_result_phase *phase)
{
	int64_t saves_ns = step->adds_saves_ns;

	for (size_t i = 0; i < step->more_count; i++) {
		if (step->more_phases[i].phase == phase)
			return step->more_phases[i].adds_saves_ns;
		saves_ns -= step->more_phases[i].adds_saves_ns;
	}
	return saves_ns;
}

bool xs_result_is_in_plan(const struct xs_result *result,
			  const struct xs_result_phase *phase)
{
	for (size_t i = 0; i < result->plan_count; i++)
		if (xs_result_step_is_of(&result->plan[i], phase))
			return true;
	return false;
}

static bool is_narrow(const struct xs_result_estimate *row)
{
	return row->high_ns != XS_UNKNOWN &&
	       (double)row->high_ns - (double)row->low_ns <=
		   (double)row->round_ns;
}

bool xs_result_is_known(const struct xs_result_estimate *row)
{
	return row->effort_level == XS_EFFORT_NONE || is_narrow(row);
}

bool xs_result_is_noisy(const struct xs_result_phase *phase)
{
	const struct xs_result_estimate *as_is =
	    xs_result_best(phase, "as-is", false);

	return as_is && !is_narrow(as_is);
}

static bool is_pageable(const char *memory)
{
	return memory && strcmp(memory, "pageable") == 0;
}

bool xs_result_is_pageable(const struct xs_result_phase *phase)
{
	return is_pageable(phase->src_memory) || is_pageable(phase->dst_memory);
}

/* Less than 1 / BETWEEN_PART of a round is not told. */
#define BETWEEN_PART 50

int64_t xs_result_used_between_ns(const struct xs_result_phase *phase)
{
	XS_EACH(row, phase->estimates, phase->estimate_count) {
		if (row->applies && row->between_ns > 0 &&
		    row->between_ns >=
			xs_result_untraced_ns(phase) / BETWEEN_PART)
			return row->between_ns;
	}
	return 0;
}
