/* SPDX-License-Identifier: MIT */
/* streams for rounds whose kernels use each other's results. */
#include "tests/model/small_phase.h"

#include "model/replay/replay.h"
#include "model/strategies/strategy.h"

#define CASES 3000

/* Makes a phase of 1 MB in, a chain of kernels of kernel_ns each, and 1 MB out,
 * back to back. */
static void make_chain(unsigned kernels, uint64_t kernel_ns)
{
	uint64_t at = 300000;

	for (unsigned i = 0; i < kernels; i++, at += kernel_ns)
		steps[1 + i] = step_of(XS_STEP_KERNEL, 201000 + i, 201000 + i,
				       at, at + kernel_ns);
	steps[1 + kernels] =
	    step_of(XS_STEP_D2H, 205000, at + 200000, at, at + 190000);
	phase.step_count = 2 + kernels;
	phase.kernel_ops = kernels;
	phase.round_ns = always(at + 200000);
}

/*
 * Two kernels of 10000, n = 2, after 2000 of host time. Copies in 7000 to 17000
 * and 19500 to 29500. All in pieces: kernels of the first piece 18000 to 23000
 * and 24000 to 29000, its copy out 35000 to 45000; of the second 30500 to 35500
 * and 36500 to 41500, its copy out 47500 to 57500; then 4000. Joined: the first
 * kernel also ends at 35500; pieces of the second kernel 36500 to 41500 to
 * 46500, copies out 47500 to 57500 and 60000 to 70000; then 4000.
 */
TEST(test_two_kernels)
{
	make_chain(2, 10000);
	const struct xs_estimate *row = new_pieces("streams", 2);
	assert_near(row->round_ns, 61500);
	assert_near(row->otherwise_ns, 74000);
	assert_true(row->high_ns >= 74000);
	assert_has(row->bound, "only the same piece");
	row = find("streams", "vanwerkhoven2014-eq5", 2, XS_ORDER_NONE);
	assert_non_null(row->bound);
}

/* If kernels take nearly all the time, their dependencies do not matter: 138000
 * as with one kernel, or 139000 with the gap after the join. */
TEST(test_no_bound_where_it_does_not_matter)
{
	make_chain(2, 50000);
	const struct xs_estimate *row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000);
	assert_null(row->bound);
	assert_true(isnan(row->otherwise_ns));
	assert_true(row->high_ns >= 139000);
}

/* The error of replay widens the interval of both plans. */
TEST(test_the_interval_holds_what_is_uncertain_of_both)
{
	make_chain(2, 10000);
	machine.self_check.streams = (struct xs_check){0, 0, 0.5, 10};
	assert_true(new_pieces("streams", 2)->high_ns >= 1.5 * 74000);
}

/*
 * 16 pieces of a kernel of 1 us and one of 50 us, issued stage by stage.
 * Streams 0 and 8 share a kernel queue, so the second kernel of piece 0 comes
 * after the first kernel of piece 8, whose copy is the third one: stream 8
 * shares a copy queue with 0 and 4. In the order of issue it would be the
 * ninth.
 */
TEST(test_stage_by_stage_pieces_wait_for_others)
{
	machine.call_launch_ns = machine.call_copy_async_ns =
	    (struct xs_param){1, 1, 1};
	make_chain(2, 1000);
	steps[2].end_ns += 49000;
	steps[0].bytes = steps[3].bytes = 16000000;
	phase.h2d_bytes = phase.d2h_bytes = 16000000;
	double depth_ns = new_pieces("streams", 16)->round_ns;
	const struct xs_estimate *row =
	    find("streams", "replay", 16, XS_ORDER_BREADTH);
	/* two copies of 20000 and the gaps */
	assert_true(row->round_ns > depth_ns + 30000);
	assert_true(row->round_ns < depth_ns + 60000);
	/* eight of them */
	assert_true(row->high_ns > depth_ns + 150000);
	row = find("streams", "replay", 8, XS_ORDER_BREADTH);
	assert_near(row->round_ns, pieces("streams", 8)->round_ns);
}

/*
 * With one kernel queue, stage by stage, no second kernel runs before the last
 * copy in, so no copy out overlaps a copy in: 8 pieces take both directions in
 * sequence. Piece by piece nothing is lost, and with 32 queues 16 pieces lose
 * nothing either.
 */
TEST(test_pieces_share_as_many_queues_as_asked)
{
	machine.call_launch_ns = machine.call_copy_async_ns =
	    (struct xs_param){1, 1, 1};
	make_chain(2, 1000);
	steps[2].end_ns += 9000;
	steps[0].bytes = steps[3].bytes = 16000000;
	phase.h2d_bytes = phase.d2h_bytes = 16000000;
	double depth_ns = new_pieces("streams", 8)->round_ns;
	phase.kernel_hw_queues = phase.copy_hw_queues = 1;
	assert_near(new_pieces("streams", 8)->round_ns, depth_ns);
	assert_true(find("streams", "replay", 8, XS_ORDER_BREADTH)->round_ns >
		    640000);
	assert_true(depth_ns < 480000);
	phase.kernel_hw_queues = phase.copy_hw_queues = 32;
	depth_ns = new_pieces("streams", 16)->round_ns;
	assert_near(find("streams", "replay", 16, XS_ORDER_BREADTH)->round_ns,
		    depth_ns);
}

static bool assumes(const struct xs_estimate *row, const char *text)
{
	for (size_t i = 0; row->assumes[i]; i++)
		if (strstr(row->assumes[i], text))
			return true;
	return false;
}

/* 13 kernels of 1000 in 64 pieces are 832 launches of 3000 each; 139 launches
 * if the inner kernels stay whole. Then the estimate does not depend on what
 * kernels need. */
TEST(test_many_short_kernels_stay_whole)
{
	make_chain(13, 1000);
	const struct xs_estimate *row = new_pieces("streams", 64);
	assert_true(row->round_ns < 832 * 3000);
	assert_null(row->bound);
	assert_true(assumes(row, "only the first kernel is cut"));
	assert_has(row->why, "could run side by side, in less");
}

/*
 * By counters, the second kernel reads the first one's results once, twice (it
 * waits for the piece before, which is ready here) or eight times, which gives
 * the joined time.
 */
TEST(test_counted_kernels)
{
	struct xs_counts first = reads(31250);
	struct xs_counts second = first;

	make_chain(2, 10000);
	steps[1].counts = &first;
	steps[2].counts = &second;
	double apart_ns = new_pieces("streams", 8)->round_ns;
	second.sectors_read = 2 * 31250;
	assert_true(new_pieces("streams", 8)->round_ns >= apart_ns);
	assert_near(pieces("streams", 2)->round_ns, 61500);
	second.sectors_read = 8 * 31250;
	assert_near(new_pieces("streams", 2)->round_ns, 74000);
	assert_null(pieces("streams", 2)->bound);
	/* the SMs got a sixth of what the L2 read: 1.33 times */
	second.l1_fills = 8 * 31250 / 6.0;
	assert_near(new_pieces("streams", 2)->round_ns, 61500);
	/* reads of several SMs were merged */
	second.l1_fills = 9 * 31250;
	assert_near(new_pieces("streams", 2)->round_ns, 74000);
}

/* A last kernel of one block, as in a reduction, is not cut. It starts 1000
 * after the first kernel ends at 35500; both copies out wait for it, the second
 * at 52500 + 10000 + 2500. */
TEST(test_one_block_is_not_cut)
{
	make_chain(2, 10000);
	steps[1].blocks = 1000;
	steps[2].blocks = 1;
	assert_near(new_pieces("streams", 2)->round_ns, 65000 + 10000 + 4000);
}

/* Returns the phase's work, of so many stages. */
static struct xs_round_work built(unsigned stages)
{
	struct xs_round_work work;

	xs_round_work_build(&phase, &work);
	assert_int_equal(work.stage_count, stages);
	return work;
}

/* Kernels that follow each other in each of two chunks: the copies of a piece
 * are those of a chunk. */
TEST(test_chunks_of_two_kernels)
{
	for (uint32_t q = 0; q < 2; q++) {
		struct xs_step *s = &steps[4 * q];

		s[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
		s[1] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
		s[2] = step_of(XS_STEP_KERNEL, 0, 1, 40, 50);
		s[3] = step_of(XS_STEP_D2H, 0, 1, 50, 60);
		s[0].queue = s[1].queue = s[2].queue = s[3].queue = q;
	}
	phase.step_count = 8;
	struct xs_round_work work = built(2);
	assert_int_equal(work.in_copies, 1);
	assert_int_equal(work.out_copies, 1);
	assert_near(work.stages[0].kernel_ns, 60);
	assert_near(work.stages[1].kernel_ns, 20);
	assert_true(work.in_pieces);
	/* so what a piece needs is known */
	assert_null(new_pieces("streams", 2)->bound);
	assert_null(
	    find("streams", "vanwerkhoven2014-eq5", 2, XS_ORDER_NONE)->bound);
	/* unless one piece has an additional kernel */
	steps[8] = steps[7];
	steps[7] = steps[6];
	phase.step_count = 9;
	work = built(3);
	assert_false(work.in_pieces);
}

/* Two arrays, each with a kernel of its own: a piece has a part of each, unless
 * one array begins where the other ends. */
TEST(test_arrays_of_their_own)
{
	for (size_t i = 0; i < 2; i++) {
		struct xs_step *s = &steps[2 * i];

		s[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
		s[0].src = 4096 + 8192 * i;
		s[0].dst = 65536 * (1 + i);
		s[0].bytes = 8192;
		s[1] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
	}
	phase.step_count = 4;
	assert_true(built(1).in_pieces);
	steps[0].bytes = steps[2].bytes = 8000;
	struct xs_round_work work = built(1);
	assert_false(work.in_pieces);
	assert_int_equal(work.in_copies, 2);
	assert_int_equal(work.stages[0].kernels, 2);
}

/* The host takes a result of the first kernel; the second one works on the same
 * data, in a stage of its own. */
TEST(test_copy_out_between_kernels)
{
	steps[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
	steps[1] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
	steps[2] = step_of(XS_STEP_D2H, 0, 60, 50, 59);
	steps[2].blocking = true;
	steps[3] = step_of(XS_STEP_KERNEL, 60, 61, 70, 80);
	steps[4] = step_of(XS_STEP_D2H, 60, 91, 80, 90);
	phase.step_count = 5;
	struct xs_round_work work = built(2);
	assert_int_equal(work.in_copies, 1);
	assert_int_equal(work.out_copies, 2);
}

/* Four kernels of one shape after a copy in of 100000 bytes, each of which can
 * read 10000 of them at twice the bandwidth; so two pieces launch two each. */
TEST(test_slices_are_shared_out)
{
	steps[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
	steps[0].bytes = 100000;
	for (size_t i = 1; i <= 4; i++) {
		steps[i] = step_of(XS_STEP_KERNEL, 0, 1, 10 * i, 10 * i + 5);
		steps[i].shape = 7;
	}
	phase.step_count = 5;
	machine.memory_bandwidth = 1e12;
	struct xs_round_work work = built(4);
	xs_kernel_stages_join_slices(&machine, &work);
	assert_true(work.slices);
	assert_int_equal(work.stage_count, 1);
	assert_int_equal(work.stages[0].kernels, 4);
	assert_near(work.stages[0].kernel_ns, 20);
	/* one that could read half of the data may be a step in time */
	steps[4].end_ns += 21;
	work = built(4);
	xs_kernel_stages_join_slices(&machine, &work);
	assert_int_equal(work.stage_count, 4);
	/* as may another kernel */
	steps[4].end_ns -= 21;
	steps[4].shape = 8;
	work = built(4);
	xs_kernel_stages_join_slices(&machine, &work);
	assert_false(work.slices);
}

/* A copy of arguments between kernels begins no piece, unless all copies in are
 * that small. */
TEST(test_arguments_between_kernels)
{
	steps[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
	steps[1] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
	steps[2] = step_of(XS_STEP_H2D, 2, 3, 41, 42);
	steps[3] = step_of(XS_STEP_KERNEL, 3, 4, 70, 80);
	phase.step_count = 4;
	steps[0].bytes = 10000;
	steps[2].bytes = 104;
	struct xs_round_work work = built(2);
	steps[0].bytes = 104;
	work = built(1);
	assert_true(work.in_pieces);
}

/* Copies on one stream, kernels on another that waits for an event of each
 * copy: pieces of a round, not dependent kernels. */
TEST(test_kernels_on_a_stream_of_their_own)
{
	for (size_t i = 0; i < 3; i++) {
		struct xs_step *s = &steps[4 * i];

		s[0] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
		s[1] = step_of(XS_STEP_EVENT_RECORD, 0, 1, 0, 0);
		s[2] = step_of(XS_STEP_STREAM_WAIT, 0, 1, 0, 0);
		s[3] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
		s[1].event = s[2].event = 100 + i;
		s[2].queue = s[3].queue = 8;
	}
	phase.step_count = 12;
	struct xs_round_work work = built(1);
	assert_int_equal(work.in_copies, 1);
	/* without the waits this is not known */
	steps[6].kind = steps[10].kind = XS_STEP_HOST;
	work = built(3);
}

/* A kernel on another queue that waits for the first one's event follows it; a
 * piece with its own copy does not. */
TEST(test_kernels_of_two_queues)
{
	steps[1].queue = 7;
	steps[2] = step_of(XS_STEP_EVENT_RECORD, 0, 1, 0, 0);
	steps[3] = step_of(XS_STEP_H2D, 0, 1, 1, 2);
	steps[4] = step_of(XS_STEP_STREAM_WAIT, 0, 1, 0, 0);
	steps[5] = step_of(XS_STEP_KERNEL, 0, 1, 10, 40);
	steps[3].queue = steps[4].queue = steps[5].queue = 8;
	steps[2].event = steps[4].event = 55;
	phase.step_count = 6;
	built(1);
	steps[3].queue = 9;
	built(2);
}

/* Long chains are merged to XS_STAGES_MAX stages without losing time. */
TEST(test_long_chain)
{
	static struct xs_step many[1002];
	unsigned i, kernels = 0;
	double ns = 0;

	many[0] = steps[0];
	for (i = 1; i <= 1000; i++)
		many[i] = step_of(XS_STEP_KERNEL, 0, 1, i * 1000, i * 1000 + i);
	many[1001] = steps[2];
	phase.steps = many;
	phase.step_count = 1002;
	struct xs_round_work work = built(XS_STAGES_MAX);
	for (i = 0; i < XS_STAGES_MAX; i++) {
		assert_in_range(work.stages[i].kernels, 31, 32);
		kernels += work.stages[i].kernels;
		ns += work.stages[i].kernel_ns;
	}
	assert_int_equal(kernels, 1000);
	assert_near(ns, 500500);
	assert_true(new_pieces("streams", 64)->applies);
}

/* Calls cost nothing, and directions do not slow each other. */
static void set_ideal(uint64_t *state, double gap_ns)
{
	xs_machine_init(&machine);
	machine.copy_engines = random_between(state, 0, 1) < 0.5 ? 1 : 2;
	machine.implicit_sync = 0;
	set_param(&machine.lo_h2d_ns, random_between(state, 1000, 20000));
	set_param(&machine.lo_d2h_ns, random_between(state, 1000, 20000));
	set_param(&machine.g_h2d_ns,
		  random_between(state, 0, machine.lo_h2d_ns.value));
	set_param(&machine.g_d2h_ns,
		  random_between(state, 0, machine.lo_d2h_ns.value));
	set_param(&machine.G_h2d, random_between(state, 0.01, 0.3));
	set_param(&machine.G_d2h, random_between(state, 0.01, 0.3));
	set_param(&machine.kernel_gap_ns, gap_ns);
}

static struct xs_round_work random_work(uint64_t *state, unsigned kernels)
{
	struct xs_round_work work = {
	    .in_bytes = exp(random_between(state, log(1e4), log(1e9))),
	    .out_bytes = exp(random_between(state, log(1e4), log(1e9))),
	    .in_copies = 1,
	    .out_copies = 1,
	    .kernels = kernels,
	    .stage_count = kernels};

	for (unsigned s = 0; s < kernels; s++) {
		work.stages[s] = (struct xs_kernel_stage){
		    .kernel_ns = exp(random_between(state, log(1e3), log(1e7))),
		    .kernels = 1,
		    .read_bytes = NAN,
		    .written_bytes = NAN};
		work.kernel_ns += work.stages[s].kernel_ns;
	}
	return work;
}

/* Replays pieces by their dependencies, without sharing hardware queues. */
static double replay_pieces(const struct xs_round_work *work, unsigned n,
			    enum xs_order order, enum xs_cut how)
{
	const struct xs_strategy_case c = {.machine = &machine, .work = *work};
	const struct xs_estimate row = {.n_streams = n, .order = order};
	const struct xs_scenario scenario = {
	    .machine = machine, .kernel_scale = 1, .host_scale = 1};
	struct xs_plan plan = {0};
	double round_ns = 0;

	xs_plan_pieces(&c, &row, &scenario, how, &plan);
	plan.kernel_hw_queues = plan.copy_hw_queues = 0;
	round_ns = xs_replay(&plan, &machine, NULL);
	xs_plan_free(&plan);
	return round_ns;
}

static enum xs_order random_order(uint64_t *state)
{
	return random_between(state, 0, 1) < 0.5 ? XS_ORDER_DEPTH
						 : XS_ORDER_BREADTH;
}

/* A plan in pieces is never later than the joined plan. */
TEST(test_pieces_are_no_later_than_joined)
{
	uint64_t random = 20;

	for (unsigned i = 0; i < CASES; i++) {
		const unsigned kernels =
		    (unsigned)random_between(&random, 2, 6);
		const struct xs_round_work work = random_work(&random, kernels);
		const unsigned n = (unsigned)random_between(&random, 1, 33);
		const enum xs_order order = random_order(&random);
		double apart_ns, joined_ns;

		set_ideal(&random, 0);
		apart_ns = replay_pieces(&work, n, order, XS_CUT_ALL);
		joined_ns = replay_pieces(&work, n, order, XS_CUT_ENDS);
		if (apart_ns > joined_ns * (1 + 1e-9))
			fail_msg("case %u: %.9g apart, %.9g joined", i,
				 apart_ns, joined_ns);
	}
}

/*
 * Kernels without duration before a long one add only their gaps. After it they
 * may add more: the SMs then run the first kernels of all pieces, which have
 * been ready for longer, before the second kernel of one.
 */
TEST(test_empty_kernels_add_their_gaps)
{
	uint64_t random = 21;

	for (unsigned i = 0; i < CASES; i++) {
		const unsigned more = (unsigned)random_between(&random, 1, 5);
		const unsigned n = (unsigned)random_between(&random, 1, 33);
		const enum xs_order order = random_order(&random);
		const double gap_ns =
		    i % 2 ? random_between(&random, 0, 3000) : 0;
		const struct xs_round_work work = random_work(&random, 1);
		struct xs_round_work chain = random_work(&random, 1 + more);
		double one_ns, chain_ns;

		chain.in_bytes = work.in_bytes;
		chain.out_bytes = work.out_bytes;
		chain.stages[more] = work.stages[0];
		for (unsigned s = 0; s < more; s++)
			chain.stages[s].kernel_ns = 0;
		set_ideal(&random, gap_ns);
		/* one engine changes direction at other times, for L+o each */
		if (gap_ns > 0)
			machine.copy_engines = 2;
		one_ns = replay_pieces(&work, n, order, XS_CUT_ALL);
		chain_ns = replay_pieces(&chain, n, order, XS_CUT_ALL);
		if (chain_ns < one_ns * (1 - 1e-9) ||
		    chain_ns > (one_ns + n * more * gap_ns) * (1 + 1e-9))
			fail_msg("case %u: %.9g alone, %.9g with %u, gap %.9g",
				 i, one_ns, chain_ns, more, gap_ns);
	}
}

/* One piece is the recorded round, pinned. */
TEST(test_one_piece_is_the_pinned_round)
{
	uint64_t random = 22;

	for (unsigned i = 0; i < CASES; i++) {
		const unsigned kernels =
		    (unsigned)random_between(&random, 1, 6);
		const struct xs_round_work work = random_work(&random, kernels);
		double pinned_ns;

		set_ideal(&random, 1000);
		pinned_ns = machine.lo_h2d_ns.value +
			    work.in_bytes * machine.G_h2d.value + 1000 +
			    work.kernel_ns + (kernels - 1) * 1000.0 +
			    machine.lo_d2h_ns.value +
			    work.out_bytes * machine.G_d2h.value;
		assert_near(replay_pieces(&work, 1, XS_ORDER_DEPTH, XS_CUT_ALL),
			    pinned_ns);
		assert_near(
		    replay_pieces(&work, 1, XS_ORDER_BREADTH, XS_CUT_ENDS),
		    pinned_ns);
	}
}

/* Rows of random chains on a machine with call costs: the value is never above
 * the joined time, and the interval covers that time. */
TEST(test_rows_hold_both)
{
	uint64_t random = 23;

	for (unsigned i = 0; i < 40; i++) {
		make_chain(
		    (unsigned)random_between(&random, 2, 9),
		    (uint64_t)exp(random_between(&random, log(100), log(1e6))));
		estimate();
		for (size_t r = 0; r < list.count; r++) {
			const struct xs_estimate *row = &list.items[r];

			if (strcmp(row->strategy, "streams") ||
			    strcmp(row->model, "replay"))
				continue;
			assert_true(row->low_ns <= row->round_ns);
			assert_true(row->round_ns <= row->high_ns);
			assert_int_equal(!row->bound, isnan(row->otherwise_ns));
			if (!row->bound)
				continue;
			assert_true(row->otherwise_ns > row->round_ns);
			assert_true(row->high_ns >= row->otherwise_ns);
		}
	}
}

/* Eight copies in of 1000 bytes, one after the other on the device and
 * host_step bytes apart on the host, a kernel and a copy out. */
static void make_parts(uint64_t host_step)
{
	for (uint64_t i = 0; i < 8; i++) {
		steps[i] = step_of(XS_STEP_H2D, i, i, i, i + 1);
		steps[i].bytes = 1000;
		steps[i].dst = 50000 + 1000 * i;
		steps[i].src = 90000 + host_step * i;
	}
	steps[8] = step_of(XS_STEP_KERNEL, 10, 10, 20, 90);
	steps[9] = step_of(XS_STEP_D2H, 11, 11, 90, 99);
	phase.step_count = 10;
	phase.h2d_ops = 8;
}

/* Counts a plan's copies in, which all have those bytes. */
static unsigned copies_in(unsigned n, double bytes)
{
	struct xs_strategy_case c = {.machine = &machine, .phase = &phase};
	const struct xs_estimate row = {.n_streams = n,
					.order = XS_ORDER_DEPTH};
	const struct xs_scenario scenario = {
	    .machine = machine, .kernel_scale = 1, .host_scale = 1};
	struct xs_plan plan = {0};
	unsigned count = 0;

	xs_round_work_build(&phase, &c.work);
	xs_plan_pieces(&c, &row, &scenario, XS_CUT_ALL, &plan);
	for (size_t i = 0; i < plan.count; i++) {
		if (plan.actions[i].unit != XS_UNIT_COPY_IN)
			continue;
		assert_near(plan.actions[i].bytes[XS_LINK_COPY_IN], bytes);
		count++;
	}
	xs_plan_free(&plan);
	return count;
}

/* An array that is copied in parts from places of their own: the streams share
 * out the parts, and cut them only if there are more streams than parts. */
TEST(test_parts_are_shared_out)
{
	make_parts(3000);
	assert_int_equal(copies_in(2, 1000), 8);
	assert_int_equal(copies_in(4, 1000), 8);
	assert_int_equal(copies_in(16, 500), 16);
	assert_has(new_pieces("streams", 2)->assumes[0],
		   "its share of the parts");
}

/* hybrid copies nothing out: the parts of what is copied out are no matter. */
TEST(test_hybrid_copies_no_results)
{
	make_parts(1000);
	for (unsigned i = 0; i < 8; i++)
		steps[i].kind = XS_STEP_D2H;
	steps[9].kind = XS_STEP_H2D;
	phase.h2d_ops = 1;
	phase.d2h_ops = 8;
	assert_has(new_pieces("streams", 2)->assumes[0], "in one call");
	assert_has_not(pieces("hybrid", 2)->assumes[1], "in one call");
}

/* Parts that follow each other on the host, too, are one array: each stream
 * copies its piece of it. */
TEST(test_adjacent_parts_are_one_copy)
{
	make_parts(1000);
	assert_int_equal(copies_in(2, 4000), 2);
	assert_has(new_pieces("streams", 2)->assumes[0], "in one call");
}

/* Memory that follows by chance: at an allocation's start or at another call
 * site an array of its own begins, as where addresses are unknown. */
TEST(test_adjacent_arrays_are_cut_each)
{
	make_parts(1000);
	steps[4].dst_starts = true;
	assert_int_equal(copies_in(2, 2000), 4);
	steps[4].dst_starts = false;
	for (unsigned i = 4; i < 8; i++)
		steps[i].site = 5;
	assert_int_equal(copies_in(2, 2000), 4);
	make_parts(1000);
	for (unsigned i = 0; i < 8; i++)
		steps[i].dst = steps[i].src = 0; /* unknown */
	assert_int_equal(copies_in(2, 500), 16);
}

RUN_TESTS(set_up, tear_down)
