/* SPDX-License-Identifier: MIT */
/* The changes of one phase that are worth it, from the least effort on. */
#pragma once

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
};

struct xs_phase_steps {
	const struct xs_result_phase *phase;
	struct xs_phase_step items[XS_PHASE_STEPS_MAX];
	size_t count, done; /* done: already in the plan */
	/* what pays in longer runs only; strategy NULL: nothing */
	struct xs_phase_step longer;
	bool for_longer;     /* the first step may be one for longer runs */
	bool longer_is_made; /* with that of a phase before */
};
