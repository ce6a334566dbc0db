/* SPDX-License-Identifier: MIT */
#include "report/plan/tracing.h"

#include "model/strategies/strategies.h"
#include "report/result/number.h"

#include <math.h>
#include <string.h>

/* A smaller part of a round is not told: replay is off by as much. */
#define LEAST_TRACER 20 /* a round in parts */

/* More for each op is no tracing: all of 169 repeated phases have less, 95 % of
 * them less than a fifth. Calls of a single round may be longer for being the
 * first ones, such as those that load kernels. */
#define MOST_TRACER_NS 50000
#define SINGLE_PART    5

void xs_tracing_set(const struct xs_estimates *estimates,
		    double recorded_rounds, struct xs_result_phase *phase)
{
	const int64_t ops = phase->h2d_ops + phase->kernels + phase->d2h_ops;
	/* the GPU's work is no tracing */
	const double gpu_ns =
	    fmax((double)phase->kernel_busy_ns,
		 (double)(phase->h2d_ns > phase->d2h_ns ? phase->h2d_ns
							: phase->d2h_ns));
	const double most_ns = fmin((double)phase->round_ns - gpu_ns,
				    (double)ops * MOST_TRACER_NS /
					(phase->rounds > 1 ? 1 : SINGLE_PART));

	XS_EACH(row, estimates->items, estimates->count) {
		/* side by side, a round waits for the others' work, too; the
		 * replay of ops that run behind their round is longer than it
		 */
		if (xs_result_share(phase) == 1 &&
		    row->tracer_ns < (double)phase->round_ns &&
		    row->tracer_ns <= most_ns &&
		    row->tracer_ns >= (double)phase->round_ns / LEAST_TRACER)
			phase->tracer_ns = xs_number_round(row->tracer_ns);
	}
	phase->tracing_ns =
	    xs_number_round((double)phase->tracer_ns * recorded_rounds);
}

void xs_tracing_untrace_runs(struct xs_result *result)
{
	int64_t by_ns;

	for (size_t i = 0; i < result->phase_count; i++)
		xs_number_add(&result->run.tracer_ns,
			      result->phases[i].tracing_ns);
	by_ns = -result->run.tracer_ns;
	XS_EACH_MUTABLE(phase, result->phases, result->phase_count) {
		XS_EACH_MUTABLE(row, phase->estimates, phase->estimate_count) {
			xs_number_add_known(&row->app_wall_ns, by_ns);
			xs_number_add_known(&row->app_wall_low_ns, by_ns);
			xs_number_add_known(&row->app_wall_high_ns, by_ns);
		}
	}
}

void xs_tracing_untrace(const struct xs_result_phase *phase,
			struct xs_result_estimate *out)
{
	const int64_t by_ns =
	    phase->tracer_ns < out->round_ns ? phase->tracer_ns : out->round_ns;

	if (!out->applies || out->round_ns == XS_UNKNOWN)
		return;
	if (strcmp(out->strategy, xs_strategies[0]->id) == 0) {
		out->round_ns = xs_result_untraced_ns(phase);
		xs_number_contain(out->round_ns, &out->low_ns, &out->high_ns);
		xs_number_contain(out->round_ns, &out->known_low_ns,
				  &out->known_high_ns);
		return;
	}
	out->round_ns -= by_ns;
	if (out->low_ns != XS_UNKNOWN)
		out->low_ns = out->low_ns > by_ns ? out->low_ns - by_ns : 0;
}
