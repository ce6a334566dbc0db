/* SPDX-License-Identifier: MIT */
/* The most that changes of data movement save. */
#pragma once

#include "report/result/result.h"

/*
 * Returns the most that changes of data movement save of a round, ns. The
 * host's own code, the issuing of work and the kernels stay: at best, a round
 * takes the longer of the time in which nothing moved or waited, and of its
 * kernels. Where a strategy that is faster than now in any case, or the plan,
 * is predicted to take less, such as by kernels side by side, its time is the
 * least.
 */
int64_t xs_limit_of_round_ns(const struct xs_result *result,
			     const struct xs_result_phase *phase);

/* Returns what all rounds of the phase take beyond the usual one, ns, which a
 * change may save at most, too. */
int64_t xs_limit_beyond_usual_ns(const struct xs_result_phase *phase);

/* Fills verdict.at_most_saves_ns, of all rounds of the phases of the steady
 * part, and verdict.at_most_steady_ns, of those within it: at most the steady
 * part. Needs the plan and verdict.parts. */
void xs_limit_build(struct xs_result *result);
