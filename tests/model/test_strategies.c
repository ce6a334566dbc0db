/* SPDX-License-Identifier: MIT */
/* Each strategy on small phases, with times computed by hand. */
#include "model/strategies/between_programs.h"
#include "tests/model/small_phase.h"

TEST(test_as_is)
{
	const struct xs_estimate *row = estimated("as-is");

	assert_true(row == &list.items[0]);
	assert_true(row->applies);
	assert_near(row->round_ns, 510000);
	/* test_another_run.c tests how far beyond */
	assert_true(row->known_low_ns > 499000 && row->known_low_ns <= 500000);
	assert_true(row->known_high_ns >= 530000 &&
		    row->known_high_ns < 531000);
	assert_int_equal(row->effort, XS_EFFORT_NONE);
}

/*
 * In: 5000 + 20000, return at 28000. Host 1000, launch at 29000, kernel 5000
 * later as measured: 34000 to 134000. Out: 6000 + 20000 after it, at 160000;
 * return at 163000.
 */
TEST(test_pinned)
{
	const struct xs_estimate *row = estimated("pinned");

	assert_true(row->applies);
	assert_near(row->round_ns, 163000);
	assert_true(row->low_ns < 163000 && row->high_ns > 163000);
	/* two buffers: 2 * 10000 + 2000000 * 0.5 */
	assert_near(row->setup_ns, 1020000);
	assert_int_equal(row->effort, XS_EFFORT_CALL);
	/* 25000 + 100000 + 26000, and 2000 of the host's own */
	row = find("pinned", "vanwerkhoven2014-explicit", 0, XS_ORDER_NONE);
	assert_near(row->round_ns, 153000);
	assert_near(row->setup_ns, 1020000);
}

/* Calls of threads take turns in the driver: of blocking copies only the launch
 * is no wait. A round that runs alone, and the round as it is, stay. */
TEST(test_threads_take_turns_in_the_driver)
{
	phase.at_once = 50;
	assert_near(estimated("pinned")->round_ns, 163000);
	phase.at_once = 100;
	assert_near(estimated("pinned")->round_ns, 300000);
	assert_near(estimated("as-is")->round_ns, 510000);
	/* 2 copies of 2500 */
	assert_near(estimated("double-buffer")->round_ns, 800000);
}

/* PyTorch waits 50 us for a copy in that its call has staged; from pinned
 * memory and with non_blocking nothing waits for it but the kernel. */
TEST(test_pytorch_does_not_wait_for_copies_in)
{
	double waits_ns;

	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[0] = step_of(XS_STEP_H2D, 0, 150000, 5000, 195000);
	steps[0].async = true;
	steps[0].blocking = false;
	steps[1] = step_of(XS_STEP_SYNC_STREAM, 150000, 200000, 0, 0);
	phase.step_count = 4;
	waits_ns = estimated("pinned")->round_ns;
	options.language = XS_LANGUAGE_PYTORCH;
	/* the launch is issued while the copy runs */
	assert_true(estimated("pinned")->round_ns < waits_ns - 2000);
	options.language = XS_LANGUAGE_CUDA;
}

/* CuPy copies 2 MB to pinned memory for 300 us before they are copied in;
 * pinned arrays spare that, or at least the 90 us that the profile has for it.
 */
TEST(test_pinned_arrays_are_not_staged)
{
	const struct xs_estimate *row;

	steps[0] = step_of(XS_STEP_H2D, 300000, 350000, 305000, 345000);
	steps[0].src_memory = XS_MEM_PINNED;
	steps[0].bytes = 2000000;
	steps[0].staged = true;
	phase.host_ns.median_ns = 302000;
	steps[1] = step_of(XS_STEP_KERNEL, 351000, 354000, 356000, 456000);
	steps[2] = step_of(XS_STEP_D2H, 355000, 510000, 457000, 500000);
	steps[2].dst_memory = XS_MEM_PINNED;
	set_range(&machine.host_copy_byte_ns, 0.05);
	row = estimated("pinned");
	assert_true(row->applies);
	assert_near(row->round_ns, replayed("as-is")->round_ns - 300000);
	assert_near(row->otherwise_ns, replayed("as-is")->round_ns - 90000);
	assert_has(row->bound, "CuPy's copy");
	assert_true(row->setup_ns > 0);
	/* other strategies have pinned arrays, too; there is no other work to
	 * move */
	assert_true(replayed("double-buffer")->round_ns < 200000);
	assert_false(replayed("async")->applies);
	steps[0].staged = false;
	assert_false(estimated("pinned")->applies);
}

/* Rounds that touch new memory no longer do: it is touched once. A small buffer
 * is pinned as the least one that was measured. */
TEST(test_the_setup_touches_memory_once)
{
	set_range(&machine.register_fixed_ns, 30000);
	set_range(&machine.register_byte_ns, 1);
	set_range(&machine.touch_byte_ns, 2);
	set_range(&machine.pin_byte_ns, 5);
	assert_near(estimated("pinned")->setup_ns, 2060000);
	phase.touched_bytes = 1000000;
	assert_near(estimated("pinned")->setup_ns, 2060000 + 2000000);
	/* new buffers of ten rounds: 2 ms are more than a round saves */
	assert_has(replayed("pinned")->why,
		   "; keeping them unpinned saves 3470000 ns)");
	assert_int_equal(replayed("pinned")->effort, XS_EFFORT_PLACE);
	phase.buffer_bytes = 2000;
	assert_near(estimated("pinned")->setup_ns, 2 * 95536 + 2 * 2000);
	assert_has(replayed("pinned")->why,
		   "cudaMallocHost would take 675360 ns");
}

/* The setup costs what the profile's ends of its parameters say: two buffers of
 * 1 MB in all, with a stream each if there are two. */
TEST(test_the_setup_has_a_range)
{
	const double less_ns = 2 * 2000 + 2000000 * 0.1;
	const double more_ns = 2 * 5000 + 2000000 * 0.3;

	machine.pin_fixed_ns = (struct xs_param){10000, 8000, 15000};
	machine.pin_byte_ns = (struct xs_param){0.5, 0.4, 0.8};
	assert_near(estimated("pinned")->setup_less_ns, less_ns);
	assert_near(replayed("pinned")->setup_more_ns, more_ns);
	machine.stream_create_ns = (struct xs_param){4000, 3000, 7000};
	assert_near(estimated("double-buffer")->setup_less_ns,
		    2 * less_ns + 2 * 1000);
	assert_near(replayed("double-buffer")->setup_more_ns,
		    2 * more_ns + 2 * 3000);
	/* an end that is not known is the value */
	machine.pin_byte_ns.high = NAN;
	assert_near(estimated("pinned")->setup_more_ns, 2 * 5000);
}

/* Where addresses are unknown, rounds may use up to four buffers in turn to
 * copy in and two to copy out, but no more than there are rounds. */
TEST(test_the_setup_of_unknown_buffers)
{
	phase.rounds = 20;
	phase.h2d_buffers = 0;
	/* the profile gives from 0.9 to 1.2 times as much; three more of two */
	assert_near(estimated("pinned")->setup_ns, 1020000);
	assert_near(estimated("pinned")->setup_less_ns, 102000);
	assert_near(estimated("pinned")->setup_more_ns,
		    (1.2 * 5 / 2 - 1) * 1020000);
	phase.d2h_buffers = 0;
	assert_near(estimated("pinned")->setup_more_ns,
		    (1.2 * 6 / 2 - 1) * 1020000);
	phase.rounds = 2;
	assert_near(estimated("pinned")->setup_more_ns,
		    (1.2 * 4 / 2 - 1) * 1020000);
	phase.h2d_buffers = phase.d2h_buffers = 1;
	assert_near(estimated("pinned")->setup_more_ns, 0.2 * 1020000);
}

/* Where rounds may have new buffers, those of one round are to be kept; six
 * buffers in turn, or slices of one array, are all pinned. */
TEST(test_one_set_of_new_buffers)
{
	phase.rounds = 20;
	phase.d2h_buffers = 20;
	phase.d2h_buffer_bytes = 20000000;
	phase.buffers = 21;
	phase.buffer_bytes = 21000000;
	/* the condition is of one set: its range has no more than that */
	assert_near(estimated("pinned")->setup_ns, 1020000);
	assert_near(replayed("pinned")->setup_more_ns, 0.2 * 1020000);
	assert_has(replayed("pinned")->needs, "their addresses differ");
	/* eight rounds at a time have a set each */
	phase.total_ns = 20 * 510000;
	phase.concurrent_ns = phase.total_ns;
	phase.wall_ns = phase.total_ns / 8;
	assert_near(estimated("pinned")->setup_ns, 16 * 10000 + 16000000 * 0.5);
	assert_has(replayed("pinned")->needs, "each round that runs at once");
	phase.concurrent_ns = 0;
	/* the tensors of a framework may be new, however few they are */
	phase.rounds = 200;
	options.language = XS_LANGUAGE_PYTORCH;
	phase.h2d_buffers = 4;
	assert_near(estimated("pinned")->setup_ns, 1020000);
	options.language = XS_LANGUAGE_CUDA;
	phase.rounds = 20;
	phase.h2d_buffers = 1;
	phase.d2h_buffers = 1;
	phase.buffers = 2;
	assert_near(estimated("pinned")->setup_ns, 2 * 10000 + 21000000 * 0.5);
	phase.d2h_buffers = 6;
	phase.buffers = 7;
	phase.d2h_buffer_bytes = 6000000;
	phase.buffer_bytes = 7000000;
	phase.rounds = 28;
	assert_near(estimated("pinned")->setup_ns, 7 * (10000 + 500000));
	phase.rounds = 27;
	assert_near(estimated("pinned")->setup_ns, 1020000);
}

/* Nothing but the call waits for an asynchronous copy out. */
TEST(test_pinned_copies_out_need_a_wait)
{
	phase.step_count = 4;
	steps[2].async = true;
	steps[3] = step_of(XS_STEP_SYNC_STREAM, 511000, 512000, 0, 0);
	assert_null(strstr(estimated("pinned")->assumes[0], "the host waits"));
	assert_null(replayed("pinned")->assumes[1]);
	/* for another stream, or for an event that precedes the copy */
	steps[3].queue = steps[2].queue + 1;
	assert_has(estimated("pinned")->assumes[1], "the host waits");
	steps[3] = step_of(XS_STEP_SYNC_EVENT, 511000, 512000, 0, 0);
	steps[3].event = 1;
	assert_has(estimated("pinned")->assumes[1], "the host waits");
	phase.step_count = 3;
	assert_has(estimated("pinned")->assumes[1],
		   "the host waits before it reads the results");
	/* as if the copy blocked */
	assert_near(replayed("pinned")->round_ns, 163000);
}

/* Nor for a copy in, but a wait of the round's end. PyTorch's own wait after
 * the copy goes. */
TEST(test_pinned_copies_in_need_a_wait)
{
	phase.step_count = 4;
	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[1] = step_of(XS_STEP_SYNC_STREAM, 101000, 102000, 0, 0);
	steps[0].async = true;
	options.language = XS_LANGUAGE_PYTORCH;
	assert_has(estimated("pinned")->assumes[1],
		   "the host waits before it changes what it copies in");
	options.language = XS_LANGUAGE_CUDA;
	assert_null(estimated("pinned")->assumes[1]);
	options.language = XS_LANGUAGE_PYTORCH;
	steps[4] = step_of(XS_STEP_SYNC_STREAM, 511000, 512000, 0, 0);
	phase.step_count = 5;
	assert_null(estimated("pinned")->assumes[1]);
}

/* Ten rounds copy from and to two buffers, eight times or more each. */
TEST(test_buffers_in_turn_are_all_pinned)
{
	assert_null(estimated("pinned")->needs);
	assert_string_equal(replayed("pinned")->assumes[0],
			    "no round frees the buffers");
	phase.rounds = 7;
	assert_non_null(estimated("pinned")->needs);
	phase.rounds = 8;
	assert_null(estimated("pinned")->needs);
	options.language = XS_LANGUAGE_PYTORCH;
	assert_non_null(estimated("pinned")->needs);
}

/* That every round uses the same buffers is a condition, which may hold if
 * their addresses are the same and no page is new; else it is a question. */
TEST(test_pinning_needs_the_same_buffers)
{
	phase.buffers = 3;
	assert_non_null(
	    strstr(estimated("pinned")->needs, "their addresses differ"));
	phase.steps[0].same_host = true;
	assert_non_null(
	    strstr(estimated("pinned")->needs, "their addresses differ"));
	phase.steps[2].same_host = true;
	assert_null(estimated("pinned")->needs);
	options.language = XS_LANGUAGE_PYTORCH;
	assert_has(estimated("pinned")->why, "pin_memory()");
	phase.steps[2].same_host = false;
	phase.h2d_buffers = phase.d2h_buffers = 0;
	assert_non_null(
	    strstr(estimated("pinned")->needs, "addresses are not known"));
	phase.steps[2].same_host = true;
	options.language = XS_LANGUAGE_CUDA;
	assert_string_equal(estimated("pinned")->assumes[0],
			    "no round frees the buffers, whose addresses are "
			    "the same in each");
	assert_null(replayed("pinned")->assumes[1]);
	phase.touched_bytes = 1000000;
	assert_string_equal(estimated("pinned")->needs,
			    "you keep one set of buffers: now each round has "
			    "new pages, by its page faults");
	/* less than half of what a round copies */
	phase.touched_bytes--;
	assert_has(estimated("pinned")->needs, "now each round has new pages");
	phase.steps[2].same_host = false;
	phase.h2d_buffers = phase.d2h_buffers = 1;
	assert_has(estimated("pinned")->needs, "their addresses differ");
	/* rounds of another phase beside them have buffers of their own */
	phase.total_ns = phase.concurrent_ns = 4000000;
	phase.wall_ns = 2000000;
	phase.last_end_ns = phase.first_start_ns + 4000000;
	assert_has(estimated("pinned")->needs, "one set of buffers");
	phase.last_end_ns -= 2000000;
	assert_has(estimated("pinned")->needs, "a set of buffers for each");
}

/* What several lines copy, in and out, is pinned once: the step counts the
 * buffers. */
TEST(test_the_setup_pins_a_buffer_of_several_lines_once)
{
	phase.buffers = 1;
	phase.buffer_bytes = 1000000;
	assert_near(estimated("pinned")->setup_ns, 10000 + 1000000 * 0.5);
	set_range(&machine.register_fixed_ns, 30000);
	set_range(&machine.register_byte_ns, 0.25);
	assert_near(estimated("pinned")->setup_ns, 30000 + 250000);
	assert_has(replayed("pinned")->why, "(1 buffer; cudaMallocHost");
	/* of unknown addresses, their number is not told */
	phase.h2d_buffers = 0;
	assert_has(estimated("pinned")->why, "Register (cudaMallocHost");
	/* one direction alone has its own buffers */
	phase.steps[0].src_memory = XS_MEM_PINNED;
	phase.d2h_buffers = 3;
	assert_near(estimated("pinned")->setup_ns, 3 * 30000 + 250000);
}

/* Memory that is copied only once is pinned as well, each buffer of it. */
TEST(test_one_round_pays_the_setup)
{
	const struct xs_estimate *row;

	phase.rounds = 1;
	phase.buffers = 41;
	phase.h2d_buffers = 40;
	row = estimated("pinned");
	/* at least 64 KiB each */
	assert_near(row->setup_ns, 41 * (10000 + 65536 * 0.5));
	assert_null(row->assumes[0]);
}

/* The buffer of a small copy may stay pageable. Where a larger copy may use it,
 * how many are left to pin is not told. */
TEST(test_buffers_of_small_copies_are_not_pinned)
{
	set_range(&machine.register_fixed_ns, 30000);
	set_range(&machine.register_byte_ns, 0.25);
	phase.steps[2].bytes = 8;
	assert_has(estimated("pinned")->why, "(1 buffer; cudaMallocHost");
	phase.buffers = 1;
	assert_has(estimated("pinned")->why, "Register (cudaMallocHost");
}

/* The setup is of the call that takes less, which is the one to write. */
TEST(test_the_setup_is_of_what_is_advised)
{
	const struct xs_estimate *row;

	assert_string_equal(estimated("pinned")->why,
			    "cudaHostRegister or cudaMallocHost");
	assert_false(replayed("pinned")->pins_new);
	set_range(&machine.register_fixed_ns, 30000);
	set_range(&machine.register_byte_ns, 1);
	row = estimated("pinned");
	assert_near(row->setup_ns, 1020000);
	assert_true(row->pins_new);
	assert_string_equal(row->why,
			    "cudaMallocHost in place of malloc (2 buffers; "
			    "cudaHostRegister would take 2060000 ns)");
	assert_near(replayed("double-buffer")->new_memory_ns, 0);
	set_range(&machine.register_byte_ns, 0.25);
	row = estimated("pinned");
	assert_near(row->setup_ns, 560000);
	assert_false(row->pins_new);
	assert_string_equal(
	    row->why, "cudaHostRegister (2 buffers; cudaMallocHost would take "
		      "1020000 ns)");
}

/* pin_memory() allocates both buffers and copies the input of a megabyte. */
TEST(test_pytorch_allocates_and_copies)
{
	const struct xs_estimate *row;

	set_range(&machine.register_fixed_ns, 30000);
	set_range(&machine.register_byte_ns, 1);
	set_param(&machine.host_copy_byte_ns, 0.3);
	options.language = XS_LANGUAGE_PYTORCH;
	row = estimated("pinned");
	assert_near(row->setup_ns, 1020000 + 300000);
	assert_string_equal(row->why,
			    "pin_memory(), then copy with non_blocking=True");
	options.language = XS_LANGUAGE_CUPY;
	assert_near(estimated("pinned")->setup_ns, 1020000);
}

/*
 * Allocates, copies from pinned memory, computes, and frees, which waits for
 * the kernel: 150000 and, after the kernel, 43000. Without: the copy's call at
 * 1000, its op at 6000, 20000 as in memory that is not fresh (40000 before),
 * return 31000; launch at 32000, kernel 37000 to 137000, where the wait in
 * place of the free ends.
 */
TEST(test_reuse)
{
	const struct xs_estimate *row;

	steps[0] = (struct xs_step){.kind = XS_STEP_ALLOCATE,
				    .thread = 1,
				    .dst = 0x1000,
				    .bytes = 1000000,
				    .return_ns = 150000};
	steps[1] = step_of(XS_STEP_H2D, 151000, 201000, 156000, 196000);
	steps[1].src_memory = XS_MEM_PINNED;
	steps[1].dst = 0x1000;
	steps[2] = step_of(XS_STEP_KERNEL, 202000, 205000, 207000, 307000);
	steps[3] = (struct xs_step){.kind = XS_STEP_FREE,
				    .thread = 1,
				    .dst = 0x1000,
				    .blocking = true,
				    .call_ns = 206000,
				    .return_ns = 350000};
	phase.step_count = 4;
	phase.round_ns = (struct xs_spread){350000, 340000, 370000};
	row = estimated("reuse");
	assert_true(row->applies);
	assert_near(row->round_ns, 137000);
	assert_near(row->setup_ns, 193000);
	/* memory that the round did not allocate is not fresh */
	steps[1].dst = 0x1000 + 1000000;
	assert_near(estimated("reuse")->round_ns, 157000);
	steps[0].kind = XS_STEP_EVENT_RECORD;
	assert_has(
	    estimated("reuse")->why,
	    "a round frees 1 time what it did not allocate, which takes");
}

TEST(test_reuse_of_nothing)
{
	assert_false(estimated("reuse")->applies);
}

/*
 * The interval of pinned. Slow machine (all parameters + 20 %): in 30000,
 * return 33600, launch 34600, kernel 39600 to 139600, out 7200 + 24000 later
 * at 170800, return 174400: +11400. Slow kernel: +3000.
 * No spread of host time. sqrt(11400^2 + 3000^2) = 11788.1. Fast machine
 * (-10 %): in 22500, return 25200, launch 26200, kernel 2700 + 1800 later,
 * 30700 to 130700, out 154100, return 156800: -6200. Fast kernel: -1000. sqrt =
 * 6280.1.
 */
TEST(test_interval)
{
	const struct xs_estimate *row = estimated("pinned");

	assert_close_to(row->known_high_ns, 163000 + 11788.1, 1e-6, "high",
			__FILE__, __LINE__);
	assert_close_to(row->known_low_ns, 163000 - 6280.1, 1e-6, "low",
			__FILE__, __LINE__);
}

/* A launch that was delayed by 500000 takes 3000 in other runs, and a kernel on
 * an idle device starts 2000 later. */
TEST(test_pinned_has_no_disturbed_calls)
{
	size_t i;

	steps[1].return_ns += 500000;
	for (i = 1; i < 3; i++) {
		steps[i].start_ns += 500000;
		steps[i].end_ns += 500000;
	}
	steps[2].call_ns += 500000;
	steps[2].return_ns += 500000;
	assert_near(estimated("pinned")->round_ns, 163000);
	assert_near(replayed("as-is")->round_ns, 1010000);
	/* a launch on a busy device still waits */
	set_up(NULL);
	steps[0].kind = XS_STEP_SET;
	steps[0].end_ns = 202000;
	steps[0].blocking = false;
	phase.h2d_ops = 0;
	for (i = 1; i < 3; i++) {
		steps[i].start_ns += 20000;
		steps[i].end_ns += 20000;
	}
	steps[2].return_ns += 20000;
	assert_near(estimated("pinned")->round_ns,
		    326000 + 6000 + 20000 + 3000);
}

/* The second kernel began 3000 after the first one; untraced it is 1000. */
TEST(test_pinned_has_the_gap_of_the_profile)
{
	double round_ns;

	steps[3] = step_of(XS_STEP_D2H, 209000, 613000, 410000, 603000);
	steps[2] = step_of(XS_STEP_KERNEL, 205000, 208000, 307000, 407000);
	phase.step_count = 4;
	round_ns = estimated("pinned")->round_ns;
	steps[2].start_ns += 2000;
	steps[2].end_ns += 2000;
	assert_near(estimated("pinned")->round_ns, round_ns);
}

/* The host's time before the launch, 500 less or 2000 more, moves the round as
 * it is and the pinned one. Rounds on two streams hide it. */
TEST(test_the_host_moves_both_rounds)
{
	const struct xs_estimate *row;

	phase.host_ns = (struct xs_spread){2000, 1000, 6000};
	row = estimated("pinned");
	assert_near(row->shared_low_ns, 500);
	assert_near(row->shared_high_ns, 2000);
	assert_near(row->known_high_ns - row->round_ns,
		    hypot(hypot(11400, 3000), 2000));
	row = replayed("double-buffer");
	assert_near(row->shared_low_ns, 0);
	assert_near(row->shared_high_ns, 0);
}

/* The unchanged round differs by its pageable copies, at most by all of them.
 */
TEST(test_processes_differ)
{
	const struct xs_estimate *row;
	double error_ns;

	steps[0].src_memory = steps[2].dst_memory = XS_MEM_PINNED;
	row = estimated("as-is");
	assert_near(row->high_ns, row->known_high_ns);
	steps[0].src_memory = XS_MEM_PAGEABLE;
	row = estimated("as-is");
	error_ns = fmin(XS_ERROR_as_is * row->round_ns,
			(double)(steps[0].end_ns - steps[0].start_ns));
	assert_near(row->high_ns - row->round_ns,
		    hypot(row->known_high_ns - row->round_ns, error_ns));
}

/* What known causes leave open between programs is added in quadrature: of the
 * strategy, and of the allocations that stay. */
TEST(test_programs_differ)
{
	const struct xs_estimate *row;
	double error_ns;

	steps[3] = allocation(510000, 700000);
	phase.step_count = 4;
	row = estimated("pinned");
	error_ns = hypot(XS_ERROR_pinned * row->round_ns,
			 XS_ERROR_allocations * 190000);
	assert_near(row->high_ns - row->round_ns,
		    hypot(row->known_high_ns - row->round_ns, error_ns));
	assert_near(row->round_ns - row->low_ns,
		    hypot(row->round_ns - row->known_low_ns, error_ns));
	row = replayed("double-buffer");
	error_ns = XS_ERROR_pinned * row->round_ns;
	assert_near(row->high_ns - row->round_ns,
		    hypot(row->known_high_ns - row->round_ns, error_ns));
	/* pageable copies stay, as in as-is */
	phase.host_ns = always(20000);
	phase.host_blocked_ns = 300000;
	row = estimated("async");
	error_ns = hypot(XS_ERROR_as_is * row->round_ns,
			 XS_ERROR_allocations * 190000);
	assert_near(row->high_ns - row->round_ns,
		    hypot(row->known_high_ns - row->round_ns, error_ns));
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
	phase.round_ns = always(514000);
	phase.host_ns = always(0);
}

/*
 * Streams with pageable memory, which made every copy block. Pinned, they
 * overlap: in 0 to 15000, kernel 16000 to 66000 (1000 after its copy), out
 * 72000 to 82000; second copy in at 15000 + g, its kernel 1000 after the first
 * one, 67000 to 117000, out 123000 to 133000; the synchronisation as measured,
 * 2000 later.
 */
TEST(test_pinned_keeps_the_programs_structure)
{
	make_pageable_streams();
	assert_near(estimated("as-is")->round_ns, 514000);
	assert_near(replayed("pinned")->round_ns, 135000);
}

/*
 * n = 2, after 2000 of host time. Copy in 7000 to 17000, kernel 18000 (gap
 * 1000) to 68000, second copy in 19500 to 29500, second kernel to 118000;
 * copies out 74000 to 84000 and 124000 to 134000; synchronised at 138000.
 */
TEST(test_streams)
{
	const struct xs_estimate *row;

	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000);
	assert_near(row->setup_ns, 1020000 + 2 * 4000);
	assert_int_equal(row->effort, XS_EFFORT_SPLIT);
	/* breadth first: the calls end long before the first kernel */
	row = find("streams", "replay", 2, XS_ORDER_BREADTH);
	assert_near(row->round_ns, 138000);
	/* eq. 5, n = 2, its second term, and 2000 of host time:
	 * 5000 + 10000 + 100000 + 6000 + 10000 */
	row = find("streams", "vanwerkhoven2014-eq5", 2, XS_ORDER_NONE);
	assert_near(row->round_ns, 133000);
}

/* An allocation of 10000 before the copies in delays them. Between them, the
 * first piece is on its way (25000) and covers it. */
TEST(test_streams_cover_allocations)
{
	const struct xs_step allocation = {.kind = XS_STEP_ALLOCATE,
					   .thread = 1,
					   .call_ns = 200500,
					   .return_ns = 210500};
	double round_ns;

	steps[4] = steps[2];
	steps[3] = steps[1];
	steps[2] = steps[0];
	steps[1] = (struct xs_step){.kind = XS_STEP_HOST, .thread = 1};
	phase.step_count = 5;
	phase.h2d_ops = 2;
	round_ns = new_pieces("streams", 2)->round_ns;
	steps[1] = allocation;
	assert_near(new_pieces("streams", 2)->round_ns, round_ns);
	/* the 500 after it are the tracer's, if it records pointers */
	steps[2].call_ns = 211000;
	assert_near(new_pieces("streams", 2)->round_ns, round_ns);
	phase.sample_rounds = 1;
	assert_near(new_pieces("streams", 2)->round_ns, round_ns - 500);
	phase.sample_rounds = 0;
	steps[1] = steps[0];
	steps[0] = allocation;
	assert_near(new_pieces("streams", 2)->round_ns, round_ns + 10000);
}

/*
 * Gomez-Luna's equations on one copy engine: t_T = 5000 + 20000 + 6000 + 20000
 * = 51000, t_E = 100000, t_sc = 4000, and 2000 of host time. The time includes
 * the creation of the streams, so the setup does not.
 */
TEST(test_streams_by_gomezluna)
{
	const struct xs_estimate *row;

	machine.copy_engines = 1;
	options.streams = 3;
	estimate();
	/* 100000 + 51000/2 + 2 * 4000 */
	row = find("streams", "gomezluna2011-eq3", 2, XS_ORDER_NONE);
	assert_near(row->round_ns, 135500);
	assert_near(row->setup_ns, 1020000);
	/* as asked for: 100000 + 51000/3 + 3 * 4000 */
	row = find("streams", "gomezluna2011-eq3", 3, XS_ORDER_NONE);
	assert_near(row->round_ns, 131000);
	/* sqrt(51 / 4) = 3.57; n = 4: 100000 + 51000/4 + 4 * 4000 */
	row = find("streams", "gomezluna2011-eq4", 4, XS_ORDER_NONE);
	assert_near(row->round_ns, 130750);
	/* with two engines it abstains, once */
	machine.copy_engines = 2;
	estimate();
	row = find("streams", "gomezluna2011-eq1", 0, XS_ORDER_NONE);
	assert_false(row->applies);
}

/* All rows are there, and the one marked as best is the fastest. */
TEST(test_streams_search)
{
	const enum xs_order orders[] = {XS_ORDER_DEPTH, XS_ORDER_BREADTH};
	size_t i, o;
	unsigned n;

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

/* Of 5000 copies, 4 pieces have 20,000 and 8 more than 32,768. What is asked
 * for is tried all the same. */
TEST(test_pieces_of_many_copies_are_few)
{
	static struct xs_step many[5001];
	unsigned most = 0;

	for (size_t i = 0; i + 1 < COUNT(many); i++)
		many[i] = step_of(XS_STEP_H2D, 1000 * i, 1000 * i + 900,
				  1000 * i + 100, 1000 * i + 800);
	many[5000] =
	    step_of(XS_STEP_KERNEL, 5000000, 5000900, 5001000, 5009000);
	phase.steps = many;
	phase.step_count = COUNT(many);
	estimate();
	for (size_t i = 0; i < list.count; i++)
		if (!strcmp(list.items[i].strategy, "streams") &&
		    !strcmp(list.items[i].model, "replay") &&
		    list.items[i].n_streams > most)
			most = list.items[i].n_streams;
	assert_int_equal(most, 4);
	options.streams = 8;
	new_pieces("streams", 8);
}

TEST(test_streams_asked_for)
{
	options.streams = 7;
	new_pieces("streams", 7);
	find("streams", "replay", 7, XS_ORDER_BREADTH);
	find("streams", "vanwerkhoven2014-eq5", 7, XS_ORDER_NONE);
	find("hybrid", "vanwerkhoven2014-eq5", 7, XS_ORDER_NONE);
}

/*
 * By counters, each input byte is read four times: no piece has its own input.
 * The whole copy, 7000 to 27000, comes before both kernels: 10000 later than
 * its first half.
 */
TEST(test_shared_input_is_not_cut)
{
	struct xs_counts counts = reads(125000);
	const struct xs_estimate *row;

	steps[1].counts = &counts;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 148000);
	assert_has(row->assumes[0], "share their input");
}

/*
 * Read twice: a piece needs its neighbours' input, so the second copy waits for
 * the first one, which ends at 17000, and begins 90000 later. Its kernel, at
 * 118000 instead of 68000, ends 50000 later.
 */
TEST(test_neighbours_wait_for_each_other)
{
	struct xs_counts counts = reads(62500);
	const struct xs_estimate *row;

	set_range(&machine.g_event_ns, 90000);
	steps[1].blocks = 320;
	steps[1].counts = &counts;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000 + 50000);
	assert_has(row->assumes[0], "neighbouring pieces");
	/* read once: each copy follows the other */
	counts.sectors_read = 31250;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000);
	assert_true(row->high_ns < 138000 + 50000);
	/* not counted: the value stays, but the interval covers both */
	steps[1].counts = NULL;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000);
	assert_true(row->high_ns >= 138000 + 50000);
}

/*
 * A grid of 4 waves (8 blocks of 256 threads fit an SM of 2048, 10 SMs: 80 at
 * once, 320 in all) of 25000. A quarter of the threads saturates an SM, so a
 * piece takes at least a quarter of a wave, 6250. n = 32: pieces of 3125
 * release the SMs after that, but the last one ends 3125 later.
 */
TEST(test_small_pieces_stop_shrinking)
{
	const struct xs_estimate *row;
	double whole;

	machine.sm_count = 10;
	machine.max_threads_per_sm = 2048;
	/* of an unknown grid, they may not be shorter than the kernel */
	row = new_pieces("streams", 32);
	whole = row->round_ns;
	assert_true(row->high_ns >= whole + 100000 - 3125);
	steps[1].blocks = 320;
	steps[1].block_threads = 256;
	row = new_pieces("streams", 32);
	assert_near(row->round_ns, whole + 3125);
	assert_true(row->high_ns < whole + 100000 - 3125);
	/* two pieces of 50000 are longer */
	assert_near(pieces("streams", 2)->round_ns, 138000);
}

/*
 * Half of the threads that saturate the SMs. n = 2: kernels begin at 18000 and
 * 30500, then 6000 + 10000 + 4000. Where the warps' requests have one sector,
 * each takes 100000, beside the other. Otherwise it is not known: the interval
 * has both.
 */
TEST(test_pieces_of_a_small_grid)
{
	struct xs_counts counts = reads(31250);
	const struct xs_estimate *row;

	machine.sm_count = 10;
	machine.max_threads_per_sm = 2048;
	steps[1].blocks = 10;
	steps[1].block_threads = 256;
	steps[1].counts = &counts;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 30500 + 50000 + 20000);
	assert_true(row->high_ns >= 30500 + 100000 + 20000);
	counts.requests_read = 31250;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 30500 + 100000 + 20000);
	/* all four pieces at once, each with a fourth of the blocks: two at
	 * once would take 200000 */
	row = pieces("streams", 4);
	assert_true(row->round_ns < 200000);
	assert_true(row->has_room);
	/* as many threads as saturate them: one piece after the other */
	steps[1].blocks = 20;
	row = new_pieces("streams", 2);
	assert_near(row->round_ns, 138000);
	/* of the 80 that there is room for */
	steps[1].blocks = 41;
	assert_false(new_pieces("streams", 2)->has_room);
}

/* Kernels read no device buffer, but what the host allocates in a round, mapped
 * memory needs once, too. */
TEST(test_mapped_keeps_allocations_of_the_host)
{
	const double setup_ns = estimated("mapped")->setup_ns;

	steps[3] = (struct xs_step){.kind = XS_STEP_ALLOCATE,
				    .thread = 1,
				    .dst_memory = XS_MEM_DEVICE,
				    .call_ns = 400000,
				    .return_ns = 450000};
	phase.step_count = 4;
	assert_near(estimated("mapped")->setup_ns, setup_ns);
	steps[3].dst_memory = XS_MEM_PINNED;
	assert_near(estimated("mapped")->setup_ns, setup_ns + 50000);
}

/* Host 2000, launch 3000 + 2000, kernel 100000 (hides reads and writes of
 * 24000), 4000. Eq. 6: 5000 + 100000 + 6000, and 2000. */
TEST(test_mapped)
{
	const struct xs_estimate *row = estimated("mapped");

	assert_near(row->round_ns, 111000);
	assert_true(row->assumes_once);
	assert_string_equal(row->assumes[0], "each byte crosses the bus once");
	row = find("mapped", "vanwerkhoven2014-eq6", 0, XS_ORDER_NONE);
	assert_near(row->round_ns, 113000);
	assert_true(row->assumes_once);
	/* a short kernel: the transfers, both ways at once, 1 MB at 0.024 */
	steps[1].end_ns = 206000 + 1000;
	assert_near(estimated("mapped")->round_ns, 2000 + 5000 + 24000 + 4000);
	/* It may read more than each byte once: at most what its 1000 ns allow
	 * at 10000 bytes a ns, less the writes, 9 MB in 175500 ns. */
	assert_true(replayed("mapped")->high_ns < 45000);
	machine.memory_bandwidth = 10e12;
	assert_near(estimated("mapped")->round_ns, 2000 + 5000 + 24000 + 4000);
	assert_true(replayed("mapped")->high_ns > 175500);
	assert_true(replayed("mapped")->high_ns < 220000);
}

/* The kernel does nothing but read 1 MB, one sector after the other: the first
 * at 400, 1000 mapped, the others at a third of that. A sector takes 1.6 to
 * read, 2 to write; one SM moves 2 in a ns. */
TEST(test_mapped_is_sure_in_the_worst_case)
{
	const double read_ns = 1000 * (1 + (10000 - 400) / (0.33 * 400));
	const struct xs_estimate *row;

	steps[1].end_ns = 206000 + 10000;
	steps[1].blocks = 1;
	set_param(&machine.mapped_read_32, 0.05);
	set_param(&machine.mapped_read_latency_ns, 1000);
	set_param(&machine.device_read_latency_ns, 400);
	assert_true(estimated("mapped")->assumes_once);
	set_param(&machine.mapped_write_partial_ns, 2);
	assert_true(estimated("mapped")->assumes_once);
	machine.clock_khz = 1e6;
	machine.sm_count = 100;
	row = estimated("mapped");
	assert_false(row->assumes_once);
	assert_int_equal(row->effort, XS_EFFORT_PLACE);
	assert_has(row->bound, "no kernel uses atomic");
	assert_has(row->why, "however the kernels access the data");
	assert_near(row->round_ns, 2000 + 5000 + 24000 + 4000);
	assert_true(row->high_ns > 11000 + read_ns && row->high_ns < 100000);
	steps[1].blocks = 100; /* each of their SMs may read the same */
	steps[0].bytes = steps[2].bytes = 1000;
	assert_true(estimated("mapped")->assumes_once);
	steps[1].blocks = 1; /* it may read one by one for 100 us */
	steps[1].end_ns = 206000 + 100000;
	row = estimated("mapped");
	assert_true(row->assumes_once);
	assert_int_equal(row->effort, XS_EFFORT_REWRITE);
}

/* Counters show how often each byte crosses, and not how it is stored: 250000
 * stores of 4 bytes take 2 each. */
TEST(test_mapped_stores_may_be_parts)
{
	struct xs_counts counts = reads(31250);

	steps[1].counts = &counts;
	assert_null(estimated("mapped")->bound);
	assert_has(replayed("mapped")->needs, "stores fill");
	assert_has_not(replayed("mapped")->why, "by 4 bytes");
	set_param(&machine.mapped_write_partial_ns, 2);
	assert_has(estimated("mapped")->why,
		   "stored by 4 bytes, the results would take 500000 ns");
}

/* A kernel of 100000, and one of 1000 that is given the input and the result: 1
 * MB each way at 0.024. They follow each other: 1000. The first one stays as it
 * is, if it is given neither. 850 of the host's 2000 are the tracer's. */
TEST(test_mapped_of_two_kernels)
{
	const double both_ns = 2000 - 850 + 5000 + 100000 + 1000 + 24000 + 4000;

	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[2].start_ns = 306000;
	steps[2].end_ns = 307000;
	phase.step_count = 4;
	assert_false(estimated("mapped")->applies);
	steps[1].given_known = steps[2].given_known = true;
	steps[1].has_pointers = steps[2].has_pointers = true;
	steps[1].given_other_bytes = 1000000;
	steps[2].given_in_bytes = steps[2].given_out_bytes = 1000000;
	assert_near(estimated("mapped")->round_ns, both_ns);
	assert_has(replayed("mapped")->why, "each of 2 kernels");
	/* it reads its result: the reads are the longer ones alone */
	steps[2].given_in_bytes = 0;
	assert_near(estimated("mapped")->round_ns, both_ns);
	steps[2].given_known = false;
	assert_false(estimated("mapped")->applies);
}

/* The host waits for the first of two kernels, or copies its result, before it
 * launches the second one: a wait of 4000 and a launch of 5000 instead of 1000
 * between two kernels. */
TEST(test_mapped_with_a_wait_between_kernels)
{
	double round_ns;

	steps[4] = steps[2];
	steps[3] = steps[1];
	steps[2] = (struct xs_step){.kind = XS_STEP_HOST, .thread = 1};
	phase.step_count = 5;
	steps[1].given_known = steps[3].given_known = true;
	steps[1].has_pointers = steps[3].has_pointers = true;
	round_ns = estimated("mapped")->round_ns;
	steps[2].kind = XS_STEP_SYNC_DEVICE;
	assert_near(estimated("mapped")->round_ns, round_ns + 8000);
	steps[2] = steps[4]; /* right after a launch */
	assert_near(estimated("mapped")->round_ns, round_ns + 8000 - 850);
	steps[2].blocking = false;
	assert_true(estimated("mapped")->round_ns <= round_ns);
}

/* A set of 1 MB of the result, of which device memory takes 5000, crosses the
 * bus at 0.019. One of other memory stays there. */
TEST(test_mapped_sets_cross_the_bus)
{
	double round_ns;

	steps[3] = (struct xs_step){.kind = XS_STEP_SET,
				    .thread = 1,
				    .dst = 0x2000000,
				    .bytes = 1000000,
				    .start_ns = 610000,
				    .end_ns = 615000};
	steps[2].src = 0x1000000;
	phase.step_count = 4;
	round_ns = estimated("mapped")->round_ns;
	steps[2].src = 0x20f0000;
	assert_near(estimated("mapped")->round_ns, round_ns + 19000 - 5000);
	steps[2].src = 0;
	steps[0].dst = 0x2000000;
	assert_near(estimated("mapped")->round_ns, round_ns + 19000 - 5000);
}

/* Pieces have 4 KiB at least: the larger direction has two of them. */
TEST(test_small_copies_are_not_divided)
{
	steps[0].bytes = 1;
	steps[2].bytes = 8191;
	assert_false(estimated("streams")->applies);
	assert_has(replayed("streams")->why, "less than 4096 bytes");
	assert_false(replayed("hybrid")->applies);
	steps[2].bytes = 8192;
	estimate();
	assert_true(pieces("streams", 2)->applies);
}

/* n = 2: kernels 18000 to 68000 and on to 118000, with their writes; 4000. */
TEST(test_hybrid)
{
	const struct xs_estimate *row;

	row = new_pieces("hybrid", 2);
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

/* A kernel of one block leaves room for the next round's. The code for a
 * framework has both in one stream: no round is shorter than its kernel then.
 */
TEST(test_kernels_of_a_framework_stay_in_order)
{
	const struct xs_estimate *row;
	const double kernel_ns = (double)(steps[1].end_ns - steps[1].start_ns);

	machine.sm_count = 100;
	steps[1].blocks = 1;
	row = estimated("double-buffer");
	assert_true(row->round_ns < kernel_ns);
	assert_has(row->needs, "its kernels");
	options.language = XS_LANGUAGE_PYTORCH;
	row = estimated("double-buffer");
	assert_near(row->round_ns, kernel_ns + machine.kernel_gap_ns.value);
	/* the host may choose the input by what the round before wrote */
	assert_has(row->needs, "a round's input does not need");
	assert_null(strstr(row->needs, "its kernels"));
	assert_true(row->other_advice);
}

/* The host works for 400 us beside the GPU: no order of copies and kernels
 * makes a round shorter. Behind the last call, this is of the recorded round,
 * too. */
TEST(test_no_round_is_shorter_than_the_hosts_work)
{
	phase.beside_ns = 400000;
	estimate();
	assert_true(pieces("streams", 2)->round_ns >= 400000);
	assert_true(replayed("mapped")->round_ns >= 400000);
	assert_true(replayed("double-buffer")->round_ns >= 400000);
	phase.behind_ns = 400000;
	assert_near(estimated("pinned")->round_ns, 163000 + 400000);
}

/* A blocking copy in two parts: the second step has no call time. as-is is
 * unchanged; pinned, each part is a copy: 28000, then 28000 + 5000 + 10000 +
 * 3000, then as in test_pinned. */
TEST(test_copy_in_parts)
{
	steps[3] = steps[2];
	steps[2] = steps[1];
	steps[1] = step_of(XS_STEP_H2D, 200000, 200000, 100000, 195000);
	steps[1].bytes = 500000;
	steps[0].end_ns = 100000;
	phase.step_count = 4;
	assert_near(estimated("as-is")->round_ns, 510000);
	assert_near(replayed("pinned")->round_ns, 163000 + 18000);
}

RUN_TESTS(set_up, tear_down)
