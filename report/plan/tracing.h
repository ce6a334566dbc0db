/* SPDX-License-Identifier: MIT */
/* What tracing takes of a round, and of the run, is taken off. */
#pragma once

#include "model/formulas/estimates.h"
#include "report/result/result.h"

/* Stores what tracing takes of a round of the phase, and of the run by that
 * many rounds, which were recorded, if it is worth naming: from 5 % of the
 * round on, of several rounds. */
void xs_tracing_set(const struct xs_estimates *estimates,
		    double recorded_rounds, struct xs_result_phase *phase);

/* Adds up the cost of tracing, known of all phases, and takes it off the time
 * of the run in all rows. */
void xs_tracing_untrace_runs(struct xs_result *result);

/* Sets as-is to the usual round without tracing.
 * Takes tracing off a round on another machine, which is the traced one; the
 * low end of as-is is of untraced rounds already. */
void xs_tracing_untrace(const struct xs_result_phase *phase,
			struct xs_result_estimate *out);
