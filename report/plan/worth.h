/* SPDX-License-Identifier: MIT */
/* When a row is worth a step of the plan. Times are ns of the whole run. */
#pragma once

#include "report/result/result.h"

struct xs_strategy;

/* Returns whether a phase of the steady part has several rounds, or a line
 * copies several times in its one round. If not, a longer run need not copy
 * more. */
bool xs_worth_repeats(const struct xs_result *result);

/* Returns the time that savings of the steady part are held against: its own
 * or, for what comes once, that of the run if it is known. */
int64_t xs_worth_steady_ns(const struct xs_result *result);

/* The same for savings of the phase. */
int64_t xs_worth_whole_ns(const struct xs_result *result,
			  const struct xs_result_phase *phase);

/* Returns whether it is worth a step in that time. */
bool xs_worth_is_enough(const struct xs_result *result,
			const struct xs_result_phase *phase, double adds_ns);

/* Returns whether it is little of the run; the report then tells what longer
 * runs save. */
bool xs_worth_is_little(const struct xs_result *result, double adds_ns);

/* Returns how far what is saved of the run may be off, since the row's time may
 * be end_ns. shared_ns of that moves the other one of the two rounds as well.
 */
double xs_worth_error_ns(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row, int64_t end_ns,
			 int64_t shared_ns);

/* Returns whether the row adds enough, and more than it may be off. */
bool xs_worth_is_sure(const struct xs_result *result,
		      const struct xs_result_phase *phase,
		      const struct xs_result_estimate *row, double adds_ns);

/* Returns how much shorter the unchanged rounds may be in another run by known
 * causes, without the tracer, and the row's rounds not as well. */
double xs_worth_as_is_known_ns(const struct xs_result_phase *phase,
			       const struct xs_result_estimate *row);

/* Returns what the run loses if the row's condition does not hold, XS_UNKNOWN
 * without a known one. with_setup: the phase pays the setup. */
int64_t xs_worth_loss_ns(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row, bool with_setup);

/* Returns the strategy's row to use, if it is faster than the round now in any
 * case, or loses little if its condition does not hold; else NULL. */
const struct xs_result_estimate *
xs_worth_best(const struct xs_result_phase *phase, const char *strategy);

/* Returns the strategy's estimate, if it may be a step; NULL: it may not. */
const struct xs_result_estimate *
xs_worth_candidate(const struct xs_result_phase *phase,
		   const struct xs_strategy *strategy);

/* Returns whether the row overlaps work of a next round, of which the phase has
 * none. */
bool xs_worth_lacks_next(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row);
