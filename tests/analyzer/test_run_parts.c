/* SPDX-License-Identifier: MIT */
/* What a run is spent on, worked out by hand. Times are in ns. */
#include "tests/unit.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/cuda_startup.h"
#include "analyzer/timeline/host_gaps.h"
#include "analyzer/timeline/run_parts.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define CALL(class, from, to)                                                  \
	{                                                                      \
		.call_class = (class), .start_ns = (from), .end_ns = (to)      \
	}
#define OP(class, from, to)                                                    \
	{                                                                      \
		.kind = (class), .start_ns = (from), .end_ns = (to),           \
		.call = XS_NONE                                                \
	}

/* The parts of a run until to_ns. */
static struct xs_run_parts divide(const struct xs_trace *trace, uint64_t to_ns)
{
	bool *blocks = xs_calls_blocked(trace);
	struct xs_run_parts out;

	assert_non_null(blocks);
	xs_run_parts(trace, blocks, 0, to_ns, &out);
	free(blocks);
	return out;
}
#define DIVIDE(calls_, ops_, to_ns)                                            \
	divide(&(const struct xs_trace){.calls = calls_,                       \
					.call_count = COUNT(calls_),           \
					.ops = ops_,                           \
					.op_count = COUNT(ops_)},              \
	       to_ns)

/*
 * CUDA starts in the first call, from 0 to 10, which allocates until 15. A
 * launch from 20 to 22, its kernel from 25 to 40, a blocking copy from 30 to
 * 60, which runs from 45 to 50; a wait from 70 to 80; the rest, until 100, is
 * the host's.
 */
TEST(each_instant_is_of_one_part)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_ALLOC_DEVICE, 10, 15),
	    CALL(XS_CALL_LAUNCH, 20, 22),
	    CALL(XS_CALL_COPY, 30, 60),
	    CALL(XS_CALL_SYNC_DEVICE, 70, 80),
	};
	struct xs_op ops[] = {
	    OP(XS_OP_KERNEL, 25, 40),
	    OP(XS_OP_D2H, 45, 50),
	};
	const struct xs_trace trace = {.calls = calls,
				       .call_count = COUNT(calls),
				       .ops = ops,
				       .op_count = COUNT(ops),
				       .startup = {.end_ns = 10, .ns = 10}};
	const struct xs_run_parts parts = divide(&trace, 100);

	assert_int_equal(parts.ns[XS_PART_STARTUP], 10);
	assert_int_equal(parts.ns[XS_PART_ALLOCATION], 5);
	assert_int_equal(parts.ns[XS_PART_CALLS], 2);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 15);
	assert_int_equal(parts.ns[XS_PART_COPIES], 5);
	assert_int_equal(parts.ns[XS_PART_COPY_CALLS], 15);
	assert_int_equal(parts.ns[XS_PART_WAITS], 10);
	assert_int_equal(parts.ns[XS_PART_HOST], 100 - 62);
	assert_int_equal(parts.span_ns, 100);
	assert_int_equal(parts.gpu_ns, 20);
}

/* Two threads wait at once, and kernels overlap: no instant counts twice. */
TEST(what_runs_at_once_counts_once)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_SYNC_STREAM, 10, 50),
	    CALL(XS_CALL_SYNC_STREAM, 20, 60),
	    CALL(XS_CALL_COPY_ASYNC, 62, 65),
	};
	struct xs_op ops[] = {
	    OP(XS_OP_KERNEL, 10, 30),
	    OP(XS_OP_H2D, 15, 45),
	    OP(XS_OP_KERNEL, 20, 40),
	};
	const struct xs_run_parts parts = DIVIDE(calls, ops, 70);

	assert_int_equal(parts.ns[XS_PART_KERNELS], 30);
	assert_int_equal(parts.ns[XS_PART_COPIES], 5);
	assert_int_equal(parts.ns[XS_PART_WAITS], 15);
	assert_int_equal(parts.ns[XS_PART_CALLS], 3);
	assert_int_equal(parts.ns[XS_PART_HOST], 17);
}

/* An asynchronous copy of pageable memory stages it, and returns before the
 * copy ends. */
TEST(staging_is_of_a_copy_call)
{
	struct xs_call calls[] = {CALL(XS_CALL_COPY_ASYNC, 10, 30)};
	struct xs_op ops[] = {OP(XS_OP_H2D, 25, 50)};
	struct xs_run_parts parts;

	ops[0].call = 0;
	parts = DIVIDE(calls, ops, 60);
	assert_int_equal(parts.ns[XS_PART_CALLS], 15);
	ops[0].src_memory = XS_MEM_PAGEABLE;
	parts = DIVIDE(calls, ops, 60);
	assert_int_equal(parts.ns[XS_PART_CALLS], 0);
	assert_int_equal(parts.ns[XS_PART_COPY_CALLS], 15);
}

/*
 * Launches at 0, 40 and 60, each when the GPU has nothing to do. The host waits
 * for the kernel of the second one, from 45 to 55, but for no other. What runs
 * last may be waited for behind the end of the trace.
 */
TEST(what_nothing_waits_for_is_no_limit)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_LAUNCH, 0, 5),
	    CALL(XS_CALL_LAUNCH, 40, 42),
	    CALL(XS_CALL_SYNC_DEVICE, 45, 55),
	    CALL(XS_CALL_LAUNCH, 60, 62),
	};
	struct xs_op ops[] = {
	    OP(XS_OP_KERNEL, 10, 30),
	    OP(XS_OP_KERNEL, 43, 54),
	    OP(XS_OP_KERNEL, 63, 80),
	};
	struct xs_run_parts parts;

	ops[0].call = 0;
	ops[1].call = 1;
	ops[2].call = 3;
	parts = DIVIDE(calls, ops, 80);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 11 + 17);
	assert_int_equal(parts.kernels_ns, 48);
	assert_int_equal(parts.gpu_ns, 48);
	assert_int_equal(parts.ns[XS_PART_CALLS], 9);
	assert_int_equal(parts.ns[XS_PART_WAITS], 1);
	assert_int_equal(parts.ns[XS_PART_HOST], 80 - 28 - 9 - 1);
	/* a wait within it, after which the GPU works on */
	calls[2] = calls[1];
	calls[1] = (struct xs_call)CALL(XS_CALL_SYNC_DEVICE, 12, 20);
	ops[1].call = 2;
	parts = DIVIDE(calls, ops, 80);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 20 + 17);
	/* the host may wait for a host function */
	calls[1].call_class = XS_CALL_HOST_FUNCTION;
	parts = DIVIDE(calls, ops, 80);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 48);
}

/* A copy runs from 0 to 40 and a kernel from 10 to 30. */
TEST(the_busiest_engine_is_the_limit)
{
	struct xs_call calls[] = {CALL(XS_CALL_SYNC_DEVICE, 0, 50)};
	struct xs_op ops[] = {
	    OP(XS_OP_D2H, 0, 40),
	    OP(XS_OP_KERNEL, 10, 30),
	};
	struct xs_run_parts parts = DIVIDE(calls, ops, 50);

	assert_int_equal(parts.ns[XS_PART_COPIES], 40);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 0);
	/* one direction after the other: neither is busy as long */
	ops[0].end_ns = 15;
	parts = DIVIDE(calls, ops, 50);
	assert_int_equal(parts.ns[XS_PART_COPIES], 10);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 20);
}

/* Recorded from 0 to 20 and from 60 to 80: the rest is not known. */
TEST(only_windows_count)
{
	struct xs_window windows[] = {{0, 20}, {60, 80}};
	struct xs_op ops[] = {
	    OP(XS_OP_KERNEL, 5, 15),
	    OP(XS_OP_KERNEL, 70, 90),
	};
	const struct xs_trace trace = {.ops = ops,
				       .op_count = COUNT(ops),
				       .windows = windows,
				       .window_count = COUNT(windows)};
	const struct xs_run_parts parts = divide(&trace, 100);

	assert_int_equal(parts.span_ns, 40);
	assert_int_equal(parts.ns[XS_PART_KERNELS], 20);
	assert_int_equal(parts.ns[XS_PART_HOST], 20);
}

static bool is_first_site(const struct xs_trace *trace, uint32_t site)
{
	(void)trace;
	return site == 0;
}

/* Site 1 begins after gaps of 30 and 40 of thread 1, site 0 after one of 50 of
 * thread 2. Calls of other threads end no gap. */
TEST(host_code_is_before_a_call)
{
	struct xs_site sites[3] = {0};
	struct xs_call calls[] = {
	    {.thread = 1, .site = 2, .start_ns = 0, .end_ns = 10},
	    {.thread = 2, .site = 2, .start_ns = 5, .end_ns = 10},
	    {.thread = 1, .site = 1, .start_ns = 40, .end_ns = 50},
	    {.thread = 2, .site = 0, .start_ns = 60, .end_ns = 90},
	    {.thread = 1, .site = 1, .start_ns = 90, .end_ns = 95},
	};
	struct xs_window windows[] = {{0, 55}, {85, 100}};
	struct xs_trace trace = {.calls = calls,
				 .call_count = COUNT(calls),
				 .sites = sites,
				 .site_count = COUNT(sites)};

	assert_int_equal(xs_host_gap_longest(&trace, 0, 100, NULL), 1);
	assert_int_equal(xs_host_gap_longest(&trace, 0, 80, NULL), 0);
	assert_int_equal(xs_host_gap_longest(&trace, 96, 100, NULL), XS_NONE);
	/* of some sites, if it is a quarter of the longest one's: 50 of 70 */
	assert_int_equal(xs_host_gap_longest(&trace, 0, 100, is_first_site), 0);
	calls[3].start_ns = 10 + 16;
	assert_int_equal(xs_host_gap_longest(&trace, 0, 100, is_first_site),
			 XS_NONE);
	calls[3].start_ns = 60;
	/* the time behind all calls is before none of them */
	assert_int_equal(xs_host_gap_longest(&trace, 0, 164, NULL), 1);
	assert_int_equal(xs_host_gap_longest(&trace, 0, 166, NULL), XS_NONE);
	/* nobody knows what happened between two windows */
	trace.windows = windows;
	trace.window_count = COUNT(windows);
	calls[2].site = 2;
	calls[3].start_ns = 86;
	assert_int_equal(xs_host_gap_longest(&trace, 0, 100, NULL), 2);
	/* ... and that before a window's first calls is before no other call */
	calls[3].start_ns = 95;
	calls[4].start_ns = 111;
	calls[4].end_ns = 112;
	windows[1].end_ns = 112;
	assert_int_equal(xs_host_gap_longest(&trace, 0, 120, NULL), XS_NONE);
}

/* A first copy whose call starts CUDA, and one of another thread. */
TEST(a_call_begins_when_cuda_has_started)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_COPY, 1000, 111000000),
	    CALL(XS_CALL_COPY, 120000000, 120001000),
	};
	struct xs_trace trace = {.calls = calls,
				 .call_count = COUNT(calls),
				 .context_ns = 110001000};

	xs_cuda_startup_separate(&trace);
	assert_int_equal(trace.startup.ns, 110000000);
	assert_int_equal(calls[0].start_ns, 110001000);

	xs_cuda_startup_restore(&trace);
	assert_int_equal(calls[0].start_ns, 1000);
	free(trace.startup.recorded);
}

/* As one that called shortly before the thread that creates the context. */
TEST(a_call_that_began_before_begins_when_cuda_has_started)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_ALLOC_PINNED, 1000, 111000000),
	    CALL(XS_CALL_STREAM_CREATE, 1500, 1600),
	    CALL(XS_CALL_ALLOC_PINNED, 2000, 111500000),
	};
	struct xs_trace trace = {.calls = calls,
				 .call_count = COUNT(calls),
				 .context_ns = 110001000};

	calls[0].thread = calls[1].thread = 1;
	xs_cuda_startup_separate(&trace);
	assert_int_equal(trace.startup.call, 2);
	assert_int_equal(trace.startup.ns, 109999000);
	assert_int_equal(xs_call_ns(&calls[0]), 999000);
	assert_int_equal(xs_call_ns(&calls[2]), 1499000);
	xs_cuda_startup_restore(&trace);
	assert_int_equal(calls[0].start_ns, 1000);
	assert_int_equal(calls[1].end_ns, 1600);
	free(trace.startup.recorded);
}

/* Threads that call it meanwhile wait for CUDA's start, too. */
TEST(calls_of_other_threads_begin_when_cuda_has_started)
{
	struct xs_call calls[] = {
	    CALL(XS_CALL_ALLOC_PINNED, 1000, 111000000),
	    CALL(XS_CALL_ALLOC_PINNED, 2000, 111500000),
	    CALL(XS_CALL_STREAM_CREATE, 3000, 4000),
	    CALL(XS_CALL_COPY, 110001000, 120001000),
	};
	struct xs_trace trace = {.calls = calls,
				 .call_count = COUNT(calls),
				 .context_ns = 110001000};

	calls[1].thread = calls[2].thread = 1;
	xs_cuda_startup_separate(&trace);
	assert_int_equal(trace.startup.ns, 110000000);
	assert_int_equal(calls[0].start_ns, 110001000);
	assert_int_equal(calls[1].start_ns, 110001000);
	assert_int_equal(xs_call_ns(&calls[1]), 1499000);
	assert_int_equal(calls[2].start_ns, 110001000);
	assert_int_equal(xs_call_ns(&calls[2]), 0);
	assert_int_equal(xs_call_ns(&calls[3]), 10000000);
	xs_cuda_startup_restore(&trace);
	assert_int_equal(calls[1].start_ns, 2000);
	assert_int_equal(calls[2].end_ns, 4000);
	assert_int_equal(calls[3].start_ns, 110001000);
	free(trace.startup.recorded);
}

/* No other call shows what pinning takes: about 0.3 ns a byte. */
TEST(test_cuda_starts_while_it_pins)
{
	struct xs_call call = {.call_class = XS_CALL_ALLOC_PINNED,
			       .start_ns = 1000,
			       .end_ns = 200001000,
			       .bytes = 700000000};
	struct xs_trace trace = {.calls = &call, .call_count = 1};

	/* it may all be pinning */
	xs_cuda_startup_separate(&trace);
	assert_int_equal(trace.startup.ns, 0);
	call.bytes = 20000000;
	xs_cuda_startup_separate(&trace);
	assert_int_equal(trace.startup.call, 0);
	assert_int_equal(trace.startup.ns, 194000000);
	assert_int_equal(call.start_ns, 194001000);
	free(trace.startup.recorded);
}
