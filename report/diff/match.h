/* SPDX-License-Identifier: MIT */
/* Matches the phases of two runs. */
#pragma once

#include "report/diff/diff.h"

/* Fills diff->phases with matches and with phases without one. */
void xs_diff_match(struct xs_diff *diff);

/* Returns the phase of the run after that xs_diff_match() matched with one of
 * the run before by more than their order; NULL: none. */
const struct xs_result_phase *xs_match_of(const struct xs_diff *diff,
					  const struct xs_result_phase *phase);

/* Returns whether two runs have a kernel in common; of runs without kernels,
 * whether phases of them copy in the same directions. True if both are without
 * phases. */
bool xs_match_any(const struct xs_result *one, const struct xs_result *other);
