/* SPDX-License-Identifier: MIT */
/* Strategies that rearrange rounds or drop copies, with times computed by hand.
 */
#include "tests/model/small_phase.h"

static void assert_abstains(const char *strategy, const char *because,
			    bool quiet)
{
	const struct xs_estimate *row = estimated(strategy);

	assert_false(row->applies);
	assert_true(isnan(row->round_ns));
	assert_int_equal(row->quiet, quiet);
	if (!strstr(row->why, because))
		fail_msg("%s: \"%s\" does not say \"%s\"", strategy, row->why,
			 because);
}

/*
 * Kernels follow each other without a gap: one kernel (100000) covers the
 * previous copy out (6000 + 20000), the synchronisation (4000), host time of
 * 2000 and the next copy in (5000 + 20000).
 */
TEST(test_double_buffer_of_long_kernels)
{
	const struct xs_estimate *row = estimated("double-buffer");

	assert_true(row->applies);
	assert_near(row->round_ns, 100000);
	assert_true(row->high_ns > 100000 && row->low_ns < 100000);
	/* the host cannot have written the input in 2000 */
	assert_null(row->bound);
	assert_has(row->assumes[0], "the round before wrote");
	assert_int_equal(row->effort, XS_EFFORT_PLACES);
	/* the first kernel begins after host time of 2000, a copy in (5000 +
	 * 20000) and 1000; a copy out (6000 + 20000) follows the last one */
	assert_near(row->loop_ns, 28000 + 26000);
	/* two sets of 2 * 10000 + 2000000 * 0.5, and two streams */
	assert_near(row->setup_ns, 2 * 1020000 + 2 * 4000 + 54000);
}

/* Estimates with a kernel of so many blocks of 100 threads, on 4 SMs. */
static void estimate_blocks(uint64_t blocks)
{
	set_param(&machine.G_both_h2d, 0.02);
	set_param(&machine.G_both_d2h, 0.02);
	machine.sm_count = 4;
	machine.max_threads_per_sm = 1000;
	steps[1].blocks = blocks;
	steps[1].block_threads = 100;
	estimate();
}

/*
 * Kernels of which the SMs have room for two run beside each other. A set of
 * buffers is free again after host time of 2000, a copy in (5000 + 20000),
 * 1000, the kernel, a copy out (6000 + 20000) and the wait of 4000: two rounds
 * in 158000. Upwards the interval has one kernel at a time.
 */
TEST(test_double_buffer_of_small_kernels)
{
	const struct xs_estimate *row;

	estimate_blocks(20); /* of the 40 that there is room for */
	row = replayed("double-buffer");
	assert_near(row->round_ns, 79000);
	assert_true(row->high_ns > 100000);
	steps[1].registers = 100;
	machine.registers_per_sm = 100 * 100 * 9;
	assert_near(estimated("double-buffer")->round_ns, 100000);
}

/* 21 blocks on 4 SMs: one SM has 6, the others 5. The next round's blocks begin
 * there, at most in the sixth part of the kernel. */
TEST(test_double_buffer_fills_idle_sms)
{
	const struct xs_estimate *row;

	estimate_blocks(21);
	row = replayed("double-buffer");
	assert_near(row->round_ns, 100000 * 5.25 / 6);
	assert_true(row->high_ns > 100000);
	steps[1].blocks = 24;
	assert_near(estimated("double-buffer")->round_ns, 100000);
}

/*
 * The same with two kernels of 50000, 1000 apart. Kernels that spin are 1800
 * apart: 800 of it are in the recorded times.
 */
TEST(test_double_buffer_of_two_kernels)
{
	set_param(&machine.G_both_h2d, 0.02);
	set_param(&machine.G_both_d2h, 0.02);
	machine.sm_count = 4;
	machine.max_threads_per_sm = 1000;
	steps[1].end_ns -= 50000;
	steps[1].blocks = 5;
	steps[1].block_threads = 100;
	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[2].start_ns += 51000;
	steps[2].end_ns += 51000;
	phase.step_count = 4;
	phase.kernel_ops = 2;
	assert_near(estimated("double-buffer")->round_ns, 79500);
	set_param(&machine.kernel_gap_ns, 1800);
	set_param(&machine.copy_to_kernel_ns, 1000);
	assert_near(estimated("double-buffer")->round_ns, 79900);
}

/*
 * Transfers of 20000 each way and a kernel of 10000: one of two sets of buffers
 * is free again when its round ends, 50000 later.
 */
TEST(test_double_buffer_of_long_copies)
{
	xs_machine_init(&machine);
	machine.copy_engines = 2;
	machine.implicit_sync = 0;
	set_param(&machine.G_h2d, 0.02);
	set_param(&machine.G_d2h, 0.02);
	set_param(&machine.lo_h2d_ns, 0);
	set_param(&machine.lo_d2h_ns, 0);
	steps[1].end_ns = steps[1].start_ns + 10000;
	phase.host_ns = always(0);
	assert_near(estimated("double-buffer")->round_ns, 25000);
}

/* 200000 of host time per round, three calls, and a synchronisation that finds
 * the previous round done. */
TEST(test_double_buffer_of_a_busy_host)
{
	phase.host_ns = always(200000);
	assert_near(estimated("double-buffer")->round_ns,
		    200000 + 2500 + 3000 + 2500 + 4000);
	/* in which the host may have made the input from the results */
	assert_non_null(replayed("double-buffer")->bound);
}

/* The same time between rounds is not the round's: what is left of it are its
 * calls and the synchronisation. */
TEST(test_double_buffer_beside_the_host)
{
	phase.between_ns = always(200000);
	assert_near(estimated("double-buffer")->round_ns,
		    2000 + 2500 + 3000 + 2500 + 4000);
	assert_non_null(replayed("double-buffer")->bound);
	/* a part of the kernel of 100000 is left */
	phase.between_ns = always(30000);
	assert_near(estimated("double-buffer")->round_ns, 70000);
}

/* Its buffers outlast a round; in pinned, what allocates remains. */
TEST(test_double_buffer_without_allocations)
{
	double pinned_ns, round_ns;

	round_ns = estimated("double-buffer")->round_ns;
	pinned_ns = replayed("pinned")->round_ns;
	steps[3] = allocation(510000, 700000);
	phase.step_count = 4;
	assert_near(estimated("double-buffer")->round_ns, round_ns);
	/* both sets are allocated before the loop */
	assert_near(replayed("double-buffer")->loop_ns, 54000);
	assert_near(replayed("double-buffer")->setup_ns,
		    2 * 1020000 + 2 * 4000 + 54000 + 190000);
	assert_near(replayed("pinned")->round_ns, pinned_ns + 190000);
}

/* What is copied in again was a result: the host may have changed it. */
TEST(test_double_buffer_of_returning_data)
{
	const struct xs_estimate *row;

	steps[0].src = steps[2].dst = 0x1000;
	row = estimated("double-buffer");
	assert_near(row->round_ns, 100000);
	assert_true(row->doubtful);
	assert_true(row->returning);
	assert_has(row->bound, "the host fills each round's input anew");
	assert_string_equal(row->bound, row->assumes[0]);
	steps[2].dst = 0x2000;
	assert_false(estimated("double-buffer")->returning);
	assert_false(estimated("double-buffer")->doubtful);
}

/* Each round copies in the same memory: to update it from the copy out, the
 * host reads a million bytes and writes them, in 20000 at least. */
TEST(test_double_buffer_of_updated_data)
{
	steps[0].same_host = true;
	phase.between_ns.median_ns = phase.between_ns.p95_ns = 19999;
	assert_false(estimated("double-buffer")->doubtful);
	phase.between_ns.median_ns = phase.between_ns.p95_ns = 20000;
	assert_true(estimated("double-buffer")->doubtful);
	assert_has(estimated("double-buffer")->why, "from what was copied out");
	assert_has(estimated("double-buffer")->bound, "round before wrote");
	steps[0].same_host = false;
	assert_false(estimated("double-buffer")->doubtful);
	steps[0].same_host = true;
	steps[2].bytes--;
	assert_false(estimated("double-buffer")->doubtful);
}

/* The copy out (6000 + 20000) runs during the next kernel, which may need what
 * the one before left on the device. */
TEST(test_double_buffer_of_copies_out)
{
	const struct xs_estimate *row;

	steps[0] = steps[1];
	steps[1] = steps[2];
	phase.step_count = 2;
	row = estimated("double-buffer");
	assert_near(row->round_ns, 100000);
	assert_non_null(row->bound);
	assert_true(row->doubtful);
	assert_has(row->assumes[1], "second set");
	steps[1].bytes = 4;
	assert_abstains("double-buffer", "only a value is copied", true);
}

TEST(test_double_buffer_abstains)
{
	phase.rounds = 1;
	assert_abstains("double-buffer", "only one round", true);
	phase.rounds = 10;
	set_param(&machine.G_h2d, NAN);
	assert_abstains("double-buffer", "the profile lacks the rate", false);
	steps[1] = steps[2];
	phase.step_count = 2;
	assert_abstains("double-buffer", "no kernel", true);
}

/* Without the copy in: 510000 - 200000. The result is still copied out. */
TEST(test_resident)
{
	const struct xs_estimate *row;

	steps[0].src = steps[2].dst = 0x1000;
	row = estimated("resident");
	assert_true(row->applies);
	assert_near(row->round_ns, 310000);
	/* the program itself writes it */
	assert_has(row->bound, "nothing but copies out changes the data");
	/* the first round takes 510000 */
	assert_near(row->setup_ns, 200000);
	assert_near(row->loop_ns, 200000);
	assert_has(row->why, "; results still go to pageable memory: pin them");
	steps[2].dst_memory = XS_MEM_PINNED;
	assert_has_not(estimated("resident")->why, "results");
}

/* The copy in takes 20000: without it the round changes by no more. */
TEST(test_resident_of_a_short_copy)
{
	const struct xs_estimate *row;

	steps[0].src = steps[2].dst = 0x1000;
	for (int i = 0; i < 3; i++) {
		steps[i].call_ns -= i ? 180000 : 0;
		steps[i].return_ns -= 180000;
		steps[i].start_ns -= i ? 180000 : 0;
		steps[i].end_ns -= 180000;
	}
	phase.round_ns = always(330000);
	row = estimated("resident");
	assert_near(row->round_ns, 310000);
	/* in quadrature with what is known of it */
	assert_true(row->low_ns > 289000 && row->high_ns < 331000);
}

/* Every round copies in from the same memory. The copy out stays, and with it
 * 510000 - 200000. If kernels change the data, a copy on the device comes
 * first: 1 MB at 2 GB/s, read and written. What is allocated for the data is
 * allocated once. */
TEST(test_resident_of_the_same_input)
{
	const struct xs_estimate *row;

	steps[0].same_host = true;
	machine.memory_bandwidth = 2e9;
	row = estimated("resident");
	assert_near(row->round_ns, 310000);
	assert_true(row->high_ns > row->round_ns + 1000000);
	assert_has(row->bound,
		   "neither the host nor a kernel changes the data");
	assert_has(row->why, "from the same host memory");
	assert_abstains("resident-throughout", "bring data back", true);
	steps[3] = allocation(510000, 700000);
	phase.step_count = 4;
	phase.round_ns = always(700000);
	row = estimated("resident");
	assert_near(row->round_ns, 310000);
	assert_near(row->setup_ns, 390000);
	assert_near(row->loop_ns, 200000);
	assert_near(row->more_bytes, 0);
	/* what comes to the same place needs another one to stay */
	steps[3] = steps[0];
	steps[3].bytes = 4096;
	steps[0].dst = steps[3].dst = 0x7000;
	assert_near(estimated("resident")->more_bytes, 4096);
}

/* It takes no longer than the copy in, but it is not free of charge. */
TEST(test_resident_on_memory_of_unknown_speed)
{
	steps[0].same_host = true;
	assert_near(estimated("resident")->round_ns, 310000);
	assert_true(replayed("resident")->high_ns > 510000 - 1);
}

/* A copy of 100000, one of the same data on another stream behind it, and a
 * kernel of 10000 that needs the latter. A copy on the device in its place
 * takes 1000, also behind the first one, and the kernel 1000 after that. */
TEST(test_resident_copies_keep_their_order)
{
	const struct xs_estimate *row;
	size_t i;

	steps[0] = step_of(XS_STEP_H2D, 0, 2500, 5000, 105000);
	steps[1] = step_of(XS_STEP_H2D, 3000, 5500, 106000, 126000);
	steps[2] = step_of(XS_STEP_KERNEL, 6000, 9000, 127000, 137000);
	steps[3] = step_of(XS_STEP_SYNC_DEVICE, 10000, 141000, 0, 0);
	for (i = 0; i < 2; i++) {
		steps[i].src_memory = XS_MEM_PINNED;
		steps[i].blocking = false;
		steps[i].async = true;
	}
	steps[0].queue = 9;
	steps[1].same_host = true;
	phase.step_count = 4;
	phase.h2d_ops = 2;
	phase.kernel_ns = always(10000);
	machine.memory_bandwidth = 2e12;
	row = estimated("resident");
	assert_near(row->round_ns, 105000 + 4000);
	assert_true(row->high_ns > 105000 + 1000 + 1000 + 10000 + 4000 - 1);
}

/* Nothing is copied and nothing waits for a round: eight kernels of 100000,
 * 1000 apart, which take longer than the calls; at the end one wait of 4000. */
TEST(test_resident_throughout)
{
	const struct xs_estimate *row;

	steps[0].src = steps[2].dst = 0x1000;
	phase.h2d_ns = always(30000);
	row = estimated("resident-throughout");
	assert_true(row->applies);
	assert_non_null(row->bound);
	assert_true(row->round_ns > 101000 && row->round_ns < 102500);
	/* the first round still copies in, the last one out */
	assert_near(row->loop_ns, 30000);
	assert_near(row->setup_ns, 30000);
	steps[3] = (struct xs_step){.kind = XS_STEP_ALLOCATE,
				    .thread = 1,
				    .call_ns = steps[2].return_ns,
				    .return_ns = steps[2].return_ns + 7000};
	phase.step_count = 4;
	/* what a round allocates is allocated once */
	assert_near(estimated("resident-throughout")->setup_ns, 37000);
	phase.step_count = 3;
	/* the host's own time of a round, if that is longer */
	phase.host_ns = always(400000);
	row = estimated("resident-throughout");
	assert_true(row->round_ns > 403000 && row->round_ns < 420000);
	phase.rounds = 1;
	assert_abstains("resident-throughout", "only one round", true);
	phase.rounds = 10;
	steps[0].src = 0x5000;
	assert_abstains("resident-throughout", "bring data back", true);
}

TEST(test_resident_abstains)
{
	/* no addresses */
	assert_abstains("resident", "no addresses of copies", true);
	steps[0].src = 0x1000;
	steps[2].dst = 0x2000;
	assert_abstains("resident", "bring back", true);
	steps[2].dst = 0x1000;
	steps[2].bytes /= 2;
	assert_abstains("resident", "bring back", true);
	steps[2].bytes *= 2;
	phase.rounds = 1; /* copied out last and never in again */
	assert_abstains("resident", "bring back", true);
}

/* Out and in again within the only round; the copy in of other memory stays. */
TEST(test_resident_within_a_round)
{
	phase.rounds = 1;
	steps[2].dst = 0x1000;
	steps[3] = step_of(XS_STEP_H2D, 510000, 710000, 515000, 705000);
	steps[3].src = 0x1000;
	phase.step_count = 4;
	phase.h2d_ops = 2;
	assert_near(estimated("as-is")->round_ns, 710000);
	/* the copy in (200000), host time of 1000, the launch, and the kernel
	 * 5000 after its call, as measured */
	assert_near(replayed("resident")->round_ns, 306000);
	assert_has(replayed("resident")->bound, "nor needs");
}

/* Contents were hashed: the copy in brings the same bytes each time, and only
 * it is left out. The copy out stays, 305000; on the device it begins 1000
 * after the kernel. */
TEST(test_resident_measured)
{
	static struct xs_phase_site site = {.step_kind = XS_STEP_H2D};
	const struct xs_estimate *row;

	site.repeats = steps[0].repeats =
	    (struct xs_repeat_counts){9, 9, 4, false};
	phase.sites = &site;
	phase.site_count = 1;
	row = estimated("resident");
	assert_true(row->applies);
	assert_null(row->bound);
	assert_has(row->why, "in 9 of 9 copies in, 4 of them");
	assert_near(row->round_ns, 510000 - 200000);
	/* samples are no proof */
	site.repeats.sampled = steps[0].repeats.sampled = true;
	assert_has(estimated("resident")->bound, "sampled");
	/* one copy differed; equal addresses do not overrule the contents */
	site.repeats.same = steps[0].repeats.same = 8;
	steps[0].src = steps[2].dst = 0x1000;
	assert_abstains("resident", "8 of 9 copies", true);
}

/* Makes the host work for work_ns before the launch, and 1000 after it. */
static void make_host_work(uint64_t work_ns)
{
	const uint64_t at = 200000 + work_ns;

	steps[1] =
	    step_of(XS_STEP_KERNEL, at, at + 3000, at + 5000, at + 105000);
	steps[2] = step_of(XS_STEP_D2H, at + 4000, at + 309000, at + 106000,
			   at + 299000);
	phase.round_ns = always(at + 309000);
	phase.host_ns = always(work_ns);
	phase.host_blocked_ns = 500000;
}

/*
 * The launch follows the return of the copy in: kernel from 205000 to 305000,
 * copy out 1000 later for 193000, return 10000 after that. The host's second
 * piece of work overlapped the kernel already.
 */
TEST(test_async)
{
	const struct xs_estimate *row;

	make_host_work(100000);
	row = estimated("async");
	assert_near(replayed("as-is")->round_ns, 609000);
	assert_near(row->round_ns, 509000);
	assert_non_null(row->bound);
	/* more work than GPU time: the work determines the time, with the
	 * launch and the copies of pageable memory, 200000 and 204000 */
	make_host_work(700000);
	assert_near(estimated("async")->round_ns, 701000 + 3000 + 404000);
}

TEST(test_async_abstains)
{
	assert_abstains("async", "less than 1 %", true);
	make_host_work(100000);
	phase.host_blocked_ns = 0;
	assert_abstains("async", "never waits", true);
}

/* Adds four copies of 10 kB, 10000 each and 1000 apart, beside a kernel of
 * 100000 and a large copy. kind: their direction. */
static void make_small_copies(uint8_t kind)
{
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < 4; i++, at += 11000) {
		steps[i] = step_of(kind, at, at + 10000, at + 5000, at + 9000);
		steps[i].bytes = 10000;
	}
	steps[4] =
	    step_of(XS_STEP_KERNEL, at, at + 3000, at + 5000, at + 105000);
	steps[5] = step_of(XS_STEP_D2H, at + 4000, at + 309000, at + 106000,
			   at + 299000);
	phase.step_count = 6;
	phase.h2d_ops = kind == XS_STEP_H2D ? 4 : 0;
	phase.d2h_ops = kind == XS_STEP_H2D ? 1 : 5;
	phase.round_ns = always(at + 309000);
	set_param(&machine.host_copy_byte_ns, 0.2);
}

static void shift(struct xs_step *step, uint64_t by_ns)
{
	step->call_ns += by_ns;
	step->return_ns += by_ns;
	step->start_ns += by_ns;
	step->end_ns += by_ns;
}

/*
 * Gathered in 8000; 5000 + 800, return 3000 later at 16800; the 1000 before the
 * launch stay: 17800. The kernel 5000 later, the copy out 1000 after it for
 * 193000, its return 10000 later. If the host does more than issue the copies,
 * the 3000 between them stay, too.
 */
TEST(test_batch)
{
	const struct xs_estimate *row;

	make_small_copies(XS_STEP_H2D);
	row = estimated("batch");
	assert_near(replayed("as-is")->round_ns, 353000);
	assert_near(row->round_ns, 17800 + 5000 + 100000 + 1000 + 203000);
	/* the least buffer that calibration pins */
	assert_near(row->setup_ns, 10000 + 65536 * 0.5);
	assert_null(row->bound); /* less than 1 % */
	steps[0].call_ns = 0;
	for (size_t i = 1; i < 6; i++)
		shift(&steps[i], 4000);
	row = estimated("batch");
	assert_near(row->round_ns, 17800 + 5000 + 100000 + 1000 + 203000);
	assert_near(row->otherwise_ns, row->round_ns + 7000);
	assert_has(row->bound, "no call of a round needs");
	assert_int_equal(row->effort, XS_EFFORT_PLACE);
	/* so long it computes: it stays in any case */
	for (size_t i = 1; i < 6; i++)
		shift(&steps[i], 2000000);
	row = estimated("batch");
	assert_near(row->round_ns,
		    2005000 + 17800 + 5000 + 100000 + 1000 + 203000);
}

/* The other direction: 6000 + 800, return at 9800, launch at 10800; the results
 * are scattered at the end, in 8000. */
TEST(test_batch_of_copies_out)
{
	make_small_copies(XS_STEP_D2H);
	assert_near(estimated("batch")->round_ns,
		    10800 + 5000 + 100000 + 1000 + 203000 + 8000);
	assert_has(estimated("batch")->why, ", scattered in ");
}

/* The round allocates the second copy's array in 7000, behind the first copy,
 * and frees it in 5000. Merged, it is part of the first one's, which is older
 * than the round, and the round as above; unless it was. */
TEST(test_batch_of_arrays_of_the_round)
{
	const double once_ns = 17800 + 5000 + 100000 + 1000 + 203000;

	make_small_copies(XS_STEP_H2D);
	for (size_t i = 6; i > 1; i--) {
		steps[i] = steps[i - 1];
		shift(&steps[i], 7000);
	}
	steps[1] = (struct xs_step){.kind = XS_STEP_ALLOCATE,
				    .thread = 1,
				    .dst = 0x2000,
				    .bytes = 10000,
				    .call_ns = 10500,
				    .return_ns = 17500};
	steps[2].dst = 0x2000;
	steps[7] = (struct xs_step){.kind = XS_STEP_FREE,
				    .thread = 1,
				    .dst = 0x2000,
				    .call_ns = 360000,
				    .return_ns = 365000};
	phase.step_count = 8;
	phase.round_ns = always(365000);
	assert_near(estimated("batch")->round_ns, once_ns);
	steps[0].dst = 0x2000;
	assert_near(estimated("batch")->round_ns, once_ns + 7000 + 5000);
}

/* Gathered at 0.3 ns a byte: 12000 instead of 8000. At 2 ns a
 * byte merging costs more than it saves, and nothing pays it back. */
TEST(test_batch_by_the_time_to_gather)
{
	const struct xs_estimate *row;

	make_small_copies(XS_STEP_H2D);
	set_param(&machine.host_copy_byte_ns, 0.3);
	row = estimated("batch");
	assert_near(row->round_ns,
		    17800 + 4000 + 5000 + 100000 + 1000 + 203000);
	assert_has(row->why, ", gathered in 12000 ns by one host thread");
	/* in 2000 by all threads; the range has one */
	options.language = XS_LANGUAGE_PYTORCH;
	set_param(&machine.host_threads_byte_ns, 0.05);
	row = estimated("batch");
	assert_near(row->round_ns, 7800 + 4000 + 5000 + 100000 + 1000 + 203000);
	assert_true(row->high_ns >= row->round_ns + 10000);
	assert_has(row->why, "all processors");
	options.language = XS_LANGUAGE_CUDA;
	set_param(&machine.host_copy_byte_ns, 2);
	row = estimated("batch");
	assert_true(row->round_ns > replayed("as-is")->round_ns);
}

/* What is apart in pinned memory, 80000 bytes now, 800 longer. A batch has the
 * 5000 of one copy, and 200 for each further one; its call takes less. A kernel
 * starts 5000 after its call and reads for 1560, not 1600. */
static void expect_direct(double at_once_ns)
{
	set_param(&machine.call_batch_copy_ns, 100);
	set_param(&machine.g_batch_ns, 200);
	assert_abstains("batch-call", "consecutive small copies", true);
	for (size_t i = 0; i < 8; i += 2)
		steps[i].bytes = 20000;
	assert_abstains("batch-call", "lacks the time of a batch", false);
	set_param(&machine.call_batch_ns, 1000);
	assert_near(estimated("batch-call")->round_ns,
		    at_once_ns + 800 + 3 * 200);
	assert_near(replayed("batch-kernel")->round_ns, at_once_ns + 800 - 40);
	assert_near(replayed("batch-call")->setup_ns, 0);
	options.language = XS_LANGUAGE_PYTORCH;
	assert_abstains("batch-kernel", "framework", true);
	options.language = XS_LANGUAGE_CUDA;
}

/*
 * The copies are asynchronous, follow each other on the host and on the device,
 * and the host waits for each: one copy of 40000 bytes needs no buffer. Its
 * call takes 2500 and ends 800 after 5000 from its begin; the wait returns 1000
 * after it, at 6800, launch at 7800.
 */
TEST(test_batch_of_adjacent_copies)
{
	struct xs_step *step = steps;
	const struct xs_estimate *row;
	uint64_t i, at = 0;
	double at_once_ns;

	make_small_copies(XS_STEP_H2D);
	steps[9] = steps[5];
	steps[8] = steps[4];
	for (i = 0; i < 4; i++, at += 11000) {
		*step =
		    step_of(XS_STEP_H2D, at, at + 2500, at + 5000, at + 9000);
		step->blocking = false;
		step->async = true;
		step->src_memory = XS_MEM_PINNED;
		step->bytes = 10000;
		step->dst = 1000000 + 10000 * i;
		step->src = 5000000 + 10000 * i;
		step++;
		*step++ =
		    step_of(XS_STEP_SYNC_STREAM, at + 2500, at + 10000, 0, 0);
	}
	phase.step_count = 10;
	row = estimated("batch");
	assert_near(row->round_ns, replayed("as-is")->round_ns - 44000 +
				       (5000 + 800 + 1000 + 1000));
	assert_near(row->setup_ns, 0);
	at_once_ns = row->round_ns;
	assert_abstains("batch-call", "consecutive small copies", true);
	/* apart: gathered in 8000 */
	steps[2].src += 64;
	assert_near(estimated("batch")->round_ns, at_once_ns + 8000);
	expect_direct(at_once_ns);
	steps[2].src_memory = XS_MEM_PAGEABLE;
	assert_abstains("batch-call", "from pinned memory", true);
	assert_abstains("batch-kernel", "from pinned memory", true);
}

/* What is merged is pinned: it does not vary as pageable copies do. */
TEST(test_batch_varies_as_pinned_copies)
{
	const struct xs_estimate *row;

	make_small_copies(XS_STEP_H2D);
	phase.kernel_ns = always(100000);
	steps[5].dst_memory = XS_MEM_PINNED;
	machine = shipped_exact("h200");
	set_param(&machine.host_copy_byte_ns, 0.3);
	memset(&machine.self_check, 0, sizeof(machine.self_check));
	machine.pageable_h2d =
	    (struct xs_curve){1, {40000}, {8000}, {4000}, {16000}};
	row = estimated("batch");
	assert_near(row->known_high_ns, row->round_ns);
	assert_near(row->known_low_ns, row->round_ns);
}

TEST(test_batch_abstains)
{
	size_t i;

	assert_abstains("batch", "fewer than 4 copies", true);
	make_small_copies(XS_STEP_H2D);
	for (i = 0; i < 4; i++)
		steps[i].bytes = 400000; /* 8000 against 7500 */
	assert_abstains("batch", "small copies", true);
	make_small_copies(XS_STEP_H2D);
	steps[1].queue = 9;
	assert_abstains("batch", "consecutive small copies", true);
}

/* Which estimates are bounds, and which are not. */
TEST(test_bounds)
{
	assert_non_null(estimated("mapped")->bound);
	assert_non_null(replayed("hybrid")->bound);
	assert_null(replayed("pinned")->bound);
	assert_null(replayed("streams")->bound);
}

RUN_TESTS(set_up, tear_down)
