/* SPDX-License-Identifier: MIT */
/* The best estimate of a strategy, and what else is asked of rows and steps. */
#pragma once

#include "report/result/result.h"

/*
 * Selects the estimate of a strategy to recommend. Candidates are replay rows
 * that apply; among those within 1 % of the fastest, the one with the fewest
 * streams, or a power of two within its interval; or, up to 10 % slower, the
 * best one whose time is known. Bounds are compared by their
 * worst-case loss, with and without their conditions. sure: only rows faster
 * than the phase today, even at the slow end of their interval, or for a bound
 * even without its condition. Returns NULL if none applies.
 */
const struct xs_result_estimate *
xs_result_best(const struct xs_result_phase *phase, const char *strategy,
	       bool sure);

/* Returns what is saved of this run, ns, and no more than the verdict says if
 * that is known. */
int64_t xs_result_capped_ns(const struct xs_result *result, int64_t ns);

/* Returns whether the row is a replay, not a published equation. */
bool xs_result_is_replay(const struct xs_result_estimate *row);

/* Returns whether the row is the best of its strategy, or of the number of
 * streams that was asked for. */
bool xs_result_is_listed(const struct xs_result *result,
			 const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row);

/* Returns whether a step of the plan is of the phase. */
bool xs_result_is_in_plan(const struct xs_result *result,
			  const struct xs_result_phase *phase);

/* Returns how far what a row saves may be off, of off_ns by which its time may
 * be off: without shared_ns of that, which moves the round now as well. */
double xs_result_saving_error_ns(double off_ns, int64_t shared_ns);

/* Returns what of the row's saving a step of the other one has, too, ns a
 * round, if they are apart: of allocations, which take less beside pinned
 * copies. XS_UNKNOWN: they are not apart. */
int64_t xs_result_both_save_ns(const struct xs_result_estimate *row,
			       const struct xs_result_estimate *other);

/* Returns one end of a round of the row, which is with_ns beside other steps,
 * ns: without what the host's own time moves of the present round, too. more:
 * the one that saves more. */
double xs_result_round_end_ns(const struct xs_result_estimate *row,
			      double with_ns, bool more);

/* Returns whether the row is a replay that is faster than the round now in any
 * case, as far as the causes of its error are known. */
bool xs_result_is_faster(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row);

/* Returns whether the time of a row's round is known: its interval is no wider
 * than the time, or it was recorded. Of any other only the interval is told. */
bool xs_result_is_known(const struct xs_result_estimate *row);

/* Returns whether the rounds as they are differ by more than their time. Then
 * that the time of a change is not known tells nothing of the change. */
bool xs_result_is_noisy(const struct xs_result_phase *phase);

/* Returns whether the step is made for the phase, alone or with others. */
bool xs_result_step_is_of(const struct xs_result_step *step,
			  const struct xs_result_phase *phase);

/* Returns what the step saves of the run by the phase's rounds, ns, beside the
 * steps before; of a phase that it is not made for, by those of its own. */
int64_t xs_result_step_saves_ns(const struct xs_result_step *step,
				const struct xs_result_phase *phase);

/* Returns whether a round copies pageable memory. */
bool xs_result_is_pageable(const struct xs_result_phase *phase);

/* Returns the host's time between rounds, if it is worth a mention and copies
 * of a row run during it; else 0. With it, the rows' times can be compared:
 * they are the times from one round to the next. */
int64_t xs_result_used_between_ns(const struct xs_result_phase *phase);

/*
 * Returns whether the bound's condition may be expected to hold. How often
 * bytes cross the bus, no reader of the program can tell. Data that is copied
 * again has changed, unless its contents show otherwise; if
 * it was just copied out, it is a result.
 */
bool xs_result_may_hold(const struct xs_result_estimate *row);
