/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/round_weights.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Iterates until all rounds agree to within NEAR_ENOUGH, or this often. */
#define ITERATIONS_MAX 50
#define NEAR_ENOUGH    1e-6

struct fitter {
	const struct xs_trace *trace;
	const struct xs_rounds *rounds;
	const bool *used;
	const struct xs_weights *weights;
	double *by_round;
	double *wanted, *have; /* by kind of call: sum over its ops in all
				* rounds */
};

/* Returns the call of an op of a round, or XS_NONE. */
static uint32_t call_of(const struct fitter *f, const struct xs_round *round,
			uint32_t op)
{
	return f->trace->ops[xs_round_op(f->rounds, round, op)].call;
}

/* Initial weight of a round: the mean weight of its calls. */
static void begin(struct fitter *f)
{
	for (size_t i = 0; i < f->rounds->count; i++) {
		const struct xs_round *round = &f->rounds->items[i];
		double sum = 0;

		f->by_round[i] = 1;
		if (!f->used[i] || !round->op_count)
			continue;
		for (uint32_t j = 0; j < round->op_count; j++) {
			uint32_t call = call_of(f, round, j);
			double weight = xs_weight(f->weights->calls, call);

			sum += weight;
			if (call != XS_NONE)
				f->wanted[f->weights->kinds[call]] += weight;
		}
		f->by_round[i] = sum / round->op_count;
	}
}

static void add_up(struct fitter *f)
{
	for (size_t k = 0; k < f->weights->kind_count; k++)
		f->have[k] = 0;
	for (size_t i = 0; i < f->rounds->count; i++) {
		const struct xs_round *round = &f->rounds->items[i];

		for (uint32_t j = 0; f->used[i] && j < round->op_count; j++) {
			uint32_t call = call_of(f, round, j);

			if (call != XS_NONE)
				f->have[f->weights->kinds[call]] +=
				    f->by_round[i];
		}
	}
}

/* One step of generalised iterative scaling (Darroch and Ratcliff, 1972):
 * scales each round by the geometric mean of what its ops lack. Returns the
 * largest scaling, as a logarithm. */
static double scale_rounds(struct fitter *f)
{
	double most = 0;

	add_up(f);
	for (size_t k = 0; k < f->weights->kind_count; k++) {
		f->have[k] =
		    f->have[k] > 0 ? log(f->wanted[k] / f->have[k]) : 0;
		most = fmax(most, fabs(f->have[k]));
	}
	for (size_t i = 0; i < f->rounds->count; i++) {
		const struct xs_round *round = &f->rounds->items[i];
		double sum = 0;

		if (!f->used[i] || !round->op_count)
			continue;
		for (uint32_t j = 0; j < round->op_count; j++) {
			uint32_t call = call_of(f, round, j);

			if (call != XS_NONE)
				sum += f->have[f->weights->kinds[call]];
		}
		f->by_round[i] *= exp(sum / round->op_count);
	}
	return most;
}

int xs_round_weights_build(const struct xs_trace *trace,
			   const struct xs_rounds *rounds, const bool *used,
			   const struct xs_weights *weights, double *by_round)
{
	struct fitter fitter = {.trace = trace,
				.rounds = rounds,
				.used = used,
				.weights = weights,
				.by_round = by_round};
	int rc = -ENOMEM;

	fitter.wanted = calloc(weights->kind_count + 1, sizeof(double));
	fitter.have = calloc(weights->kind_count + 1, sizeof(double));
	if (fitter.wanted && fitter.have) {
		begin(&fitter);
		for (int i = 0;
		     i < ITERATIONS_MAX && scale_rounds(&fitter) > NEAR_ENOUGH;
		     i++)
			;
		rc = 0;
	}
	free(fitter.wanted);
	free(fitter.have);
	return rc;
}
