/* SPDX-License-Identifier: MIT */
/* prefetch: stages of a round, its times by hand, and random rounds against the
 * rules of a stage. */
#include "tests/model/small_phase.h"

#include "model/replay/replay.h"
#include "model/strategies/plan_ahead.h"

#include <stdlib.h>

#define ROUNDS	  3000
#define STEPS_MAX 16u

/* Makes a round of layers: 1 MB in, then a kernel of kernel_ns, from pinned
 * memory and without a wait. Each layer has its own input and the same buffer.
 */
static void make_layers(unsigned layers, uint64_t kernel_ns)
{
	uint64_t at = 5000, call = 0;

	for (unsigned i = 0; i < layers; i++, call += 6000) {
		struct xs_step *copy = &steps[2 * i], *kernel = copy + 1;

		*copy = step_of(XS_STEP_H2D, call, call + 2500, at, at + 20000);
		copy->src_memory = XS_MEM_PINNED;
		copy->blocking = false;
		copy->async = true;
		copy->src = 0x100000000 + 0x100000 * i;
		copy->dst = 0x10000;
		at += 20000;
		*kernel = step_of(XS_STEP_KERNEL, call + 2500, call + 5500, at,
				  at + kernel_ns);
		at += kernel_ns + 5000;
	}
	phase.step_count = 2 * (size_t)layers;
	phase.h2d_ops = phase.kernel_ops = layers;
	phase.h2d_bytes = 1000000 * (uint64_t)layers;
	phase.d2h_ops = phase.d2h_bytes = 0;
	phase.round_ns = always(at);
	phase.kernel_ns = (struct xs_spread){
	    layers * kernel_ns, layers * kernel_ns, layers * kernel_ns};
}

/*
 * Four layers, kernels of 100000. Host time of 500 in each; the copy from 5500
 * to 25500, its kernel from 26500 on. Each further copy takes 20000 during the
 * kernel of the layer before, so that kernels follow each other 1000 apart;
 * then 4000. The third copy reuses the buffer of the first.
 */
TEST(test_layers)
{
	make_layers(4, 100000);
	const struct xs_estimate *row = estimated("prefetch");
	assert_true(row->applies);
	assert_near(row->round_ns, 26500 + 4 * 100000 + 3 * 1000 + 4000);
	assert_near(row->more_bytes, 1000000);
	assert_near(row->setup_ns, 4000); /* a stream */
	assert_null(row->bound);
	assert_int_equal(row->effort, XS_EFFORT_PLACES);
	assert_has(row->why, "3 copies in can run");
	/* two rounds at once take two buffers of a whole round */
	assert_near(replayed("double-buffer")->more_bytes, 4000000);
}

/* Copies of 20000 are longer than kernels of 5000: one after another, 2500
 * apart. The last kernel follows, then 4000. But a copy waits for the kernel
 * that used its buffer, which ends before. */
TEST(test_layers_of_short_kernels)
{
	make_layers(4, 5000);
	assert_near(estimated("prefetch")->round_ns,
		    5500 + 4 * 20000 + 3 * 2500 + 1000 + 5000 + 4000);
}

/*
 * A long kernel before short ones: it ends at 126500, and only then the third
 * copy gets its buffer, from 129000 to 149000; the fourth is from 151500 to
 * 171500, and the last kernel from 172500 on.
 */
TEST(test_a_buffer_in_use)
{
	make_layers(4, 5000);
	steps[1].end_ns = steps[1].start_ns + 100000;
	assert_near(estimated("prefetch")->round_ns, 172500 + 5000 + 4000);
}

/* A round with one copy before its kernels has nothing to prefetch. */
TEST(test_nothing_to_prefetch)
{
	assert_false(estimated("prefetch")->applies);
	assert_true(replayed("prefetch")->quiet);
	assert_has(replayed("prefetch")->why, "first kernel");
}

/* Adds a copy in before the first kernel, and says who needs which. */
static void make_flow(uint32_t second_by)
{
	make_layers(2, 100000);
	memmove(&steps[1], &steps[0], 4 * sizeof(*steps));
	phase.step_count = 5;
	phase.h2d_ops = 3;
	phase.h2d_bytes = 3000000;
	phase.flow_known = true;
	for (size_t i = 0; i < 5; i++)
		steps[i].partner = XS_NONE;
	steps[0].partner = 2;
	steps[1].partner = second_by;
	steps[3].partner = 4;
	steps[1].dst = 0x20000000;
}

/*
 * The second of two copies in front of the first kernel is needed by the last
 * one only, or by none: it runs during the first kernel. The first copy ends at
 * 25750, after half of the host time of 1000 in two stages.
 */
TEST(test_copies_that_are_needed_late)
{
	const double round_ns =
	    1000 + 5000 + 20000 + 1000 + 100000 + 1000 + 100000 + 4000;

	make_flow(4);
	const struct xs_estimate *row = estimated("prefetch");
	assert_near(row->round_ns, round_ns);
	assert_has(row->why, "2 copies in can run beside kernels");
	make_flow(XS_NONE);
	row = estimated("prefetch");
	assert_near(row->round_ns, round_ns);
	/* the first kernel needs it */
	make_flow(2);
	assert_near(estimated("prefetch")->round_ns, round_ns + 22500);
	/* and without the dataflow it may */
	make_flow(4);
	phase.flow_known = false;
	assert_near(estimated("prefetch")->round_ns, round_ns + 22500);
}

/* The copy out behind the last kernel needs the first one only: it runs during
 * the last one. */
TEST(test_copy_out_that_is_ready_early)
{
	make_layers(2, 100000);
	steps[4] = step_of(XS_STEP_D2H, 12000, 14500, 260000, 280000);
	steps[4].dst_memory = XS_MEM_PINNED;
	steps[4].blocking = false;
	phase.step_count = 5;
	phase.d2h_ops = 1;
	phase.d2h_bytes = 1000000;
	double late_ns = estimated("prefetch")->round_ns;
	phase.flow_known = true;
	steps[0].partner = steps[4].partner = 1;
	steps[2].partner = 3;
	assert_near(estimated("prefetch")->round_ns, late_ns - 26000);
	assert_has(replayed("prefetch")->why, "1 copy out");
}

/* What was copied out in the round may be what comes in again. */
TEST(test_results_that_return)
{
	make_layers(3, 100000);
	steps[3] = step_of(XS_STEP_D2H, 8500, 20000, 250000, 270000);
	steps[3].dst_memory = XS_MEM_PINNED;
	steps[4].call_ns = 20100;
	steps[4].return_ns = 22600;
	phase.d2h_ops = 1;
	phase.d2h_bytes = 1000000;
	assert_null(estimated("prefetch")->bound);
	/* the host had the time to write the input */
	steps[4].call_ns = 30000;
	steps[4].return_ns = 32500;
	assert_has(estimated("prefetch")->bound, "copied out");
	steps[3].dst = steps[4].src;
	assert_false(estimated("prefetch")->applies);
}

/* Two copies in, two kernels, and a copy out behind them: the input of the next
 * round, if it is of all the memory that was copied in. */
TEST(test_state_that_is_fed_back)
{
	make_flow(3);
	steps[3] = steps[4];
	steps[3].partner = 2;
	steps[4] = step_of(XS_STEP_D2H, 15000, 17500, 260000, 280000);
	steps[4].dst_memory = XS_MEM_PINNED;
	steps[4].partner = 3;
	phase.h2d_ops = 2;
	phase.h2d_bytes = 2000000;
	phase.d2h_ops = 1;
	phase.d2h_bytes = 1000000;
	steps[4].dst = steps[0].src;
	steps[4].bytes = steps[0].bytes / 2;
	assert_true(estimated("prefetch")->applies);
	steps[4].bytes = steps[0].bytes;
	assert_false(estimated("prefetch")->applies);
	assert_has(replayed("prefetch")->why, "memory that it copied in from");
}

static void make_random_round(void)
{
	static const uint8_t kinds[] = {XS_STEP_H2D, XS_STEP_KERNEL,
					XS_STEP_D2H, XS_STEP_SYNC_STREAM};
	const uint32_t count = 2 + (uint32_t)rand() % (STEPS_MAX - 2);

	phase.step_count = count;
	phase.flow_known = rand() % 2;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t kind = kinds[rand() % 4];
		const uint32_t later = i + 1 + (uint32_t)rand() % (count - i);

		steps[i] = step_of(kind, 100 * i, 100 * i + 50, 1000, 2000);
		steps[i].partner = XS_NONE;
		if (kind == XS_STEP_H2D && later < count)
			steps[i].partner = later;
		if (kind == XS_STEP_D2H && i && rand() % 4)
			steps[i].partner = (uint32_t)rand() % i;
		steps[i].dst = 0x1000000 * (1 + (uint64_t)rand() % 3);
		steps[i].src = 0x1000000 * (1 + (uint64_t)rand() % 3);
	}
}

/* Whether kernel `to` may need copy `from`, or copy out `to` kernel `from`. */
static bool needs(uint32_t from, uint32_t to)
{
	const struct xs_step *copy =
	    &steps[steps[from].kind == XS_STEP_H2D ? from : to];

	if (!phase.flow_known)
		return from < to;
	if (copy->partner == XS_NONE)
		return false;
	return copy == &steps[from] ? copy->partner <= to
				    : from <= copy->partner;
}

/*
 * In every random round, a kernel's stage is not before that of a copy in which
 * it needs, and the last kernel that a copy out needs is in its stage or
 * before. A copy in is in no later stage than it must be: a kernel of its stage
 * needs it, and of the last one, maybe none. Kernels stay in order.
 */
TEST(test_random_rounds)
{
	srand(11);
	for (int round = 0; round < ROUNDS; round++) {
		struct xs_copy_stages stages;

		make_random_round();
		xs_copy_stages_build(&phase, &stages);
		for (uint32_t i = 0; i < phase.step_count; i++) {
			bool is_used = false, is_needed = false;

			for (uint32_t k = 0; k < phase.step_count; k++) {
				if (steps[i].kind == XS_STEP_KERNEL &&
				    steps[k].kind == XS_STEP_KERNEL && i < k)
					assert_true(stages.of[i] <=
						    stages.of[k]);
				if (steps[i].kind == XS_STEP_D2H &&
				    steps[k].kind == XS_STEP_KERNEL &&
				    needs(k, i))
					assert_true(stages.of[k] <=
						    stages.of[i]);
				if (steps[i].kind != XS_STEP_H2D ||
				    steps[k].kind != XS_STEP_KERNEL ||
				    !needs(i, k))
					continue;
				is_needed = true;
				assert_true(stages.of[i] <= stages.of[k]);
				is_used |= stages.of[i] == stages.of[k];
			}
			if (steps[i].kind != XS_STEP_H2D)
				continue;
			if (is_needed)
				assert_true(is_used);
			else
				assert_int_equal(stages.of[i],
						 stages.count - 1);
		}
		xs_copy_stages_free(&stages);
	}
}

/* Bytes of each stage whose buffers another stage has, byte by byte. */
static double more_bytes(const struct xs_copy_stages *stages, bool out)
{
	const enum xs_step_kind kind = out ? XS_STEP_D2H : XS_STEP_H2D;
	double most = 0;

	for (uint32_t s = 0; s < stages->count; s++) {
		double bytes = 0;

		for (size_t i = 0; i < phase.step_count; i++) {
			bool shared = false;

			for (size_t k = 0; k < phase.step_count; k++)
				shared |= steps[k].kind == kind &&
					  stages->of[k] != stages->of[i] &&
					  (out ? steps[k].src == steps[i].src
					       : steps[k].dst == steps[i].dst);
			if (steps[i].kind == kind && stages->of[i] == s &&
			    shared)
				bytes += (double)steps[i].bytes;
		}
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* A second set is as large as what the largest stage shares with others, in one
 * direction at least and in both at most. */
TEST(test_random_buffers)
{
	srand(12);
	for (int round = 0; round < ROUNDS; round++) {
		struct xs_copy_stages stages;
		double in, outs;

		make_random_round();
		xs_copy_stages_build(&phase, &stages);
		in = more_bytes(&stages, false);
		outs = more_bytes(&stages, true);
		if (stages.count > 1) {
			assert_true(stages.more_bytes >= in);
			assert_true(stages.more_bytes >= outs);
			assert_true(stages.more_bytes <= in + outs);
		}
		xs_copy_stages_free(&stages);
	}
}

RUN_TESTS(set_up, tear_down)
