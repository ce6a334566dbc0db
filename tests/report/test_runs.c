/* SPDX-License-Identifier: MIT */
/* Several runs of one program: medians, their intervals, the gate. */
#include "report/diff/compare.h"
#include "report/diff/gate.h"
#include "report/diff/runs.h"
#include "report/diff/spread.h"
#include "report/render/renderer.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>

#define RUNS_MAX 6

static void expect_spread(size_t count, int64_t median, int64_t low,
			  int64_t high)
{
	static int64_t values[10000];

	for (size_t i = 0; i < count; i++) /* 10, 20, ... in another order */
		values[i] = 10 * (int64_t)(i * 7 % count + 1);
	struct xs_run_spread spread = xs_spread_of(values, count);
	assert_int_equal(spread.median, median);
	assert_int_equal(spread.low, low);
	assert_int_equal(spread.high, high);
	assert_int_equal(spread.least, 10);
	assert_int_equal(spread.most, 10 * (int64_t)count);
}

/* Chance of a median outside of [k-th from below, k-th from above]: twice the
 * sum of the binomial probabilities below k of n halves. Of 5 runs 2/32 for the
 * outermost, of 8 runs 2 * 9/256 for the second (7.0 %), of 11 runs 2 * 67/2048
 * for the third (6.5 %), of 20 runs 4.1 % for the sixth. */
TEST(the_interval_is_of_the_median)
{
	expect_spread(1, 10, 10, 10);
	expect_spread(2, 15, 10, 20);
	expect_spread(3, 20, 10, 30);
	expect_spread(5, 30, 10, 50);
	expect_spread(8, 45, 20, 70);
	expect_spread(11, 60, 30, 90);
	expect_spread(20, 105, 60, 150);
	/* 0.5^n is 0 as a double; by exact binomial sums */
	expect_spread(2000, 10005, 9630, 10380);
	expect_spread(10000, 50005, 49180, 50830);
}

TEST(what_one_run_does_not_tell_is_unknown)
{
	int64_t values[] = {3, XS_UNKNOWN, 4};

	assert_true(xs_spread_of(values, 3).median == XS_UNKNOWN);
	assert_true(xs_spread_of(values, 0).median == XS_UNKNOWN);
}

struct side {
	struct xs_result *runs[RUNS_MAX];
	size_t count;
};

/* Runs of so many ms; 0: unknown. */
static struct side open_side(size_t count, const int *ms)
{
	struct side side = {.count = count};

	for (size_t i = 0; i < count; i++) {
		side.runs[i] = fixture_result();
		side.runs[i]->run.pid = (int64_t)i;
		side.runs[i]->run.wall_ns =
		    ms[i] ? ms[i] * 1000000LL : XS_UNKNOWN;
	}
	return side;
}

static void close_side(struct side *side)
{
	for (size_t i = 0; i < side->count; i++)
		xs_result_free(side->runs[i]);
}

static void expect_gate(size_t count, const int *before_ms, const int *after_ms,
			double percent, enum xs_gate answer)
{
	struct side before = open_side(count, before_ms);
	struct side after = open_side(count, after_ms);
	struct xs_diff diff;

	xs_diff_build_runs(before.runs, count, after.runs, count, &diff);
	assert_true(fabs(diff.change_percent - percent) < 1e-9);
	assert_int_equal(xs_diff_gate(&diff, 5), answer);
	xs_diff_free(&diff);
	close_side(&before);
	close_side(&after);
}

TEST(the_gate_fails_beyond_the_spread_alone)
{
	expect_gate(1, (int[]){100}, (int[]){110}, 10, XS_GATE_EXCEEDED);
	expect_gate(1, (int[]){100}, (int[]){104}, 4, XS_GATE_KEPT);
	expect_gate(3, (int[]){103, 99, 100}, (int[]){110, 109, 115}, 10,
		    XS_GATE_EXCEEDED);
	expect_gate(3, (int[]){108, 99, 100}, (int[]){110, 107, 115}, 10,
		    XS_GATE_NOISY);
	/* one bad run of five is too much, of six it is not */
	expect_gate(5, (int[]){100, 99, 101, 98, 220},
		    (int[]){110, 109, 111, 112, 108}, 10, XS_GATE_NOISY);
	expect_gate(6, (int[]){100, 99, 101, 100, 98, 220},
		    (int[]){110, 109, 111, 112, 110, 108}, 10,
		    XS_GATE_EXCEEDED);
	/* faster is never slower */
	expect_gate(3, (int[]){100, 101, 99}, (int[]){90, 91, 89}, -10,
		    XS_GATE_KEPT);
}

TEST(the_report_is_of_the_median_run)
{
	struct side side = open_side(4, (int[]){300, 0, 100, 200});
	struct xs_result *median;

	side.runs[0]->phases[0].round_ns = 5;
	side.runs[2]->phases[0].signature_hash ^= 1;
	side.runs[2]->run.app = "other --n 5";
	median = xs_runs_build(side.runs, 4);
	assert_ptr_equal(median, side.runs[0]);
	struct xs_result *run = median;
	const struct xs_result_runs *runs = run->runs;
	assert_int_equal(run->run.wall_ns, 200000000);
	assert_int_equal(runs->count, 3);
	assert_true(runs->totals[0].spread.median == XS_UNKNOWN);
	assert_int_equal(runs->phases[0].runs, 3);
	assert_int_equal(side.runs[3]->run.wall_ns, 100000000);
	assert_int_equal(runs->phases[0].round_ns.least, 5);
	assert_int_equal(runs->warning_count, 1);
	assert_has(runs->warnings[0], "another program or GPU");
	assert_has(runs->warnings[0], ", and in no figure");
	char *text = fixture_text(run, false);
	assert_has(text, "Runs  3 of one program");
	free(text);
	text = fixture_json(run);
	assert_has(text, "\"runs\": {\n");
	free(text);
	close_side(&side);
}

TEST(runs_that_are_not_whole_are_in_no_figure)
{
	struct side side = open_side(3, (int[]){300, 100, 200});
	struct xs_result *median;

	side.runs[1]->coverage.incomplete = "tracing stopped";
	side.runs[2]->phases[0].signature_hash ^= 1;
	side.runs[2]->phases[0].kernel_name_count = 0; /* known by order */
	median = xs_runs_build(side.runs, 3);
	assert_int_equal(median->runs->count, 2);
	assert_int_equal(median->runs->phases[0].runs, 1);
	assert_int_equal(median->run.wall_ns, 200000000);
	assert_string_equal(median->runs->warnings[0],
			    "before.xspy: tracing stopped, and in no figure");
	for (size_t i = 0; i < 3; i++)
		side.runs[i]->coverage.incomplete = "killed";
	median = xs_runs_build(side.runs, 3);
	assert_int_equal(median->runs->count, 1);
	close_side(&side);
}

TEST(a_trace_that_is_given_twice_counts_once)
{
	struct side before = open_side(3, (int[]){100, 100, 200});
	struct side after = open_side(3, (int[]){110, 110, 110});
	struct xs_diff diff;
	struct xs_result *median;

	before.runs[1]->run.pid = before.runs[0]->run.pid;
	after.runs[1]->run.pid = after.runs[2]->run.pid =
	    after.runs[0]->run.pid;
	xs_diff_build_runs(before.runs, 3, after.runs, 3, &diff);
	assert_int_equal(diff.before_side.count, 2);
	assert_int_equal(diff.after_side.count, 1);
	assert_string_equal(
	    diff.warnings[diff.warning_count - 2],
	    "before: 1 trace of a run given before, counted once: before.xspy");
	assert_has(diff.warnings[diff.warning_count - 1],
		   "after: 2 traces of a run given before");
	xs_diff_free(&diff);
	median = xs_runs_build(before.runs, 3);
	assert_int_equal(median->runs->count, 2);
	assert_int_equal(median->runs->warning_count, 1);
	assert_string_equal(
	    median->runs->warnings[0],
	    "1 trace of a run given before, counted once: before.xspy");
	close_side(&before);
	close_side(&after);
}

/* Why the gate fails is told, not what differs besides. */
TEST(other_programs_are_told_before_arguments)
{
	struct side before = open_side(3, (int[]){100, 101, 102});
	struct side after = open_side(1, (int[]){101});
	struct xs_diff diff;

	before.runs[0]->run.app = "program --n 5";
	before.runs[1]->run.app = "program";
	before.runs[2]->run.app = "third";
	after.runs[0]->run.app = "program";
	xs_diff_build_runs(before.runs, 3, after.runs, 1, &diff);
	assert_has(diff.different, "before: ");
	assert_has(diff.different, "another program or GPU");
	xs_diff_free(&diff);
	after.runs[0]->run.app = "other";
	xs_diff_build_runs(before.runs, 2, after.runs, 1, &diff);
	assert_string_equal(
	    diff.different,
	    "these are different programs: program before, other after");
	xs_diff_free(&diff);
	close_side(&before);
	close_side(&after);
}

/* Traces of other tools may name no program: kernels tell. */
TEST(a_program_without_a_name_is_known_by_its_kernels)
{
	struct side before = open_side(1, (int[]){100});
	struct side after = open_side(1, (int[]){101});
	struct xs_diff diff;
	const char *other[] = {"other()"};

	after.runs[0]->run.app = NULL;
	xs_diff_build_runs(before.runs, 1, after.runs, 1, &diff);
	assert_null(diff.different);
	assert_has(diff.warnings[0], "only their kernels tell");
	assert_int_equal(xs_diff_gate(&diff, 5), XS_GATE_KEPT);
	xs_diff_free(&diff);
	for (size_t i = 0; i < after.runs[0]->phase_count; i++) {
		after.runs[0]->phases[i].kernel_names = other;
		after.runs[0]->phases[i].kernel_name_count = 1;
	}
	xs_diff_build_runs(before.runs, 1, after.runs, 1, &diff);
	assert_has(diff.different, "no kernel in common");
	assert_int_equal(xs_diff_gate(&diff, 5), XS_GATE_DIFFERENT);
	xs_diff_free(&diff);
	close_side(&before);
	close_side(&after);
}

/* Within a side, too, a gate needs one program. */
TEST(other_programs_among_the_runs_fail)
{
	struct side before = open_side(2, (int[]){100, 101});
	struct side after = open_side(2, (int[]){102, 103});
	struct xs_diff diff;

	after.runs[1]->run.app = "other";
	xs_diff_build_runs(before.runs, 2, after.runs, 2, &diff);
	assert_non_null(diff.different);
	assert_int_equal(xs_diff_gate(&diff, 5), XS_GATE_DIFFERENT);
	assert_has(diff.warnings[0], "after: ");
	xs_diff_free(&diff);
	close_side(&before);
	close_side(&after);
}
