/* SPDX-License-Identifier: MIT */
#include "report/plan/worth.h"

#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/result/best.h"
#include "report/result/number.h"

#include <math.h>
#include <string.h>

bool xs_worth_repeats(const struct xs_result *result)
{
	XS_EACH(phase, result->phases, result->phase_count) {
		if (phase->apart)
			continue;
		if (phase->rounds > 1)
			return true;
		XS_EACH(site, phase->sites, phase->site_count) {
			if (site->calls > 1 && site->bytes > 0)
				return true;
		}
	}
	return false;
}

int64_t xs_worth_steady_ns(const struct xs_result *result)
{
	const int64_t run_ns = xs_result_untraced_wall_ns(result);

	return xs_worth_repeats(result) || run_ns == XS_UNKNOWN
		   ? result->verdict.steady_ns
		   : run_ns;
}

int64_t xs_worth_whole_ns(const struct xs_result *result,
			  const struct xs_result_phase *phase)
{
	return phase->apart ? xs_result_untraced_wall_ns(result)
			    : xs_worth_steady_ns(result);
}

bool xs_worth_is_enough(const struct xs_result *result,
			const struct xs_result_phase *phase, double adds_ns)
{
	const int64_t whole_ns = xs_worth_whole_ns(result, phase);
	const int64_t part_ns =
	    xs_result_in_steady(phase, xs_number_round(adds_ns));

	return adds_ns > 0 && whole_ns != XS_UNKNOWN &&
	       part_ns >= whole_ns / XS_RESULT_LEAST_PART;
}

/* Less than 1 / LITTLE_PART of the run is little. */
#define LITTLE_PART 20

bool xs_worth_is_little(const struct xs_result *result, double adds_ns)
{
	return adds_ns <
	       (double)(xs_result_untraced_wall_ns(result) / LITTLE_PART);
}

double xs_worth_error_ns(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row, int64_t end_ns,
			 int64_t shared_ns)
{
	return end_ns == XS_UNKNOWN
		   ? 0
		   : xs_result_of_run(
			 phase,
			 xs_result_saving_error_ns(
			     (double)(end_ns - row->round_ns), shared_ns));
}

bool xs_worth_is_sure(const struct xs_result *result,
		      const struct xs_result_phase *phase,
		      const struct xs_result_estimate *row, double adds_ns)
{
	return xs_worth_is_enough(result, phase, adds_ns) &&
	       adds_ns > xs_worth_error_ns(phase, row, row->high_ns,
					   row->shared_high_ns);
}

/* How much shorter all n rounds may be in the mean, if one of them may be
 * shorter by `all`, of which the rounds of this run differ by `spread`:
 * sqrt(all^2 - spread^2 (1 - 1/n)). */
static double shorter_ns(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *as_is)
{
	const double all_ns = (double)(as_is->round_ns - as_is->known_low_ns);
	const double spread_ns = fmin(
	    (double)(as_is->round_ns - phase->round_low_ns + phase->tracer_ns),
	    all_ns);

	return spread_ns > 0
		   ? sqrt(all_ns * all_ns - spread_ns * spread_ns *
						(1 - 1 / (double)phase->rounds))
		   : all_ns;
}

double xs_worth_as_is_known_ns(const struct xs_result_phase *phase,
			       const struct xs_result_estimate *row)
{
	const struct xs_result_estimate *as_is =
	    xs_result_best(phase, xs_strategies[0]->id, false);

	return as_is && as_is->known_low_ns != XS_UNKNOWN
		   ? xs_result_of_run(phase, xs_result_saving_error_ns(
						 shorter_ns(phase, as_is),
						 row->shared_low_ns))
		   : 0;
}

/* Whether the row is only another number of pieces, and not faster than the
 * present one by more than its rounds differ. */
static bool is_same_in_pieces(const struct xs_result_phase *phase,
			      const struct xs_result_estimate *row)
{
	return xs_phase_estimate_is_in_pieces(phase, row) &&
	       row->known_high_ns >= phase->round_low_ns - phase->tracer_ns;
}

int64_t xs_worth_loss_ns(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row, bool with_setup)
{
	double ns = with_setup && row->setup_ns > 0 ? (double)row->setup_ns : 0;

	if (row->otherwise_ns == XS_UNKNOWN)
		return XS_UNKNOWN;
	ns += xs_result_of_run(
	    phase, (double)(row->otherwise_ns - xs_result_untraced_ns(phase)));
	return ns > 0 ? xs_number_round(ns) : 0;
}

/* What a run loses if the row's condition does not hold is little beside what
 * it gains if that holds: less than 1 / LOSS_PART. */
#define LOSS_PART 8

const struct xs_result_estimate *
xs_worth_best(const struct xs_result_phase *phase, const char *strategy)
{
	const struct xs_result_estimate *row =
	    xs_result_best(phase, strategy, true);

	if (row)
		return row;
	row = xs_result_best(phase, strategy, false);
	return row && row->otherwise_ns != XS_UNKNOWN &&
		       xs_worth_loss_ns(phase, row, true) <
			   row->saves_ns / LOSS_PART
		   ? row
		   : NULL;
}

bool xs_worth_lacks_next(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	return phase->rounds == 1 &&
	       (strcmp(row->strategy, "prefetch") == 0 ||
		(strcmp(row->strategy, "async") == 0 && !row->other_advice));
}

const struct xs_result_estimate *
xs_worth_candidate(const struct xs_result_phase *phase,
		   const struct xs_strategy *strategy)
{
	const struct xs_result_estimate *row =
	    strategy->effort == XS_EFFORT_NONE
		? NULL
		: xs_worth_best(phase, strategy->id);

	return row && row->saves_ns != XS_UNKNOWN && xs_result_may_hold(row) &&
		       !is_same_in_pieces(phase, row) &&
		       !xs_worth_lacks_next(phase, row)
		   ? row
		   : NULL;
}
