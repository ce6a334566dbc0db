/* SPDX-License-Identifier: MIT */
/* The rows of a phase: estimates, and what each saves of the whole run. */
#pragma once

#include "model/formulas/estimates.h"
#include "report/result/result.h"

/* Fills out from the estimate of a phase; a replayed round saves no more than
 * xs_phase_estimate_most_ns(), unless its buffers outlast it: then only what
 * the run saves is limited by it. Needs result->run and result->machine_choice.
 */
void xs_phase_estimate_build(struct xs_result *result,
			     const struct xs_result_phase *phase,
			     const struct xs_estimate *in,
			     struct xs_result_estimate *out);

/* Counts the host's time between rounds in all speedups of a phase of which one
 * row uses it (xs_result_used_between_ns()), so that they compare. */
void xs_phase_estimate_count_between(struct xs_result_phase *phase);

/*
 * Returns the most that a round saves by changes (enum xs_strategy_change,
 * or-ed), ns: what moves or waits, and allocations if they change. The host's
 * own work and the issuing of kernels stay, but copies that are merged are not
 * issued. Rounds side by side share their GPU and its link. XS_UNKNOWN: not
 * limited, or not known.
 */
int64_t xs_phase_estimate_most_ns(const struct xs_result_phase *phase,
				  unsigned changes);

/* Returns whether the round already works in pieces on several streams, so that
 * the row is only another number of them. */
bool xs_phase_estimate_is_in_pieces(const struct xs_result_phase *phase,
				    const struct xs_result_estimate *row);

/* Returns how far the row may be off towards one end of its interval, ns of the
 * whole run. */
double xs_phase_estimate_error_ns(const struct xs_result_phase *phase,
				  const struct xs_result_estimate *row,
				  int64_t end_ns);

/* Returns the least share of the whole gain that a further step of this row has
 * to add: some for changed kernels, and half for new kernels on a condition. */
double xs_phase_estimate_least_share(const struct xs_result_estimate *row);
