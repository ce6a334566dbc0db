/* SPDX-License-Identifier: MIT */
/* The changes of one phase that are worth it, from the least effort on. */
#ifndef XS_REPORT_BUILD_LADDER_H
#define XS_REPORT_BUILD_LADDER_H

#include "report/result/result.h"

struct xs_strategy;

/* Steps of one phase. */
#define XS_RUNGS_MAX 6

/* A change and what it adds to the changes before it in its phase, ns of the
 * whole run: with its setup, and without. */
struct xs_rung {
	const struct xs_strategy *strategy;
	const struct xs_result_estimate *estimate;
	double adds_ns, rounds_add_ns;
};

struct xs_ladder {
	const struct xs_result_phase *phase;
	struct xs_rung rungs[XS_RUNGS_MAX];
	size_t count, done; /* done: already in the plan */
};

/* Fills the ladder of the phase; `done` becomes 0. */
void xs_ladder_build(const struct xs_result *result,
		     const struct xs_result_phase *phase,
		     struct xs_ladder *ladder);

/* Returns the row of the phase that saves most, and would be worth a step, if
 * its condition held, which is not to be expected. NULL: there is none. */
const struct xs_result_estimate *
xs_ladder_left_out(const struct xs_result *result,
		   const struct xs_result_phase *phase);

/* Returns a time per round as a time of the whole run, ns. */
double xs_ladder_of_run(const struct xs_result_phase *phase, double round_ns);

/* Returns how far the row may be off towards one end of its interval, ns of the
 * whole run. */
double xs_ladder_error_ns(const struct xs_result_phase *phase,
			  const struct xs_result_estimate *row, int64_t end_ns);

#endif
