/* SPDX-License-Identifier: MIT */
/* The text report against a golden file and the width of a terminal. */
#include "report/plan/phase_estimate.h"
#include "report/render/text/sections.h"
#include "report/render/text/terminal.h"
#include "report/result/shown_text.h"
#include "report/result/source_text.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/report/read_file.h"

static struct xs_result *result;

FIXTURE(set_up)
{
	result = fixture_result();
	return 0;
}

FIXTURE(tear_down)
{
	xs_result_free(result);
	return 0;
}

/* Removes escape sequences, and blanks before line ends. */
static void strip(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			*to++ = *from;
	}
	*to = '\0';
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length + (text[length] == '\n');
	}
	return longest;
}

/* To renew the file, check what the command prints and why it changed. */
TEST(three_phases_are_as_recorded)
{
	char *golden =
	    read_file(XS_SOURCE_DIR "/tests/report/golden/report.txt");
	char *text = fixture_text(result, false);

	assert_string_equal(text, golden);
	free(text);
	free(golden);
}

TEST(lines_fit_80_columns)
{
	static char long_name[] =
	    "a_kernel_with_a_name_that_no_terminal_of_eighty_columns_could_ever"
	    "_show_on_one_line_of_its_own(int)";

	result->phases[0].kernel_label = long_name;
	result->phases[0].sites[0].file = long_name;
	result->run.app = long_name;
	result->run.host = long_name;
	result->phases[0].h2d_bytes = 123456789012;
	result->phases[0].rounds = 100000000;
	char *text = fixture_text(result, false);
	assert_in_range(longest_line(text), 60, 80);
	free(text);
}

/* Advice is followed by its source lines, each once and cut to fit. */
TEST(advice_quotes_the_source)
{
	static char wide[] = "cudaMemcpy(a_device_pointer_of_a_long_name, "
			     "a_host_pointer_of_a_long_name, and_so_on);";
	struct xs_result_phase *phase = &result->phases[0];

	phase->sites[0].text = "cudaMemcpy(in, host, n, kind);";
	phase->sites[2].text = wide;
	char *text = fixture_text(result, false);
	const char *first =
	    strstr(text, "       main.cu:88: cudaMemcpy(in, host, n, "
			 "kind);\n");
	assert_non_null(first);
	assert_has_not(strchr(first, '\n'), "cudaMemcpy(in, host");
	assert_has(first, "       main.cu:91: cudaMemcpy(a_dev");
	assert_has_not(text, "and_so_on");
	assert_true(longest_line(text) <= 80);
	free(text);
}

/* No text if the file is missing, has changed, or is not a regular file. */
TEST(source_text_is_of_its_time)
{
	char path[] = "xs_test_source.XXXXXX";
	const char text[] = "one\n\t two\033 = 2; \r\n\nfour";
	struct xs_arena arena = {0};
	int file = mkstemp(path);

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
	assert_string_equal(xs_source_text(&arena, path, 1, UINT64_MAX), "one");
	assert_string_equal(xs_source_text(&arena, path, 2, UINT64_MAX),
			    "two? = 2;");
	assert_null(xs_source_text(&arena, path, 3, UINT64_MAX));
	assert_string_equal(xs_source_text(&arena, path, 4, UINT64_MAX),
			    "four");
	assert_null(xs_source_text(&arena, path, 5, UINT64_MAX));
	assert_null(xs_source_text(&arena, path, 0, UINT64_MAX));
	assert_null(xs_source_text(&arena, path, 1, 1000000000));
	assert_null(xs_source_text(&arena, NULL, 1, UINT64_MAX));
	assert_null(xs_source_text(&arena, "/dev/zero", 1, UINT64_MAX));
	unlink(path);
	assert_null(xs_source_text(&arena, path, 1, UINT64_MAX));
	xs_arena_free(&arena);
}

TEST(two_screens_hold_three_phases)
{
	char *text = fixture_text(result, false);
	size_t lines = 0;

	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	assert_in_range(lines, 30, 100);
	free(text);
}

TEST(colour_changes_no_letter)
{
	char *plain = fixture_text(result, false);
	char *color = fixture_text(result, true);

	assert_null(strchr(plain, '\033'));
	assert_has(color, "\033[32m");
	strip(color);
	assert_string_equal(color, plain);
	free(plain);
	free(color);
}

TEST(losses_come_first)
{
	char *text = fixture_text(result, false);
	const char *note = strstr(text, "! 12 GPU records");

	assert_non_null(note);
	assert_true(note < strstr(text, "Where the time went"));
	free(text);
}

/* A call that was only counted is not one that was recorded. */
TEST(counted_calls_are_told_apart)
{
	result->coverage.api_calls_seen = 38043;
	result->coverage.calls_counted = 27923;
	char *text = fixture_text(result, false);
	assert_has(text, "Coverage  38043 calls (10120 recorded), ");
	free(text);
}

/* Unknown is a dash, never 0. */
TEST(unknown_is_a_dash)
{
	result->steady.totals.gpu_busy_ns = XS_UNKNOWN;
	char *text = fixture_text(result, false);
	assert_has(text, "GPU busy           -        -       -\n");
	free(text);
}

/* With the largest figures that a run may have. */
TEST(totals_are_not_cut)
{
	static const char *const whole[] = {
	    "no overlap (pageable)\n", "\n  migrated in ",
	    "1.23 GB/s; not above\n", "     -\n",
	    "in 123456 copies, 0.98 GB/s\n"};
	struct xs_result_totals *totals = &result->steady.totals;

	totals->h2d_bytes = 1023LL * 1024 * 1024;
	totals->h2d_ns = 1100LL * 1000 * 1000;
	totals->h2d_ops = 123456;
	totals->pageable_async_ops = 1234567;
	totals->migrated_h2d_bytes = 1234567890;
	totals->migrated_h2d_ns = 1000000000;
	totals->host_blocked_ns = 64 * result->run.wall_ns;
	result->steady.wait_count = 1;
	char *text = fixture_text(result, false);
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (!strstr(text, whole[i]))
			fail_msg("not there: %s", whole[i]);
	free(text);
}

static void expect_lines(const char *const *lines)
{
	char *text = fixture_text(result, false);

	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("not there: %s", *lines);
	free(text);
}

/* A time whose interval is wider than it is has a mark, and is in the plan. */
TEST(a_time_within_a_wide_interval_is_about)
{
	const char *lines[] = {" ~13.0 ms ", NULL};

	result->plan[0].round_low_ns = 5000000;
	result->plan[0].round_high_ns = 18000001;
	expect_lines(lines);
	result->plan[0].round_high_ns = 18000000; /* 13 ms, as the time */
	lines[0] = "pinned       13.0 ms  ";
	expect_lines(lines);
}

/* A round first, its share of the steady part second, of the run third. */
TEST(times_are_of_a_round)
{
	struct xs_result_steady *steady = &result->steady;

	result->verdict.steady_ns = 4LL * 1000 * 1000 * 1000;
	steady->rounds = 400;
	steady->totals.h2d_ns = 2LL * 1000 * 1000 * 1000;
	steady->totals.h2d_bytes = 400LL * 1024 * 1024;
	steady->totals.h2d_ops = 800;
	steady->totals.kernels = 600;
	steady->waits[0].waited_ns = 1000LL * 1000 * 1000;
	expect_lines((const char *const[]){
	    "Where the time went  in the steady part, divided by its "
	    "400 rounds\n                per round  of part  of run\n"
	    "  steady part     10.0 ms  100.0 %  40.0 %\n",
	    "  copies in       5.00 ms   50.0 %  20.0 %  1 MiB in 2 "
	    "copies, 0.21 GB/s\n",
	    " 1.5 launched\n",
	    "What the host waited for  in the steady part; all threads\n"
	    "  per round  of part  of run\n"
	    "    2.50 ms   25.0 %  10.0 %  ",
	    NULL});
	steady->rounds = XS_UNKNOWN;
	expect_lines((const char *const[]){
	    "  in all  of part  of run\n  steady part   4.00 s ",
	    "  copies in     2.00 s   50.0 %  20.0 %  400 MiB in 800 ",
	    "     1.00 s   25.0 %  10.0 %  ", NULL});
	result->verdict.repeats = false;
	expect_lines((const char *const[]){
	    "Where the time went\n  run ",
	    "What the host waited for  in the run", NULL});
}

/* Both shares of waits are of times with tracing, as these are. */
TEST(waits_have_one_base)
{
	const int64_t wall_ns = result->run.wall_ns;

	result->run.tracer_ns = wall_ns / 2;
	result->verdict.steady_ns = wall_ns / 4;
	result->verdict.tracer_ns = wall_ns / 4;
	result->steady.totals.host_blocked_ns = wall_ns / 4;
	result->steady.waits[0].waited_ns = wall_ns / 4;
	result->steady.totals.pinned_alloc_ns = wall_ns / 4;
	expect_lines((const char *const[]){
	    "  pinning       2.50 s   50.0 %  25.0 %  host memory",
	    "  steady part   2.50 s  100.0 %  50.0 %  without 2.50 s of",
	    "  host blocked  2.50 s   50.0 %  25.0 %  of 5.00 s with tracing",
	    "     2.50 s   50.0 %  25.0 %  ", NULL});
}

/* Waits that are not shown are told by call, if they are the longest. */
TEST(short_waits_are_told_by_call)
{
	struct xs_result_wait waits[8];
	char calls[8][8];

	for (size_t i = 0; i < 8; i++) {
		snprintf(calls[i], sizeof(calls[i]), "call%d", i > 4);
		waits[i] = result->steady.waits[0];
		waits[i].waited_ns = 1000LL * 1000 * 1000;
		waits[i].site.call = calls[i];
	}
	result->plan_count = 0;
	result->steady.waits = waits;
	result->steady.wait_count = 8;
	expect_lines((const char *const[]){
	    "at 5 more call sites: call0 2.00 s, call1", NULL});
	waits[7].site.call = "little";
	waits[7].waited_ns /= 10;
	expect_lines((const char *const[]){"others", NULL});
	result->steady.wait_count = 5;
	expect_lines(
	    (const char *const[]){"at 2 more call sites of call0", NULL});
}

/* Without --all: steps of the steady part, and phases for which a change has a
 * row, unless that is of a step that is not told and saves less. */
TEST(all_has_the_rest)
{
	expect_lines((const char *const[]){"2. streams n=8: a round of", NULL});
	result->plan[1].phase = &result->phases[1];
	result->phases[1].apart = true;
	expect_lines((const char *const[]){
	    "\n  and 1 more step outside the steady part saves "
	    "412 ms (4.1 % "
	    "of the run;",
	    NULL});
	/* its row is told if it saves more */
	result->phases[1].estimates = result->phases[0].estimates;
	result->phases[1].estimate_count = result->phases[0].estimate_count;
	char *text = fixture_text(result, false);
	assert_has_not(text, "\n  2  as-is  ");
	free(text);
	result->plan[1].adds_saves_ns = 2 * result->plan[0].adds_saves_ns;
	expect_lines((const char *const[]){"\n  2  as-is  ", NULL});
	result->all_asked = true;
	expect_lines((const char *const[]){
	    "\n  once in the run, outside the steady part:\n  2.",
	    "\n  2  as-is  ", "\n  3  as-is  ", NULL});
}

/* What a given profile lacks is said without --all. */
TEST(what_the_profile_lacks_is_said)
{
	struct xs_result_estimate *rows = result->phases[0].estimates;
	size_t i = 0;

	result->machine_choice.origin = "shipped";
	while (strcmp(rows[i].strategy, "pinned") != 0)
		i++;
	rows[i + 1].applies = false;
	rows[i + 1].unmeasured = true;
	rows[i + 1].why = "the profile lacks a rate";
	char *text = fixture_text(result, false);
	assert_has_not(text, "lacks a rate");
	free(text);
	result->machine_choice.origin = "given";
	expect_lines((const char *const[]){
	    "\n  phase 1, no streams: the profile lacks a rate\n", NULL});
}

/* A step of the plan stands in the table, though little is known of it, and
 * further steps are told if they save more. */
TEST(what_matters_is_shown)
{
	struct xs_result_step *plan = result->plan;
	struct xs_result_estimate *row =
	    (struct xs_result_estimate *)plan[1].estimate;

	row->bound = row->only_if = "pieces are independent";
	plan[1].is_question = true;
	plan[1].round_low_ns = 1;
	expect_lines((const char *const[]){"streams* n=8  ~", NULL});
	plan[2] = plan[1];
	plan[2].step = 3;
	plan[2].adds_saves_ns = plan[1].adds_saves_ns + 1;
	result->plan_count = 3;
	result->step_count = 4;
	expect_lines((const char *const[]){
	    "\n  3? streams n=8: a round of phase 1", " (--all)\n", NULL});
	plan[2].adds_saves_ns--;
	expect_lines(
	    (const char *const[]){"\n  and 1 more step may save ", NULL});
	plan[2].adds_saves_ns = result->run.wall_ns / 1001;
	expect_lines(
	    (const char *const[]){"\n  and 1 more step may save ", NULL});
	/* one that pays in longer runs is shown, and only one */
	plan[2].pays_rounds = 500;
	plan[3] = plan[2];
	plan[3].step = 4;
	result->plan_count = 4;
	expect_lines((const char *const[]){
	    "each on top of the last",
	    "\n  3? streams n=8, better than step 2 from 500 rounds on",
	    "\n  and 1 more step saves nothing in this run", NULL});
	/* and is not added up */
	plan[1].pays_rounds = 500;
	expect_lines((const char *const[]){
	    "\nWhat to change  each on top of the last; median round; ",
	    "\n  2? streams n=8, better than step 1 from 500 rounds on", NULL});
}

/* A star marks each condition that the trace does not show: it stands below the
 * table, unless a step says it. */
TEST(a_star_is_explained)
{
	const char *assumes[] = {"no loop"};
	struct xs_result_estimate *row =
	    (struct xs_result_estimate *)result->plan[1].estimate;
	struct xs_result_estimate other;

	row->only_if = assumes[0];
	expect_lines(
	    (const char *const[]){"     streams* n=8  12.0 ms",
				  "\n  * on a condition that the trace "
				  "does not show: streams: no loop; ",
				  NULL});
	row->assumes = assumes;
	row->assume_count = 1;
	char *text = fixture_text(result, false);
	assert_has_not(text, "show: streams:");
	assert_has(text, "on a condition named above");
	free(text);
	row->assume_count = 0;
	/* another condition of another phase */
	result->phases[1].estimates = &other;
	result->phases[1].estimate_count = 1;
	other = *row;
	other.only_if = "each round alone";
	result->all_asked = true;
	expect_lines((const char *const[]){"streams of phase 1",
					   ": each round alone", NULL});
}

/* Where copies run in the host's time between rounds, each round of the table
 * and of the plan ends with it; else a faster one is shorter than its kernels.
 */
TEST(rounds_end_where_the_next_begins)
{
	struct xs_result_estimate *row =
	    (struct xs_result_estimate *)result->plan[1].estimate;

	row->between_ns = result->phases->mean_between_ns = 1000000;
	xs_phase_estimate_count_between(result->phases);
	expect_lines((const char *const[]){
	    "pinned: a round of phase 1: 17.0 ms -> 14.0 ms (13.7-",
	    "streams n=8: a round of phase 1: 14.0 ms -> 13.0 ms (",
	    "\n  1  as-is        17.0 ms  16.7-17.3 ms    1.00x",
	    "     streams n=8  13.0 ms  12.8-13.2 ms    1.31x",
	    "with the host's\n     1.00 ms until the next round\n", NULL});
	row->between_ns = 300000; /* less than 2 % */
	expect_lines(
	    (const char *const[]){"\n  1  as-is        16.0 ms", NULL});
}

/* A mean round ends with the mean time until the next one, a median round with
 * the median one, without a range of the rounds alone; where no row uses that
 * time, it is told. */
TEST(means_are_with_means)
{
	struct xs_result_phase *phase = &result->phases[0];
	struct xs_result_estimate *row =
	    (struct xs_result_estimate *)result->plan[1].estimate;

	phase->mean_between_ns = 400000;
	expect_lines((const char *const[]){"on average", NULL});
	/* all that its rounds leave of a steady part of which it is the only
	 * one */
	phase->mean_between_ns = 0;
	result->steady.phase = phase;
	result->steady.rounds = phase->rounds;
	result->verdict.steady_ns = phase->total_ns + phase->rounds * 400000;
	expect_lines((const char *const[]){"on average", NULL});
	result->steady.phase = NULL;
	row->between_ns = phase->median_between_ns = 1000000;
	phase->mean_between_ns = 3000000;
	expect_lines((const char *const[]){"mean 19.", NULL});
	phase->rounds = 10;
	phase->total_ns = 10 * phase->round_ns;
	phase->round_low_ns = 0;
	phase->round_high_ns = INT64_MAX / 2;
	char *text = fixture_text(result, false);
	assert_has(text, "mean 19.0 ms,");
	free(text);
	phase->median_ns = phase->round_ns + 2000000;
	expect_lines((const char *const[]){"median 19.0 ms", NULL});
}

/* Places are told once. */
TEST(places_are_told_once)
{
	struct xs_result_phase *phases = result->phases;
	const struct xs_result_phase *before = NULL;

	phases[1] = phases[0];
	assert_non_null(xs_result_phase_text(result, phases, &before));
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(
		    xs_result_phase_text(result, phases + 1, &before),
		    "places as in phase 1");
	assert_ptr_equal(before, phases);
}

/* What is saved, and what of it in the steady part, has one base each. */
TEST(a_share_is_of_its_amount)
{
	struct xs_result_step *step = result->plan;

	step->adds_steady_ns = step->adds_saves_ns / 2;
	result->verdict.steady_ns = step->adds_saves_ns;
	result->phases[0].warm_up_ns = result->phases[0].total_ns / 2;
	result->phases[0].wall_ns = result->run.wall_ns / 2;
	expect_lines((const char *const[]){" in the steady part (50.0 % ",
					   "25.0 %  64 MiB", "without a",
					   NULL});
}

TEST(empty_sections_are_explained)
{
	result->plan_count = 0;
	result->no_step = "nothing, for a reason";
	char *text = fixture_text(result, false);
	assert_has(text, "What to change\n  nothing, for a reason\n");
	free(text);
	result->phase_count = 0;
	text = fixture_text(result, false);
	assert_has(text, "none: no copies and no kernels");
	free(text);
}

/* The reasons are in the report only if all of it is. */
TEST(a_machine_without_a_prediction_is_explained)
{
	struct xs_result_other_machine other = {.strategy = "machine:k20m",
						.app_wall_ns = XS_UNKNOWN};

	result->other_machines = &other;
	result->other_machine_count = 1;
	char *text = fixture_text(result, false);
	assert_has(text, "unchanged on k20m: not predicted; --all says why\n");
	free(text);
	result->all_asked = true;
	text = fixture_text(result, false);
	assert_has(text, "not predicted; the reasons are below\n");
	free(text);
}

static const char *note_of_calls_in(char *module)
{
	for (size_t i = 0; i < result->phase_count; i++)
		for (size_t k = 0; k < result->phases[i].site_count; k++) {
			result->phases[i].sites[k].line = XS_UNKNOWN;
			result->phases[i].sites[k].module = module;
		}
	return xs_render_text_lines_note(result);
}

/* -g is for a call from a file, not for code of a virtual machine. */
TEST(lines_are_asked_of_files_alone)
{
	assert_string_equal(xs_render_text_lines_note(result), "");
	assert_has(note_of_calls_in("/home/user/app"), "Compile with -g");
	assert_string_equal(note_of_calls_in(NULL), "");
	assert_string_equal(note_of_calls_in("/usr/bin/luajit-2.1"), "");
	assert_string_equal(note_of_calls_in("/usr/lib/libffi.so.8"), "");
}

/* Eight characters of two bytes each. */
#define WORD "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"

TEST(characters_are_counted_not_bytes)
{
	char *text = NULL;
	size_t size = 0;
	const struct xs_terminal terminal = {
	    .out = open_memstream(&text, &size), .display.columns = 20};

	xs_terminal_wrap(&terminal, XS_PLAIN, "  ", WORD " " WORD);
	xs_terminal_wrap(&terminal, XS_PLAIN, "", WORD " " WORD " " WORD);
	xs_terminal_wrap(&terminal, XS_PLAIN, "    ", WORD WORD "\u00e4");
	fclose(terminal.out);
	assert_string_equal(text, "  " WORD " " WORD "\n" WORD " " WORD
				  "\n" WORD "\n    " WORD
				  "\u00e4\u00e4\u00e4\u00e4\u00e4...\n");
	free(text);
}

/* Neither rounds of decades nor the time between them are a number. */
TEST(sums_of_decades_are_unknown)
{
	struct xs_result_estimate row = {.applies = true,
					 .between_ns = INT64_C(1) << 59};
	const struct xs_result_phase phase = {.rounds = 8,
					      .wall_ns = INT64_C(1) << 60,
					      .round_ns = INT64_C(1) << 57,
					      .estimates = &row,
					      .estimate_count = 1};

	assert_int_equal(xs_result_in_run_ns(result, &phase), XS_UNKNOWN);
}

RUN_TESTS(set_up, tear_down)
