/* SPDX-License-Identifier: MIT */
/* Hardware counters for the kernels of a phase, from the same run or another
 * one. */
#include "tests/unit.h"

#include "analyzer/rounds/phase.h"
#include "analyzer/timeline/load_trace.h"
#include "tests/analyzer/support.h"

#include <math.h>
#include <stdlib.h>

static struct xs_trace *read_golden(const char *name)
{
	struct xs_trace *trace;
	const char *error;

	if (xs_trace_read(golden_path(name), &trace, &error))
		fail_msg("%s", error);
	return trace;
}

/* Returns the counters of the i-th kernel of the first phase. */
static const struct xs_counts *kernel(const struct xs_phases *phases, size_t i)
{
	const struct xs_phase *phase = &phases->items[0];

	for (size_t s = 0; s < phase->step_count; s++)
		if (phase->steps[s].kind == XS_STEP_KERNEL && i-- == 0)
			return phase->steps[s].counts;
	fail_msg("no such kernel");
	return NULL;
}

/* Compares exactly: these are whole numbers. */
#define assert_count(value, want) assert_true((value) == (want))

TEST(test_median_of_launches)
{
	struct xs_trace *trace = read_golden("counters");
	struct xs_phases phases;

	assert_int_equal(trace->counter_count, 4);
	assert_int_equal(trace->counters[2].launch, 3);
	xs_phases_build(trace, &phases);
	assert_null(kernel(&phases, 0));
	xs_phases_count(&phases, trace, trace);
	assert_int_equal(phases.counted_shapes, 2);
	assert_count(kernel(&phases, 0)->sectors_read, 20480);
	assert_count(kernel(&phases, 0)->sectors_written, 4096);
	assert_count(kernel(&phases, 0)->l1_fills, 30000);
	assert_count(kernel(&phases, 0)->requests_read, 5120);
	assert_count(kernel(&phases, 0)->requests_written, 1024);
	assert_count(kernel(&phases, 0)->host_sectors_read, 0);
	assert_count(kernel(&phases, 0)->instructions, 40960);
	assert_count(kernel(&phases, 0)->waiting_cycles, 600);
	assert_count(kernel(&phases, 0)->warp_cycles, 1000);
	assert_count(kernel(&phases, 0)->stores, 1024);
	assert_count(kernel(&phases, 0)->store_sectors, 8192);
	/* this GPU cannot count more at once */
	assert_count(kernel(&phases, 1)->sectors_read, 8192);
	/* an older trace, or a GPU that cannot count them */
	assert_true(isnan(kernel(&phases, 1)->l1_fills));
	assert_true(isnan(kernel(&phases, 1)->store_sectors));
	assert_true(isnan(kernel(&phases, 1)->requests_read));
	assert_true(isnan(kernel(&phases, 1)->instructions));
	/* the same kernel with another grid */
	assert_true(isnan(kernel(&phases, 2)->sectors_read));
	xs_phases_free(&phases);
	xs_trace_free(trace);
}

/* The sum is known if every kernel was counted. */
TEST(test_sum_of_a_round)
{
	struct xs_trace *trace = read_golden("counters");
	struct xs_phases phases;
	struct xs_counts sum;

	xs_phases_build(trace, &phases);
	xs_phases_count(&phases, trace, trace);
	xs_phase_counts(&phases.items[0], &sum);
	assert_true(isnan(sum.sectors_read));
	/* without the third kernel */
	size_t steps = phases.items[0].step_count;
	phases.items[0].step_count = 2;
	xs_phase_counts(&phases.items[0], &sum);
	assert_count(sum.sectors_read, 20480 + 8192);
	assert_count(sum.sectors_written, 4096 + 4);
	assert_true(isnan(sum.instructions));
	phases.items[0].step_count = steps;
	xs_phases_free(&phases);
	xs_trace_free(trace);
}

#define LAUNCH(n, instructions)                                                \
	"counters name=1 grid_x=64 grid_y=2 grid_z=1 block_x=256 block_y=1 "   \
	"block_z=1 launch=" #n " sectors_read=" #n                             \
	"00 instructions=" #instructions "\n"
#define COUNTED(launches)                                                      \
	"xferspy-text 1\nheader pid=1\nchunk\nstring id=1 "                    \
	"text=\"_Z6smoothPfi\"\n" launches

/* The launch of the first round is the first one, whose counters are taken if
 * the others did other work, and the median if not. */
TEST(test_launches_of_different_work)
{
	struct xs_trace *trace = read_golden("kernels");
	struct xs_trace *different =
	    read_text(COUNTED(LAUNCH(1, 50) LAUNCH(2, 60) LAUNCH(3, 70)));
	struct xs_trace *same =
	    read_text(COUNTED(LAUNCH(1, 50) LAUNCH(2, 51) LAUNCH(3, 52)));
	struct xs_phases phases;

	xs_phases_build(trace, &phases);
	xs_phases_count(&phases, trace, different);
	assert_count(kernel(&phases, 0)->sectors_read, 100);
	assert_count(kernel(&phases, 0)->instructions, 50);
	xs_phases_count(&phases, trace, same);
	assert_count(kernel(&phases, 0)->sectors_read, 200);
	xs_phases_free(&phases);
	xs_trace_free(same);
	xs_trace_free(different);
	xs_trace_free(trace);
}

/* The golden trace of the same kernels without counters. */
TEST(test_of_another_run)
{
	struct xs_trace *trace = read_golden("kernels");
	struct xs_trace *counted = read_golden("counters");
	struct xs_trace *other =
	    read_text("xferspy-text 1\nheader pid=1\nchunk\nstring id=1 "
		      "text=\"_Z6smoothPdi\"\n"
		      "counters name=1 grid_x=64 grid_y=2 grid_z=1 block_x=256 "
		      "block_y=1 block_z=1 launch=1 sectors_read=7\n");
	struct xs_phases phases;

	xs_phases_build(trace, &phases);
	xs_phases_count(&phases, trace, counted);
	assert_int_equal(phases.counted_shapes, 2);
	assert_count(kernel(&phases, 0)->sectors_read, 20480);
	assert_count(kernel(&phases, 1)->sectors_read, 8192);
	/* a kernel of another name; earlier counters are dropped */
	xs_phases_count(&phases, trace, other);
	assert_int_equal(phases.counted_shapes, 0);
	assert_true(isnan(kernel(&phases, 0)->sectors_read));
	xs_phases_free(&phases);
	xs_trace_free(other);
	xs_trace_free(counted);
	xs_trace_free(trace);
}
