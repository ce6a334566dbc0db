/* SPDX-License-Identifier: MIT */
/* The changes of one phase that are worth it, from the least effort on. */
#ifndef XS_REPORT_PLAN_PHASE_STEPS_H
#define XS_REPORT_PLAN_PHASE_STEPS_H

#include "report/result/result.h"

struct xs_strategy;

/* Steps of one phase. */
#define XS_PHASE_STEPS_MAX 6

/* A change and what it adds to the changes before it in its phase, ns of the
 * whole run: with its setup, and without. */
struct xs_phase_step {
	const struct xs_strategy *strategy;
	const struct xs_result_estimate *estimate;
	double adds_ns, rounds_add_ns;
	/* the next step, if only that one is sure to save; NULL: this one is */
	const struct xs_strategy *whole;
};

struct xs_phase_steps {
	const struct xs_result_phase *phase;
	struct xs_phase_step items[XS_PHASE_STEPS_MAX];
	size_t count, done; /* done: already in the plan */
};

/* Fills the steps of the phase; `done` becomes 0. */
void xs_phase_steps_build(const struct xs_result *result,
			  const struct xs_result_phase *phase,
			  struct xs_phase_steps *steps);

/* Returns the row of the phase that saves most, and would be worth a step, if
 * its condition held, which is not to be expected. NULL: there is none. */
const struct xs_result_estimate *
xs_phase_steps_left_out(const struct xs_result *result,
			const struct xs_result_phase *phase);

/* Returns the row that saves most instead of all steps: *more_ns more than
 * these, which is more than it may be off. NULL: there is none. */
const struct xs_result_estimate *
xs_phase_steps_instead(const struct xs_result *result,
		       const struct xs_phase_steps *steps, double *more_ns);

/* Returns the row that would save most beside all steps, *adds_ns, without
 * changes of kernels, and is none of them, since it may be off by more. NULL:
 * there is none. */
const struct xs_result_estimate *
xs_phase_steps_uncertain(const struct xs_result *result,
			 const struct xs_phase_steps *steps, double *adds_ns);

#endif
