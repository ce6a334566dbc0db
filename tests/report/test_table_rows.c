/* SPDX-License-Identifier: MIT */
/* Which rows the table of strategies has without --all. */
#include "report/result/table_rows.h"

#include "model/formulas/estimates.h"
#include "report/result/best.h"
#include "report/result/result.h"
#include "report/result/shown_row.h"
#include "tests/unit.h"

#define MS 1000000LL

enum { AS_IS, PINNED, BUFFERS, ROWS };

static struct xs_result_estimate rows[ROWS];
static struct xs_result_phase phase;
static struct xs_result result;

/* A row of 10 rounds of 50 ms, whose time is known within 1 ms. */
static struct xs_result_estimate row_of(const char *strategy,
					enum xs_effort effort, int64_t round_ns)
{
	return (struct xs_result_estimate){.strategy = strategy,
					   .model = "replay",
					   .effort_level = effort,
					   .n_streams = XS_UNKNOWN,
					   .round_ns = round_ns,
					   .low_ns = round_ns - MS,
					   .high_ns = round_ns + MS,
					   .known_high_ns = round_ns + MS,
					   .otherwise_ns = XS_UNKNOWN,
					   .saves_ns =
					       10 * (50 * MS - round_ns),
					   .applies = true};
}

FIXTURE(set_up)
{
	rows[AS_IS] = row_of("as-is", XS_EFFORT_NONE, 50 * MS);
	rows[PINNED] = row_of("pinned", XS_EFFORT_CALL, 25 * MS);
	rows[BUFFERS] = row_of("double-buffer", XS_EFFORT_PLACES, 20 * MS);
	phase = (struct xs_result_phase){.rounds = 10,
					 .round_ns = 50 * MS,
					 .estimates = rows,
					 .estimate_count = ROWS};
	result = (struct xs_result){.phases = &phase, .phase_count = 1};
	return 0;
}

static void set_round(int row, int64_t round_ns)
{
	rows[row] = row_of(rows[row].strategy,
			   (enum xs_effort)rows[row].effort_level, round_ns);
}

static void expect(bool pinned, bool buffers)
{
	assert_true(xs_result_row_is_shown(&result, &phase, &rows[AS_IS]));
	assert_int_equal(xs_result_row_is_shown(&result, &phase, &rows[PINNED]),
			 pinned);
	assert_int_equal(
	    xs_result_row_is_shown(&result, &phase, &rows[BUFFERS]), buffers);
}

TEST(rows_that_are_no_shorter_are_left_out)
{
	expect(true, true);
	set_round(PINNED, 495 * MS / 10);
	expect(true, true);
	set_round(PINNED, 496 * MS / 10);
	expect(false, true);
	result.all_asked = true;
	expect(true, true);
}

/* It saves 300 ms; what the verdict does not know is no limit. */
TEST(rows_save_no_more_than_the_verdict_says)
{
	const struct xs_result_estimate *row = &rows[BUFFERS];

	result.verdict.at_most_saves_ns = XS_UNKNOWN;
	assert_int_equal(xs_result_capped_ns(&result, row->saves_ns), 300 * MS);
	result.verdict.at_most_saves_ns = 200 * MS;
	assert_int_equal(xs_result_capped_ns(&result, row->saves_ns), 200 * MS);
	result.verdict.at_most_saves_ns = 0;
	assert_int_equal(xs_result_capped_ns(&result, row->saves_ns), 0);
}

/* The limit cuts what a row saves; its round is the predicted one. */
TEST(the_limit_leaves_the_round)
{
	struct xs_result_estimate shown;

	rows[BUFFERS].speedup = 2.5;
	result.verdict.at_most_saves_ns = 300 * MS;
	shown = xs_result_shown_row(&result, &phase, &rows[BUFFERS]);
	assert_int_equal(shown.round_ns, 20 * MS);
	result.verdict.at_most_saves_ns = 200 * MS;
	shown = xs_result_shown_row(&result, &phase, &rows[BUFFERS]);
	assert_int_equal(shown.saves_ns, 200 * MS);
	assert_int_equal(shown.round_ns, 20 * MS);
	assert_float_equal(shown.speedup, 2.5, 1e-9);
}

/* Of 400 ms, the step leaves 150 to a row that it stays beside. */
TEST(rows_add_no_more_than_the_steps_leave)
{
	struct xs_result_step step = {.estimate = &rows[PINNED],
				      .phase = &phase,
				      .adds_saves_ns = 250 * MS,
				      .pays_rounds = XS_UNKNOWN};
	const char *list = NULL;

	rows[PINNED].strategy = "reuse";
	rows[BUFFERS].strategy = "streams";
	result.verdict.at_most_saves_ns = 400 * MS;
	result.plan = &step;
	result.plan_count = 1;
	xs_result_row_add_beyond(&result, 1, 1, &list, &phase, &rows[BUFFERS]);
	assert_has(list, "streams saves 150 ms more (little for its effort)");
	/* it would lose too much without its condition */
	rows[BUFFERS].only_if = "its pieces are independent";
	list = NULL;
	xs_result_row_add_beyond(&result, 1, 1, &list, &phase, &rows[BUFFERS]);
	assert_has(list, "streams saves 150 ms more (only on its condition)");
	xs_arena_free(&result.arena);
}

/* A round gets shorter, but this run does not, or not with new memory. */
TEST(rows_that_do_not_pay_in_this_run_are_left_out)
{
	expect(true, true);
	rows[PINNED].saves_ns = -MS;
	expect(false, true);
	rows[BUFFERS].saves_ns = 0;
	expect(false, false);
	assert_string_equal(xs_result_row_hidden(&result, &phase),
			    "pinned, double-buffer");
	/* on another GPU, rounds alone are compared */
	rows[PINNED].saves_ns = rows[BUFFERS].saves_ns = XS_UNKNOWN;
	expect(true, true);
	assert_null(xs_result_row_hidden(&result, &phase));
	xs_arena_free(&result.arena);
}

/* A row that the plan names is in the table, whatever it gains. */
TEST(rows_with_a_name_are_shown)
{
	struct xs_result_step step = {.estimate = &rows[BUFFERS]};

	set_round(PINNED, 499 * MS / 10);
	set_round(BUFFERS, 499 * MS / 10);
	expect(false, false);
	result.nearest = &rows[PINNED];
	expect(true, false);
	result.nearest_if = &rows[BUFFERS];
	expect(true, true);
	result.nearest_if = NULL;
	result.plan = &step;
	result.plan_count = 1;
	expect(true, true);
	step.instead = &rows[PINNED];
	result.nearest = NULL;
	expect(true, true);
	/* a step for longer runs may be a loss in this one: its row tells it */
	rows[PINNED].saves_ns = rows[BUFFERS].saves_ns = -MS;
	expect(false, true);
}

TEST(best_cases_of_which_nothing_is_known_are_left_out)
{
	rows[BUFFERS].high_ns = 45 * MS;
	expect(true, true);
	rows[BUFFERS].bound = "it may be";
	expect(true, false);
	/* of rounds that differ by more than their time, nothing is */
	rows[BUFFERS].bound = NULL;
	rows[AS_IS].low_ns = 0;
	expect(true, false);
}

RUN_TESTS(set_up, NULL)
