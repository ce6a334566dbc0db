/* SPDX-License-Identifier: MIT */
#pragma once

#include "report/result/result.h"

/* Returns how to apply the estimate's strategy to the phase, as sentences. The
 * arena owns the text. */
const char *xs_advice_text(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate);

/* Returns the same in a few words, as an imperative, with `places` for the call
 * sites; NULL: these themselves. Ownership as above. */
const char *xs_advice_first(struct xs_arena *arena,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *estimate,
			    const char *places);

/* Returns the call sites that the strategy changes: "a.cu:8, a.cu:9 and 2 more
 * (step)". The arena owns the text. */
const char *xs_advice_places(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate);

/* Returns whether the site is one of those that the estimate's strategy
 * changes: copies, for some strategies launches, too, or only copies in, or
 * only those of a direction with many copies, or only allocations. */
bool xs_advice_is_about(const struct xs_result_phase *phase,
			const struct xs_result_estimate *estimate,
			const struct xs_result_site *site);
