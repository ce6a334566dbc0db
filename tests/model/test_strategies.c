/* SPDX-License-Identifier: MIT */
/* Each strategy on small phases, with times worked out by hand. */
#include "tests/model/model_test.h"

static struct xs_machine machine;
static struct xs_phase phase;
static struct xs_step steps[16];
static struct xs_estimates list;
static struct xs_model_options options;

static void set_range(struct xs_param *param, double value)
{
	*param = (struct xs_param){value, value * 0.9, value * 1.2};
}

static void set_machine(void)
{
	xs_machine_init(&machine);
	machine.copy_engines = 2;
	machine.implicit_sync = 0;
	set_range(&machine.lo_h2d_ns, 5000);
	set_range(&machine.lo_d2h_ns, 6000);
	set_range(&machine.G_h2d, 0.02);
	set_range(&machine.G_d2h, 0.02);
	set_range(&machine.g_h2d_ns, 2500);
	set_range(&machine.g_d2h_ns, 2500);
	set_range(&machine.G_both_h2d, 0.022);
	set_range(&machine.G_both_d2h, 0.022);
	set_range(&machine.mapped_read, 0.0195);
	set_range(&machine.mapped_write, 0.019);
	set_range(&machine.mapped_both_read, 0.024);
	set_range(&machine.mapped_both_write, 0.024);
	set_range(&machine.mapped_write_vs_h2d, 0.03);
	set_range(&machine.h2d_vs_mapped_write, 0.028);
	set_range(&machine.call_copy_async_ns, 2500);
	set_range(&machine.call_copy_sync_ns, 3000);
	set_range(&machine.call_launch_ns, 3000);
	set_range(&machine.launch_latency_ns, 2000);
	set_range(&machine.kernel_gap_ns, 1000);
	set_range(&machine.sync_ns, 4000);
	set_range(&machine.stream_create_ns, 4000);
	set_range(&machine.pin_fixed_ns, 10000);
	set_range(&machine.pin_byte_ns, 0.5);
}

static struct xs_step step_of(uint8_t kind, uint64_t call_ns,
			      uint64_t return_ns, uint64_t start_ns,
			      uint64_t end_ns)
{
	return (struct xs_step){
	    .kind = kind,
	    .src_memory = kind == XS_STEP_H2D ? XS_MEM_PAGEABLE : XS_MEM_DEVICE,
	    .dst_memory = kind == XS_STEP_D2H ? XS_MEM_PAGEABLE : XS_MEM_DEVICE,
	    .blocking = kind != XS_STEP_KERNEL,
	    .queue = 7,
	    .thread = 1,
	    .bytes = kind == XS_STEP_KERNEL ? 0 : 1000000,
	    .call_ns = call_ns,
	    .return_ns = return_ns,
	    .start_ns = start_ns,
	    .end_ns = end_ns};
}

/* 1 MB in, a kernel of 100 us, 1 MB out; pageable, blocking. */
static int set_up(void **unused)
{
	(void)unused;
	set_machine();
	steps[0] = step_of(XS_STEP_H2D, 0, 200000, 5000, 195000);
	steps[1] = step_of(XS_STEP_KERNEL, 201000, 204000, 206000, 306000);
	steps[2] = step_of(XS_STEP_D2H, 205000, 510000, 307000, 500000);
	phase = (struct xs_phase){.rounds = 10,
				  .h2d_bytes = 1000000,
				  .d2h_bytes = 1000000,
				  .h2d_ops = 1,
				  .d2h_ops = 1,
				  .kernel_ops = 1,
				  .round_ns = {510000, 500000, 530000},
				  .kernel_ns = {100000, 99000, 103000},
				  .host_ns = {2000, 2000, 2000},
				  .h2d_buffer_bytes = 1000000,
				  .d2h_buffer_bytes = 1000000,
				  .steps = steps,
				  .step_count = 3};
	options = (struct xs_model_options){0};
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	xs_estimates_free(&list);
	return 0;
}

static void estimate(void)
{
	xs_estimates_free(&list);
	assert_int_equal(xs_model_phase(&phase, &machine, &options, &list), 0);
}

/* The row of a strategy by a model; n 0 and order NONE: any. */
static const struct xs_estimate *find(const char *strategy, const char *model,
				      unsigned n, enum xs_order order)
{
	size_t i;

	for (i = 0; i < list.count; i++) {
		const struct xs_estimate *row = &list.items[i];

		if (!strcmp(row->strategy, strategy) &&
		    !strcmp(row->model, model) && (!n || row->n_streams == n) &&
		    (!order || row->order == order))
			return row;
	}
	fail_msg("no row %s by %s, n = %u", strategy, model, n);
	return NULL;
}

static const struct xs_estimate *replayed(const char *strategy)
{
	return find(strategy, "replay", 0, XS_ORDER_NONE);
}

static void assert_abstains(const char *strategy, const char *because)
{
	const struct xs_estimate *row = replayed(strategy);

	assert_false(row->applies);
	assert_true(isnan(row->round_ns));
	if (!strstr(row->why, because))
		fail_msg("%s: \"%s\" does not say \"%s\"", strategy, row->why,
			 because);
}

static void test_as_is(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = replayed("as-is");
	assert_true(row == &list.items[0]);
	assert_true(row->applies);
	assert_near(row->round_ns, 510000);
	assert_near(row->low_ns, 500000);
	assert_near(row->high_ns, 530000);
	assert_int_equal(row->effort, XS_EFFORT_NONE);
}

/*
 * In: 5000 + 20000, return at 28000. Host 1000, launch at 29000, kernel 5000
 * later as measured: 34000 to 134000. Out: 6000 + 20000 after it, at 160000;
 * return at 163000.
 */
static void test_pinned(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = replayed("pinned");
	assert_true(row->applies);
	assert_near(row->round_ns, 163000);
	assert_true(row->low_ns < 163000 && row->high_ns > 163000);
	/* two buffers: 2 * 10000 + 2000000 * 0.5; saves 347000 a round */
	assert_near(row->setup_ns, 1020000);
	assert_near(row->breakeven_rounds, 3);
	assert_int_equal(row->effort, XS_EFFORT_HOST);
	/* 25000 + 100000 + 26000, and 2000 of the host's own */
	row = find("pinned", "vanwerkhoven2014-explicit", 0, XS_ORDER_NONE);
	assert_near(row->round_ns, 153000);
	assert_near(row->setup_ns, 1020000);
	assert_near(row->breakeven_rounds, 3);
}

/*
 * The interval of pinned. Slow machine (all parameters + 20 %): in 30000,
 * return 33600, launch 34600, kernel 39600 to 139600, out 7200 + 24000 later
 * at 170800, return 174400: +11400. Slow kernel: +3000.
 * No spread of host time. sqrt(11400^2 + 3000^2) = 11788.1. Fast machine
 * (-10 %): in 22500, return 25200, launch 26200, kernel 31200 to 131200, out
 * 154600, return 157300: -5700. Fast kernel: -1000. sqrt = 5787.1.
 */
static void test_interval(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = replayed("pinned");
	assert_close_to(row->high_ns, 163000 + 11788.1, 1e-6, "high", __FILE__,
			__LINE__);
	assert_close_to(row->low_ns, 163000 - 5787.1, 1e-6, "low", __FILE__,
			__LINE__);
}

static void make_pageable_streams(void)
{
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < 2; i++, at += 256000) {
		struct xs_step *s = &steps[3 * i];

		s[0] = step_of(XS_STEP_H2D, at, at + 100000, at + 5000,
			       at + 100000);
		s[1] = step_of(XS_STEP_KERNEL, at + 100000, at + 103000,
			       at + 105000, at + 155000);
		s[2] = step_of(XS_STEP_D2H, at + 103000, at + 256000,
			       at + 156000, at + 256000);
		s[0].bytes = s[2].bytes = 500000;
		s[0].queue = s[1].queue = s[2].queue = (uint32_t)i;
		s[0].async = s[2].async = true;
	}
	steps[6] = step_of(XS_STEP_SYNC_DEVICE, 512000, 514000, 0, 0);
	phase.step_count = 7;
	phase.kernel_ops = phase.h2d_ops = phase.d2h_ops = 2;
	phase.round_ns = (struct xs_spread){514000, 514000, 514000};
	phase.host_ns = (struct xs_spread){0, 0, 0};
}

/*
 * Streams over pageable memory, which made every copy block. Pinned, they
 * overlap: in 0 to 15000, kernel 16000 to 66000 (1000 after its copy), out
 * 72000 to 82000; the second copy in at 15000 + g, kernel 1000 after the
 * first, 67000 to 117000, out 123000 to 133000; the synchronisation as
 * measured, 2000 later.
 */
static void test_pinned_keeps_the_programs_structure(void **unused)
{
	(void)unused;
	make_pageable_streams();
	estimate();
	assert_near(replayed("as-is")->round_ns, 514000);
	assert_near(replayed("pinned")->round_ns, 135000);
}

/*
 * n = 2, after 2000 of host time. Copy in 7000 to 17000, kernel 18000 (gap
 * 1000) to 68000, second copy in 19500 to 29500, second kernel to 118000;
 * copies out 74000 to 84000 and 124000 to 134000; synchronised at 138000.
 */
static void test_streams(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = find("streams", "replay", 2, XS_ORDER_DEPTH);
	assert_near(row->round_ns, 138000);
	assert_near(row->setup_ns, 1020000 + 2 * 4000);
	assert_int_equal(row->effort, XS_EFFORT_SPLIT);
	/* breadth first: the calls still end long before the first kernel */
	row = find("streams", "replay", 2, XS_ORDER_BREADTH);
	assert_near(row->round_ns, 138000);
	/* eq. 5, n = 2, its second term, and 2000 of host time:
	 * 5000 + 10000 + 100000 + 6000 + 10000 */
	row = find("streams", "vanwerkhoven2014-eq5", 2, XS_ORDER_NONE);
	assert_near(row->round_ns, 133000);
}

/* The rows are all there, and the one that says so is the fastest. */
static void test_streams_search(void **unused)
{
	const enum xs_order orders[] = {XS_ORDER_DEPTH, XS_ORDER_BREADTH};
	size_t i, o;
	unsigned n;

	(void)unused;
	estimate();
	for (o = 0; o < COUNT(orders); o++) {
		const struct xs_estimate *best = NULL;

		for (n = 2; n <= 64; n *= 2)
			find("streams", "replay", n, orders[o]);
		for (i = 0; i < list.count; i++)
			if (list.items[i].order == orders[o] &&
			    !strcmp(list.items[i].strategy, "streams") &&
			    strstr(list.items[i].why, "best"))
				best = &list.items[i];
		assert_non_null(best);
		for (i = 0; i < list.count; i++)
			if (list.items[i].order == orders[o] &&
			    !strcmp(list.items[i].strategy, "streams"))
				assert_true(list.items[i].round_ns >=
					    best->round_ns);
	}
}

static void test_streams_asked_for(void **unused)
{
	(void)unused;
	options.streams = 7;
	estimate();
	find("streams", "replay", 7, XS_ORDER_DEPTH);
	find("streams", "replay", 7, XS_ORDER_BREADTH);
	find("streams", "vanwerkhoven2014-eq5", 7, XS_ORDER_NONE);
	find("hybrid", "vanwerkhoven2014-eq5", 7, XS_ORDER_NONE);
}

/*
 * A grid of 4 waves (8 blocks of 256 threads fit an SM of 2048, 10 SMs: 80 at
 * once, 320 in all): a piece takes a wave, 25000, at least. n = 8: pieces of
 * 12500 leave the SMs after that, but end after 25000.
 */
static void test_small_pieces_stop_shrinking(void **unused)
{
	double whole;

	(void)unused;
	machine.sm_count = 10;
	machine.max_threads_per_sm = 2048;
	estimate();
	whole = find("streams", "replay", 8, XS_ORDER_DEPTH)->round_ns;
	steps[1].blocks = 320;
	steps[1].block_threads = 256;
	estimate();
	assert_near(find("streams", "replay", 8, XS_ORDER_DEPTH)->round_ns,
		    whole + 12500);
	/* two pieces of 50000 are longer than a wave */
	assert_near(find("streams", "replay", 2, XS_ORDER_DEPTH)->round_ns,
		    138000);
}

/* Host 2000, launch 3000 + 2000, kernel 100000 (reads and writes of 24000
 * hide in it), 4000. Eq. 6: 5000 + 100000 + 6000, and 2000. */
static void test_mapped(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = replayed("mapped");
	assert_near(row->round_ns, 111000);
	assert_true(row->assumes_once);
	assert_string_equal(row->assumes[0], "each byte crosses the bus once");
	row = find("mapped", "vanwerkhoven2014-eq6", 0, XS_ORDER_NONE);
	assert_near(row->round_ns, 113000);
	assert_true(row->assumes_once);
	/* a short kernel: the transfers, both ways at once, 1 MB at 0.024 */
	steps[1].end_ns = 206000 + 1000;
	estimate();
	assert_near(replayed("mapped")->round_ns, 2000 + 5000 + 24000 + 4000);
}

/* n = 2: kernels 18000 to 68000 and on to 118000, writes within; 4000. */
static void test_hybrid(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	estimate();
	row = find("hybrid", "replay", 2, XS_ORDER_DEPTH);
	assert_near(row->round_ns, 122000);
	assert_true(row->assumes_once);
	assert_int_equal(row->effort, XS_EFFORT_REWRITE);
	/* eq. 5 with G of copies against mapped writes (the second term, n =
	 * 2): 5000 + 14000 + 100000 + 6000 + 15000, and 2000 */
	options.streams = 2;
	estimate();
	row = find("hybrid", "vanwerkhoven2014-eq5", 2, XS_ORDER_NONE);
	assert_near(row->round_ns, 142000);
}

static void test_nothing_copied(void **unused)
{
	(void)unused;
	steps[0] = steps[1];
	phase.step_count = 1;
	estimate();
	assert_abstains("pinned", "nothing is copied");
	assert_abstains("streams", "nothing is copied");
	assert_abstains("mapped", "nothing is copied");
	assert_abstains("hybrid", "nothing is copied");
}

static void test_already_pinned(void **unused)
{
	const struct xs_estimate *row;

	(void)unused;
	steps[0].src_memory = steps[2].dst_memory = XS_MEM_PINNED;
	estimate();
	assert_abstains("pinned", "nothing is left to pin");
	row = find("streams", "replay", 2, XS_ORDER_DEPTH);
	assert_near(row->setup_ns, 2 * 4000); /* nothing to pin */
}

static void test_no_kernel(void **unused)
{
	(void)unused;
	steps[1] = steps[2];
	phase.step_count = 2;
	estimate();
	assert_true(replayed("pinned")->applies);
	assert_abstains("streams", "no kernel");
	assert_abstains("mapped", "no kernel");
}

static void test_dependent_kernels(void **unused)
{
	(void)unused;
	steps[3] = steps[2];
	steps[2] = step_of(XS_STEP_KERNEL, 204000, 205000, 306000, 306500);
	phase.step_count = 4;
	estimate();
	assert_true(replayed("pinned")->applies);
	assert_abstains("streams", "2 kernels");
	assert_abstains("hybrid", "2 kernels");
}

static void test_one_way(void **unused)
{
	(void)unused;
	phase.step_count = 2;
	estimate();
	assert_true(replayed("streams")->applies);
	assert_abstains("hybrid", "one way");
}

static void test_managed(void **unused)
{
	(void)unused;
	steps[0].src_memory = XS_MEM_MANAGED;
	estimate();
	assert_abstains("pinned", "managed");
}

static void test_ops_not_seen(void **unused)
{
	(void)unused;
	steps[0].start_ns = steps[0].end_ns = 0;
	estimate();
	assert_near(replayed("as-is")->round_ns, 510000);
	assert_abstains("pinned", "not in the trace");
	assert_abstains("streams", "not in the trace");
}

static void test_unknown_parameters(void **unused)
{
	(void)unused;
	set_param(&machine.G_h2d, NAN);
	set_param(&machine.mapped_write, NAN);
	estimate();
	assert_abstains("pinned", "G of this machine");
	assert_abstains("streams", "G of this machine");
	assert_abstains("mapped", "mapped_write");
	assert_true(replayed("as-is")->applies);
}

static void test_unknown_pinning_cost(void **unused)
{
	(void)unused;
	set_param(&machine.pin_byte_ns, NAN);
	estimate();
	assert_near(replayed("pinned")->round_ns, 163000);
	assert_true(isnan(replayed("pinned")->setup_ns));
	assert_true(isnan(replayed("pinned")->breakeven_rounds));
}

/* A blocking copy in two parts: the second's step has no call time of its own.
 * As it is nothing changes; pinned, each part is a copy: 28000 and on to
 * 28000 + 5000 + 10000 + 3000, then as in test_pinned. */
static void test_copy_in_parts(void **unused)
{
	(void)unused;
	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[1] = step_of(XS_STEP_H2D, 200000, 200000, 100000, 195000);
	steps[1].bytes = 500000;
	steps[0].end_ns = 100000;
	phase.step_count = 4;
	estimate();
	assert_near(replayed("as-is")->round_ns, 510000);
	assert_near(replayed("pinned")->round_ns, 163000 + 18000);
}

/* An unknown class of device still replays; no equation is printed for it. */
static void test_no_class(void **unused)
{
	(void)unused;
	machine.implicit_sync = -1;
	estimate();
	assert_true(find("streams", "replay", 2, XS_ORDER_DEPTH)->applies);
	assert_false(
	    find("streams", "vanwerkhoven2014-eq5", 0, XS_ORDER_NONE)->applies);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_as_is),
	    TEST(test_pinned),
	    TEST(test_interval),
	    TEST(test_pinned_keeps_the_programs_structure),
	    TEST(test_streams),
	    TEST(test_streams_search),
	    TEST(test_streams_asked_for),
	    TEST(test_small_pieces_stop_shrinking),
	    TEST(test_mapped),
	    TEST(test_hybrid),
	    TEST(test_nothing_copied),
	    TEST(test_already_pinned),
	    TEST(test_no_kernel),
	    TEST(test_dependent_kernels),
	    TEST(test_one_way),
	    TEST(test_managed),
	    TEST(test_ops_not_seen),
	    TEST(test_unknown_parameters),
	    TEST(test_unknown_pinning_cost),
	    TEST(test_copy_in_parts),
	    TEST(test_no_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
