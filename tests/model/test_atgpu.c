/* SPDX-License-Identifier: MIT */
/*
 * Carroll and Wong 2017: the expressions on the paper's three algorithms,
 * vector addition, reduction and matrix multiplication (section IV), on a GTX
 * 650: 2 multiprocessors, 12288 words of shared memory each, at most 16 blocks,
 * 1.058 GHz. The paper prints neither alpha, beta, lambda nor sigma; the tests
 * use alpha 10 us, beta 1 ns, lambda 2 cycles, sigma 20 us unless stated
 * otherwise.
 */
#include "tests/model/atgpu_algorithms.h"

/* Section IV-A: alpha 3 + beta 3n + (13 + lambda 3k) / gamma + sigma. */
TEST(test_cost_of_vector_addition)
{
	struct algorithm a = vector_addition(1e6);

	/* k = 31250: 30000 + 3000000 + (13 + 187500) / 1.058 + 20000 */
	assert_near(xs_atgpu_cost_ns(&gtx650, rounds_of(&a), a.count),
		    3050000 + 187513 / GAMMA);
	/* l = min(floor(12288 / 96), 16) = 16; ceil(31250 / 32) = 977;
	 * 977 * 13 = 12701 */
	assert_near(xs_atgpu_blocks_at_once(&gtx650, &a.launches[0]), 16);
	assert_near(xs_atgpu_waves(&gtx650, &a.launches[0]), 977);
	assert_near(atgpu_ns(&gtx650, a), 3050000 + 200201 / GAMMA);
	assert_near(swgpu_ns(&gtx650, a), 20000 + 200201 / GAMMA);
}

/*
 * Section IV-B, n = 32^4: 4 rounds; n/b (1 - b^-4) / (1 - 1/b) = 32768 + 1024 +
 * 32 + 1 memory blocks; one word comes back.
 */
TEST(test_reduction)
{
	const double n = 1048576;
	struct algorithm a = reduction(n);

	/* 20 operations; sigma four times */
	assert_near(xs_atgpu_cost_ns(&gtx650, rounds_of(&a), a.count),
		    20000 + n + 1 + (20 + 67650) / GAMMA + 80000);
	/* 32768 / 32 = 1024 waves, then 32, 1, 1: 1058 of 5 operations */
	assert_near(atgpu_ns(&gtx650, a),
		    20000 + n + 1 + (5290 + 67650) / GAMMA + 80000);
}

/*
 * Section IV-C, n = 1024: 3 b^2 words leave room for 4 blocks; 1024 / (2 4) =
 * 128 waves of 32768 operations; 1024 * 1056 memory blocks.
 */
TEST(test_matrix_multiplication)
{
	struct algorithm a = matrix_multiplication(1024);

	assert_near(xs_atgpu_blocks_at_once(&gtx650, &a.launches[0]), 4);
	assert_near(atgpu_ns(&gtx650, a),
		    30000 + 3 * 1048576 + (128.0 * 32768 + 2162688) / GAMMA +
			20000);
}

/* Each direction has its own alpha and beta. */
TEST(test_directions)
{
	struct xs_atgpu_machine machine = gtx650;
	struct algorithm a = vector_addition(1000);

	machine.alpha_out_ns = 7000;
	machine.beta_out_ns = 3;
	assert_near(xs_atgpu_in_ns(&machine, &a.rounds[0]), 22000);
	assert_near(xs_atgpu_out_ns(&machine, &a.rounds[0]), 10000);
}

/* A kernel whose registers or threads limit its resident blocks. */
TEST(test_limit_of_a_kernel)
{
	struct xs_atgpu_launch launch = {.blocks = 100, .block_limit = 3};

	assert_near(xs_atgpu_blocks_at_once(&gtx650, &launch), 3);
	assert_near(xs_atgpu_waves(&gtx650, &launch), 17);
	launch.shared_words = 6000;
	assert_near(xs_atgpu_blocks_at_once(&gtx650, &launch), 2);
}

/* Costs of several kernels of a round add up, with one synchronisation. */
TEST(test_two_kernels_of_a_round)
{
	struct algorithm a = vector_addition(1e6);
	struct xs_atgpu_round round = a.rounds[0];
	const struct xs_atgpu_launch twice[2] = {a.launches[0], a.launches[0]};

	round.launches = twice;
	round.launch_count = 2;
	assert_near(xs_swgpu_cost_ns(&gtx650, &round, 1),
		    20000 + 2 * 200201 / GAMMA);
}

/* The paper's machine as a profile has the printed values only. */
TEST(test_profile)
{
	const struct xs_machine m = shipped("gtx-650");
	const struct xs_atgpu_machine at = xs_atgpu_machine_of(&m);

	assert_near(at.gamma, gtx650.gamma);
	assert_near(at.multiprocessors, gtx650.multiprocessors);
	assert_near(at.block_limit, gtx650.block_limit);
	assert_near(at.shared_words, gtx650.shared_words);
	/* 32 words of 32 bits at 80 GB/s are 1.6 ns */
	assert_near(at.lambda, 1.6 * GAMMA);
	assert_true(isnan(at.alpha_in_ns) && isnan(at.beta_out_ns));
	assert_true(isnan(at.sigma_ns));
	assert_string_equal(xs_atgpu_unknown(&at), "alpha (L+o)");
}
