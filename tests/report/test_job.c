/* SPDX-License-Identifier: MIT */
/* The answer on a job: what it gains, who is slow and why, what is missing. */
#include "report/job/digest.h"
#include "report/job/job.h"
#include "report/job/trace_digest.h"
#include "report/render/renderer.h"
#include "tests/report/fixture.h"
#include "tests/report/job_of_test.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000LL

/* A process of 10 s; its plan saves time in the first step alone. */
struct rank {
	int64_t rank, ranks, wall_ms, saves_ms, low_ms, copies_ms, host_ms;
	const char *host, *gpu, *condition;
	int64_t gpu_node; /* NUMA; 0: that of the process */
};

static json_t *digest_of(const struct rank *rank)
{
	struct xs_result *result = fixture_result();
	struct xs_result_run *run = &result->run;

	run->rank = rank->rank;
	run->ranks = rank->rank == XS_UNKNOWN ? XS_UNKNOWN
		     : rank->ranks	      ? rank->ranks
					      : 8;
	run->wall_ns = rank->wall_ms * MS + run->tracer_ns;
	run->host = rank->host ? rank->host : "node7";
	run->devices[0].uuid = rank->gpu;
	run->devices[0].numa_node = run->numa_node + rank->gpu_node;
	result->coverage.note_count = 0;
	result->plan_count = rank->saves_ms ? 1 : 0;
	result->plan[0].condition = rank->condition;
	result->plan[0].adds_saves_ns = rank->saves_ms * MS;
	result->plan[0].saves_low_ns = rank->low_ms * MS;
	result->plan[0].saves_high_ns = 4000 * MS;
	result->plan[0].app_wall_ns =
	    xs_result_untraced_wall_ns(result) - rank->saves_ms * MS;
	for (size_t i = 0; i < result->verdict.part_count; i++) {
		struct xs_result_part *part = &result->verdict.parts[i];

		if (strcmp(part->what, "copies") == 0)
			part->ns += rank->copies_ms * MS;
		if (strcmp(part->what, "host") == 0)
			part->ns += rank->host_ms * MS;
	}
	result->verdict.recorded_ns += (rank->copies_ms + rank->host_ms) * MS;
	result->totals.h2d_ns += rank->copies_ms * MS;
	json_t *group = xs_digest_of_result(result);
	assert_non_null(group);
	xs_result_free(result);
	return group;
}

static json_t *all;
static struct xs_job *job;

FIXTURE(drop)
{
	xs_job_free(job);
	json_decref(all);
	job = NULL;
	all = NULL;
	return 0;
}

/* Builds the job of these processes, in place of the one before. */
static void build(const struct rank *ranks, size_t count)
{
	drop(NULL);
	all = json_object();
	for (size_t i = 0; i < count; i++) {
		json_t *group = digest_of(&ranks[i]);

		xs_digest_merge(all, group);
		json_decref(group);
	}
	job = xs_job_build(all);
}

static char *text_of(const char *format, bool every)
{
	const struct xs_display display = {.columns = 80};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(xs_renderer_find(format, XS_RENDER_REPORT)
			     ->job(job, every, &display, out),
			 0);
	fclose(out);
	return text;
}

static void expect_text(const char *format, bool every, const char *part)
{
	char *text = text_of(format, every);

	assert_has(text, part);
	free(text);
}

TEST(the_job_gains_what_its_slowest_process_does)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .saves_ms = 3000},
	    {.rank = 1, .wall_ms = 9000, .saves_ms = 1000},
	    {.rank = 2, .wall_ms = 9500, .saves_ms = 2500}};

	build(ranks, 3);
	assert_int_equal(job->traces, 3);
	/* 7, 8 and 7 s are left of 10 */
	assert_int_equal(job->after_ns, 8000 * MS);
	assert_int_equal(job->saves_ns, 2000 * MS);
	assert_int_equal(job->saves_most_ns, 3000 * MS);
	assert_int_equal(job->step_count, 1);
	assert_int_equal(job->steps[0].traces, 3);
	assert_int_equal(job->steps[0].job_ns, 2000 * MS);
	assert_int_equal(job->steps[0].saves.least, 1000 * MS);
	assert_int_equal(job->steps[0].saves.most, 3000 * MS);
	assert_int_equal(job->steps[0].sum_ns, 6500 * MS);
	assert_false(job->steps[0].at_least);
	expect_text("json", false, "\"question\": false");
	assert_has(job->verdict, "the job gains 2.00 s (20.0 %)");
	assert_has(job->verdict, "it is up to 3.00 s.");
}

TEST(a_long_name_of_kernels_is_cut)
{
	static const struct rank rank = {.rank = 0, .wall_ms = 10000};
	struct xs_job_phase phase = {
	    .kernel = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
		      "15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_"};

	build(&rank, 1);
	job->phases = &phase;
	job->phase_count = 1;
	char *text = text_of("text", false);
	char *line = strstr(text, "_ZN2at");
	assert_in_range(strcspn(line, "\n"), 40, 78);
	assert_has(line, "...");
	free(text);
}

TEST(a_condition_makes_the_gain_a_bound)
{
	static const struct rank rank = {.rank = 0,
					 .wall_ms = 10000,
					 .saves_ms = 3000,
					 .condition = "the data stays"};

	build(&rank, 1);
	assert_has(job->verdict, "the job gains up to 3.00 s (30.0 %)");
	expect_text("text", false, "  1? pinned\n");
	expect_text("json", false, "\"question\": true");
	expect_text("text", false, "may save up to 3.00 s of a run in 1 of 1");
	expect_text("text", false, "only if the data stays\n");
}

/* A process that the step does not change keeps the job at its time. */
TEST(a_step_of_few_processes_gains_less)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .saves_ms = 3000},
	    {.rank = 1, .wall_ms = 9900}};

	build(ranks, 2);
	assert_int_equal(job->saves_ns, 100 * MS);
	assert_int_equal(job->steps[0].traces, 1);
	assert_int_equal(job->steps[0].job_ns, 100 * MS);
	assert_false(job->steps[0].at_least);
}

/* More processes with the step are slower than the first without it than there
 * are rows: the gain is a bound, by the last row. */
TEST(a_gain_beyond_the_rows_is_a_bound)
{
	struct rank ranks[20];

	for (int64_t i = 0; i < 20; i++)
		ranks[i] = (struct rank){.rank = i % 8,
					 .wall_ms = 10000 - 10 * i,
					 .saves_ms = i < 19 ? 5000 : 0};
	build(ranks, 20);
	assert_int_equal(job->steps[0].traces, 19);
	assert_int_equal(job->steps[0].job_ns, 150 * MS);
	assert_true(job->steps[0].at_least);
	/* of the whole plan it is known */
	assert_int_equal(job->saves_ns, 190 * MS);
}

TEST(gpus_are_shared_and_far)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .gpu = "GPU-1"},
	    {.rank = 1, .wall_ms = 10000, .gpu = "GPU-1", .gpu_node = 1},
	    {.rank = 2, .wall_ms = 10000, .gpu = "GPU-2"}};

	build(ranks, 3);
	assert_int_equal(job->problem_count, 1);
	assert_string_equal(job->problems[0].what, "shared GPU");
	assert_int_equal(job->problems[0].traces, 2);
	assert_int_equal(job->kind_count, 2);
	assert_has(job->slowest[2].kind, "NUMA node 0, the GPU's 1");
}

/* Warnings of single reports: one for each kind, whatever its figures, with the
 * names of few traces. */
TEST(warnings_are_counted_over_processes)
{
	static const char *kinds[] = {"lost %d", "cut", "lost %d"};
	const char *notes[][3] = {{"lost 7", "cut", "lost 8"}, {"lost 9"}};

	all = json_object();
	for (size_t i = 0; i < 2; i++) {
		struct xs_result *result = fixture_result();

		result->run.rank = (int64_t)i;
		result->run.devices[0].uuid = NULL;
		result->coverage.notes = notes[i];
		result->coverage.note_kinds = kinds;
		result->coverage.note_count = i ? 1 : 3;
		merge_result(all, result);
		xs_result_free(result);
	}
	job = xs_job_build(all);
	assert_int_equal(job->problem_count, 2);
	assert_string_equal(job->problems[0].what, "warning");
	assert_int_equal(job->problems[0].traces, 2);
	assert_has(job->problems[0].text,
		   "2 traces with such a warning \"lost 7\": ");
	assert_has(job->problems[1].text, "1 trace with the warning \"cut\": ");
	assert_has(job->problems[1].names, "(rank 0 on ");
	expect_text("text", false, "! 2 traces with such a warning");
}

/* More warnings than a report tells: it says how many. */
TEST(many_warnings_are_cut)
{
	const char *notes[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
	struct xs_result *result = fixture_result();

	result->coverage.notes = result->coverage.note_kinds = notes;
	result->coverage.note_count = 9;
	all = xs_digest_of_result(result);
	xs_result_free(result);
	job = xs_job_build(all);
	char *text = text_of("text", false);
	assert_has(text, "! 1 more (--all)\n");
	free(text);
	text = text_of("text", true);
	assert_has_not(text, "more (--all)");
	free(text);
}

/* What a prediction assumes, rounds of several threads at once, and memory
 * that is pinned outside of the steady part. */
TEST(a_step_keeps_what_it_depends_on)
{
	static const char *assumes[] = {"the copies are large", "no bound"};
	struct xs_result *result = fixture_result();
	struct xs_result_estimate row = *result->plan[0].estimate;

	row.assumes = assumes;
	row.assume_count = 2;
	row.bound = "no bound";
	result->plan_count = 1;
	result->plan[0].estimate = &row;
	result->plan[0].condition = NULL;
	result->plan[0].side_by_side = 2;
	result->plan[0].adds_saves_ns = 1000 * MS;
	result->verdict.pinning = (struct xs_result_pinning){
	    .step = 2,
	    .saves_ns = 500 * MS,
	    .saves_low_ns = 400 * MS,
	    .saves_high_ns = 600 * MS,
	    .places = "a.cu:7",
	    .advice = "Pin it.",
	    .condition = "it is in ordinary memory before"};
	all = xs_digest_of_result(result);
	job = xs_job_build(all);
	assert_int_equal(job->step_count, 2);
	assert_string_equal(job->steps[0].assumes, "the copies are large");
	assert_null(job->steps[0].condition);
	assert_true(job->steps[0].at_most);
	assert_string_equal(job->steps[1].strategy, "register");
	assert_int_equal(job->steps[1].job_ns, 500 * MS);
	assert_int_equal(job->after_ns, result->plan[0].app_wall_ns - 500 * MS);
	expect_text("text", true, "saves up to 1.00 s");
	expect_text("text", true, "as long as the copies are large\n");
	expect_text("text", true, "only if it is in ordinary memory");
	xs_result_free(result);
}

/* What the program must do for it is asked, also of a gain that is no bound. */
TEST(a_need_makes_a_question)
{
	static const char *assumes[] = {"you keep one set", "no round frees"};
	struct xs_result *result = fixture_result();
	struct xs_result_estimate row = *result->plan[0].estimate;

	row.assumes = assumes;
	row.assume_count = 2;
	row.only_if = assumes[0];
	result->plan_count = 1;
	result->plan[0].estimate = &row;
	result->plan[0].condition = NULL;
	result->plan[0].side_by_side = 1;
	result->plan[0].adds_saves_ns = 1000 * MS;
	all = xs_digest_of_result(result);
	job = xs_job_build(all);
	assert_false(job->steps[0].at_most);
	expect_text("text", true, "  1? pinned\n");
	expect_text("text", true, "may save 1.00 s");
	expect_text("text", true,
		    "only if you keep one set; as long as no round frees\n");
	xs_result_free(result);
}

/* The spread of an upper bound is no interval. */
TEST(an_upper_bound_has_no_interval)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .saves_ms = 2000},
	    {.rank = 1, .wall_ms = 10000, .saves_ms = 3000}};

	build(ranks, 2);
	job->steps[0].at_most = true;
	expect_text("text", false,
		    "saves up to 2.00 s of a run in the median, 3.00 s in "
		    "one, of 2 of 2\n");
}

/* The run with the plan's last step has what comes before that step in. */
TEST(a_step_of_no_phase_counts_once)
{
	struct xs_result *result = fixture_result();

	result->plan_count = 1;
	result->plan[0].step = 2;
	result->verdict.pinning =
	    (struct xs_result_pinning){.step = 1,
				       .saves_ns = 500 * MS,
				       .saves_low_ns = 400 * MS,
				       .saves_high_ns = 600 * MS,
				       .advice = "Pin it."};
	all = xs_digest_of_result(result);
	job = xs_job_build(all);
	assert_int_equal(job->after_ns, result->plan[0].app_wall_ns);
	xs_result_free(result);
}

/* Of two phases, at the same lines: one change, that saves the sum. */
TEST(a_change_of_two_phases_is_one)
{
	struct xs_result *result = fixture_result();
	struct xs_result_step plan[2] = {result->plan[0], result->plan[0]};

	plan[0].adds_saves_ns = 300 * MS;
	plan[1].adds_saves_ns = 200 * MS;
	plan[0].condition = NULL;
	plan[1].condition = "the data stays";
	result->plan = plan;
	result->plan_count = 2;
	all = xs_digest_of_result(result);
	xs_result_free(result);
	job = xs_job_build(all);
	assert_int_equal(job->step_count, 1);
	assert_int_equal(job->steps[0].traces, 1);
	assert_int_equal(job->steps[0].saves.least, 500 * MS);
	assert_int_equal(job->steps[0].saves.most, 500 * MS);
	assert_int_equal(job->steps[0].job_ns, 500 * MS);
	assert_string_equal(job->steps[0].condition, "the data stays");
}

/* In the order of the plans, whose numbers build on each other, not by gain. */
TEST(steps_are_in_the_order_of_plans)
{
	struct xs_result *result = fixture_result();
	struct xs_result_step plan[2] = {result->plan[0], result->plan[0]};
	struct xs_result_site site = {.file = "a.cu", .line = 7};
	const struct xs_result_site *sites[] = {&site};

	plan[0].step = 1;
	plan[0].adds_saves_ns = 100 * MS;
	plan[0].sites = sites;
	plan[0].site_count = 1;
	plan[1].step = 2;
	plan[1].adds_saves_ns = 900 * MS;
	result->plan = plan;
	result->plan_count = 2;
	all = xs_digest_of_result(result);
	xs_result_free(result);
	job = xs_job_build(all);
	assert_string_equal(job->steps[0].places, "a.cu:7");
	assert_int_equal(job->steps[1].sum_ns, 900 * MS);
}

/* Of more ranks than a digest names, how many have no trace is known. */
TEST(missing_ranks_without_names_are_counted)
{
	for (int64_t ranks = 1; ranks < 9; ranks += 7) {
		const struct rank rank = {.ranks = ranks, .wall_ms = 10000};

		drop(NULL);
		all = digest_of(&rank);
		xs_digest_number(
		    xs_digest_row(all, "programs",
				  ranks > 1 ? "app, 8 ranks" : "app, 1 ranks"),
		    "beyond", "traces", 1);
		job = xs_job_build(all);
		assert_int_equal(job->problem_count, ranks > 1 ? 2 : 1);
		if (ranks > 1)
			assert_string_equal(
			    job->problems[0].text,
			    "7 traces fewer than the job has ranks");
		assert_string_equal(job->problems[job->problem_count - 1].names,
				    "names of traces");
	}
}

/* Traces of another job, of one process, or of a rank that its job does not
 * have, are in no figure, but named; no missing rank is hidden by them. */
TEST(traces_of_another_job_are_apart)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000},
	    {.rank = 2, .wall_ms = 10000},
	    {.rank = 3, .wall_ms = 10000},
	    {.rank = 1, .ranks = 1 << 24, .wall_ms = 90000},
	    {.rank = 9, .wall_ms = 90000},
	    {.rank = XS_UNKNOWN, .wall_ms = 90000}};

	build(ranks, 6);
	assert_int_equal(job->traces, 3);
	assert_int_equal(job->wall.most, 10000 * MS);
	assert_int_equal(job->ranks, 8);
	assert_int_equal(job->seen, 3);
	assert_string_equal(job->missing, "1, 4-7");
	assert_int_equal(job->problem_count, 1);
	assert_string_equal(job->problems[0].what, "other job");
	assert_true(job->problems[0].partial);
	assert_string_equal(
	    job->problems[0].text,
	    "3 traces of another job, in no figure: before.xspy (on node7), "
	    "before.xspy (rank 1 on node7), before.xspy (rank 9 on node7)");
	build(&ranks[3], 1);
	assert_string_equal(job->missing, "0, 2-16777215");
	build(&ranks[4], 2);
	assert_int_equal(job->traces, 2);
	assert_int_equal(job->problem_count, 0);
}

/* A job that ran again, with as many or fewer ranks: of as many traces the
 * later ones. Runs of one rank each are one job. */
TEST(the_later_of_two_jobs_counts)
{
	static const int64_t sizes[][2] = {{4, 8}, {8, 8}, {1, 1}};

	for (size_t i = 0; i < 6; i++) {
		const int64_t *size = sizes[i / 2];
		const int later = i % 2;
		struct xs_result *result = fixture_result();

		drop(NULL);
		all = json_object();
		result->coverage.note_count = 0;
		for (int64_t trace = 0; trace < 4; trace++) {
			const int second = trace > 1;

			result->run.ranks = size[second];
			result->run.rank = trace % 2 % size[second];
			result->run.job = second ? "7.1" : "7.0";
			result->run.start_us = second ? 6 - later : 5 + later;
			result->run.wall_ns = (second + 1) * 10000 * MS;
			merge_result(all, result);
		}
		xs_result_free(result);
		job = xs_job_build(all);
		assert_int_equal(job->ranks, size[!later]);
		assert_int_equal(job->traces, size[0] == 1 ? 4 : 2);
		assert_int_equal(job->wall.most > 15000 * MS,
				 size[0] == 1 || !later);
		assert_string_equal(job->problems[0].what,
				    size[0] == 1 ? "same rank" : "other job");
	}
}

TEST(a_slow_process_has_a_reason)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000},
	    {.rank = 1, .wall_ms = 10000},
	    {.rank = 2, .wall_ms = 13000, .copies_ms = 3000, .host = "node8"}};

	build(ranks, 3);
	assert_int_equal(job->slowest_count, 3);
	assert_has(job->slowest[0].name, "(rank 2 on node8)");
	assert_non_null(job->slowest[0].why);
	assert_has(job->slowest[0].why, "copies: 2.00 s more than the mean, ");
	assert_has(job->slowest[0].why, " in (mean: ");
	assert_null(job->slowest[1].why);
	assert_int_equal(job->busiest_count, 0);
	assert_int_equal(job->host_count, 2);
	assert_string_equal(job->hosts[0].name, "node8");
	expect_text("text", false, "app  3 traces on 2 hosts, 3 of 8 ranks");
	expect_text("text", false, "copies: 2.00 s more than the mean");
}

/* The others wait for it in their own code: all runs are as long. */
TEST(a_process_that_others_wait_for_is_found)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 13000},
	    {.rank = 1, .wall_ms = 13000},
	    {.rank = 2, .wall_ms = 13000, .copies_ms = 3000}};

	build(ranks, 3);
	assert_null(job->slowest[0].why);
	assert_int_equal(job->busiest_count, 1);
	assert_has(job->busiest[0].name, "rank 2");
	assert_has(job->busiest[0].why, "copies: 2.00 s more than the mean");
	assert_int_equal(job->busiest[0].by_ns - job->busy_mean_ns, 2000 * MS);
	char *text = text_of("text", false);
	assert_has(text, "busiest");
	assert_has_not(strstr(text, "busiest"), "rank 1");
	free(text);
}

/* What a process waits for in its own code does not make it busy. */
TEST(a_process_that_waits_for_others_is_not_busy)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 13000},
	    {.rank = 1, .wall_ms = 13000, .host_ms = 3000}};

	build(ranks, 2);
	assert_int_equal(job->busiest_count, 0);
}

TEST(time_outside_is_held_against_the_mean)
{
	static const struct rank ranks[] = {{.rank = 0, .wall_ms = 10000},
					    {.rank = 1, .wall_ms = 10000},
					    {.rank = 2, .wall_ms = 10000},
					    {.rank = 3, .wall_ms = 20000}};

	build(ranks, 4);
	assert_string_equal(
	    job->slowest[0].why,
	    "outside of the steady part: 7.50 s more than the mean");
}

TEST(missing_and_double_ranks_are_named)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .saves_ms = 9, .low_ms = 8},
	    {.rank = 2, .wall_ms = 10000},
	    {.rank = 3, .wall_ms = 10000},
	    {.rank = 3, .wall_ms = 10000},
	    {.rank = 7, .wall_ms = 10000}};

	build(ranks, 5);
	assert_int_equal(job->ranks, 8);
	assert_int_equal(job->seen, 4);
	assert_string_equal(job->missing, "1, 4-6");
	assert_int_equal(job->problem_count, 1);
	assert_string_equal(job->problems[0].what, "merged twice");
	expect_text("text", true, "! no figures of ranks 1, 4-6\n");
	expect_text("csv", true, ",8,4,\"1, 4-6\"\n");
}

/* Predictions of several machine profiles are told; those of calibrations, or
 * fitted to each trace, are of one kind. */
TEST(machine_profiles_are_told)
{
	static const char *origins[] = {"fitted", "fitted", "given", "shipped"};

	all = json_object();
	for (int i = 0; i < 4; i++) {
		struct xs_result *result = fixture_result();

		result->run.rank = i;
		result->run.devices[0].uuid = NULL;
		result->coverage.note_count = 0;
		result->machine_choice.origin = origins[i];
		snprintf(result->machine.name, sizeof(result->machine.name),
			 "m%d", i / 2);
		merge_result(all, result);
		xs_result_free(result);
		if (i == 0)
			continue;
		job = xs_job_build(all);
		assert_string_equal(job->machines,
				    i == 1 ? "fitted" : "fitted, m1");
		assert_int_equal(job->problem_count, i > 1);
		if (i > 1)
			assert_string_equal(job->problems[0].what,
					    "several machines");
		xs_job_free(job);
		job = NULL;
	}
}

/* A damaged trace, a trace of another program, a counted one, and one without a
 * verdict; their own warnings tell no more. */
TEST(what_is_in_no_figure_is_counted)
{
	static const struct rank rank = {.rank = 0, .wall_ms = 10000};
	struct xs_result *result = fixture_result();

	all = digest_of(&rank);
	result->run.app = "/usr/bin/other -x";
	result->run.wall_ns = 99999 * MS;
	merge_result(all, result);
	result->coverage.counted = true;
	result->verdict.missing = "a run without counters";
	merge_result(all, result);
	result->coverage.counted = false;
	merge_result(all, result);
	result->verdict.missing = NULL;
	result->coverage.damaged = true;
	merge_result(all, result);
	xs_result_free(result);
	/* of two equal ones the first by name */
	job = xs_job_build(all);
	assert_string_equal(job->program, "app");
	assert_int_equal(job->traces, 1);
	assert_int_equal(job->wall.most, 10000 * MS);
	assert_int_equal(job->problem_count, 4);
	assert_string_equal(job->problems[0].what, "damaged");
	assert_string_equal(job->problems[1].what, "no verdict");
	assert_string_equal(job->problems[2].what, "counted");
	assert_string_equal(
	    job->problems[3].text,
	    "1 trace of another program, in no figure (of those "
	    "with as many traces this is the first by name; "
	    "--each reports on each trace): other");
}

/* A process that was killed is in no figure, unless most were. */
TEST(killed_processes_are_apart)
{
	static const char cut[] = "the process was killed";
	struct xs_result *result = fixture_result();

	all = json_object();
	result->coverage.note_count = 0;
	result->run.ranks = 5;
	for (int64_t rank = 0; rank < 3; rank++) {
		result->run.rank = rank;
		result->run.wall_ns =
		    (rank == 1 ? 500 : 9000) * MS + result->run.tracer_ns;
		result->coverage.incomplete = rank == 1 ? cut : NULL;
		merge_result(all, result);
	}
	job = xs_job_build(all);
	assert_string_equal(job->program, "app");
	assert_int_equal(job->traces, 2);
	assert_int_equal(job->wall.least, 9000 * MS);
	assert_int_equal(job->incomplete, 1);
	assert_string_equal(job->missing, "1, 3-4");
	assert_string_equal(job->problems[0].what, "incomplete");
	assert_has(job->problems[0].text,
		   "1 trace in no figure, since the process was "
		   "killed: ");
	xs_job_free(job);
	result->coverage.incomplete = cut;
	for (int64_t rank = 3; rank < 5; rank++) {
		result->run.rank = rank;
		result->run.wall_ns = 600 * MS + result->run.tracer_ns;
		merge_result(all, result);
	}
	xs_result_free(result);
	job = xs_job_build(all);
	assert_string_equal(job->program, "app");
	assert_int_equal(job->traces, 3);
	assert_int_equal(job->incomplete, 3);
	assert_int_equal(job->wall.most, 600 * MS);
	assert_string_equal(job->problems[0].what, "complete");
	assert_int_equal(job->problems[0].traces, 2);
}

/* A kind of machine of half of the processes is not that of most. */
TEST(another_machine_is_why_if_most_have_one)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 13000, .copies_ms = 3000, .gpu_node = 1},
	    {.rank = 1, .wall_ms = 10000},
	    {.rank = 2, .wall_ms = 10000},
	    {.rank = 3, .wall_ms = 10000, .gpu_node = 1}};

	build(ranks, 3);
	assert_has(job->slowest[0].why, ", most on ");
	build(ranks, 4);
	assert_has(job->slowest[0].why, "copies: ");
	assert_has_not(job->slowest[0].why, " on ");
}

/* More rounds are why, not the bytes that each of them copies. */
TEST(more_rounds_are_told)
{
	struct xs_result *result = fixture_result();
	const int64_t rounds = result->phases[0].rounds;

	all = json_object();
	for (int64_t rank = 0; rank < 3; rank++) {
		const int64_t more = rank == 2 ? 3 : 1;

		result->run.rank = rank;
		result->run.wall_ns = 9000 * MS * more + result->run.tracer_ns;
		result->phases[0].rounds = rounds * more;
		for (size_t i = 0; i < result->verdict.part_count; i++)
			result->verdict.parts[i].ns *= more;
		result->totals.h2d_bytes *= more;
		result->totals.h2d_ns *= more;
		result->totals.d2h_bytes *= more;
		result->totals.d2h_ns *= more;
		merge_result(all, result);
	}
	xs_result_free(result);
	job = xs_job_build(all);
	assert_has(job->slowest[0].why, " rounds (mean: ");
	assert_has_not(job->slowest[0].why, "bytes");
}

/* A round is what the report on the trace alone says: without tracing, with the
 * host's time until the next one. */
TEST(rounds_are_without_tracing)
{
	struct xs_result *result = fixture_result();
	struct xs_result_phase *phase = &result->phases[0];

	result->phase_count = 1;
	phase->round_ns = 30000;
	phase->total_ns = 30000 * phase->rounds;
	phase->tracer_ns = 2600;
	phase->estimates[0].applies = true;
	phase->estimates[0].between_ns = 5000;
	all = xs_digest_of_result(result);
	job = xs_job_build(all);
	assert_int_equal(job->phases[0].round.median, 32400);
	assert_int_equal(job->phases[0].round.least, 32400);
	assert_int_equal(job->phases[0].total_ns, 32400 * phase->rounds);
	xs_result_free(result);
}

/* Another trace of a rank is told; a step that may cost time, too, and no limit
 * is below what the plan saves. */
TEST(several_runs_and_uncertain_steps_are_told)
{
	static const struct rank ranks[] = {
	    {.rank = 0, .wall_ms = 10000, .saves_ms = 3000, .low_ms = -1000},
	    {.rank = 0, .wall_ms = 10001, .saves_ms = 3000, .low_ms = 500}};

	build(ranks, 2);
	assert_int_equal(job->problem_count, 1);
	assert_string_equal(job->problems[0].text,
			    "1 trace of a rank that has another trace "
			    "(several runs?): 0");
	assert_int_equal(job->steps[0].low_ns, -500 * MS);
	expect_text("text", false, "may save 3.00 s");
	assert_true(job->at_most_saves_ns >= job->saves_most_ns);
	build(&ranks[1], 1);
	expect_text("text", false,
		    "     saves 3.00 s of a run (0.50-4.00 s in");
	assert_true(job->at_most_saves_ns >= job->saves_most_ns);
}

TEST(nothing_is_no_verdict)
{
	all = json_object();
	job = xs_job_build(all);
	expect_text("text", false, "Verdict: No verdict");
}

RUN_TESTS(NULL, drop)
