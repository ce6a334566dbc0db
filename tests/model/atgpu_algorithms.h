/* SPDX-License-Identifier: MIT */
/* The three algorithms of Carroll and Wong 2017 (section IV), and a GTX 650. */
#pragma once

#include "tests/model/model_test.h"

#include "model/formulas/atgpu.h"

#define B     32.0 /* cores per multiprocessor = words per memory block */
#define GAMMA 1.058

static const struct xs_atgpu_machine gtx650 = {.alpha_in_ns = 10000,
					       .alpha_out_ns = 10000,
					       .beta_in_ns = 1,
					       .beta_out_ns = 1,
					       .gamma = GAMMA,
					       .lambda = 2,
					       .sigma_ns = 20000,
					       .multiprocessors = 2,
					       .block_limit = 16,
					       .shared_words = 12288};

/* An algorithm with at most one round per launch. */
struct algorithm {
	struct xs_atgpu_launch launches[8];
	struct xs_atgpu_round rounds[8];
	size_t count;
};

/* One round: A and B in, C = A + B out; 13 operations, 3 memory blocks. */
static inline struct algorithm vector_addition(double n)
{
	const double k = ceil(n / B);
	struct algorithm a = {.count = 1};

	a.launches[0] = (struct xs_atgpu_launch){.blocks = k,
						 .shared_words = 3 * B,
						 .operations = 13,
						 .accesses = 3 * k};
	a.rounds[0] = (struct xs_atgpu_round){.in_words = 2 * n,
					      .out_words = n,
					      .in_transactions = 2,
					      .out_transactions = 1,
					      .launch_count = 1};
	return a;
}

/* log_b n rounds; each leaves one word for b words of the round before; log2 b
 * operations, one memory block per thread block. */
static inline struct algorithm reduction(double n)
{
	struct algorithm a = {0};

	for (double left = n; left > 1; left = ceil(left / B)) {
		const double k = ceil(left / B);

		a.launches[a.count] =
		    (struct xs_atgpu_launch){.blocks = k,
					     .shared_words = B,
					     .operations = 5,
					     .accesses = k};
		a.rounds[a.count++] =
		    (struct xs_atgpu_round){.launch_count = 1};
	}
	a.rounds[0].in_words = n;
	a.rounds[0].in_transactions = 1;
	a.rounds[a.count - 1].out_words = 1;
	a.rounds[a.count - 1].out_transactions = 1;
	return a;
}

/* n x n, tiles of b x b: n b operations, (n/b)^2 (n + b) memory blocks. */
static inline struct algorithm matrix_multiplication(double n)
{
	const double k = (n / B) * (n / B);
	struct algorithm a = {.count = 1};

	a.launches[0] = (struct xs_atgpu_launch){.blocks = k,
						 .shared_words = 3 * B * B,
						 .operations = n * B,
						 .accesses = k * (n + B)};
	a.rounds[0] = (struct xs_atgpu_round){.in_words = 2 * n * n,
					      .out_words = n * n,
					      .in_transactions = 2,
					      .out_transactions = 1,
					      .launch_count = 1};
	return a;
}

/* Returns the rounds, which point into this copy of the algorithm. */
static const struct xs_atgpu_round *rounds_of(struct algorithm *a)
{
	for (size_t i = 0; i < a->count; i++)
		a->rounds[i].launches = &a->launches[i];
	return a->rounds;
}

static inline double atgpu_ns(const struct xs_atgpu_machine *machine,
			      struct algorithm a)
{
	return xs_atgpu_gpu_cost_ns(machine, rounds_of(&a), a.count);
}

static inline double swgpu_ns(const struct xs_atgpu_machine *machine,
			      struct algorithm a)
{
	return xs_swgpu_cost_ns(machine, rounds_of(&a), a.count);
}

/* Returns the share of transfers in the cost. */
static inline double share(const struct xs_atgpu_machine *machine,
			   struct algorithm a)
{
	return 1 - swgpu_ns(machine, a) / atgpu_ns(machine, a);
}
