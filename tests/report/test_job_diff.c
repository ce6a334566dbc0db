/* SPDX-License-Identifier: MIT */
/* Two jobs: their times, which changes are gone from the plan, and what makes
 * them no pair. */
#include "report/job/digest.h"
#include "report/job/job_diff.h"
#include "report/job/trace_digest.h"
#include "report/render/renderer.h"
#include "tests/report/fixture.h"
#include "tests/report/job_of_test.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000LL

/* A job of processes that take a second more each, all with as many changes,
 * at lines of their own. */
static struct xs_job *job_of(const char *app, int64_t wall_ms, int ranks,
			     size_t changes)
{
	static int64_t pid;
	json_t *all = json_object();

	for (int rank = 0; rank < ranks; rank++) {
		struct xs_result *result = fixture_result();
		struct xs_result_step plan[2] = {result->plan[0],
						 result->plan[0]};
		struct xs_result_site site = {.file = "a.cu", .line = 7};
		const struct xs_result_site *sites[] = {&site};

		result->run.app = app;
		result->run.pid = ++pid;
		result->run.rank = rank;
		result->run.ranks = ranks > 3 ? ranks : 3;
		result->run.wall_ns =
		    (wall_ms + 1000 * rank) * MS + result->run.tracer_ns;
		result->coverage.note_count = 0;
		plan[0].adds_saves_ns = 2000 * MS;
		plan[1].adds_saves_ns = 1000 * MS;
		plan[1].sites = sites;
		plan[1].site_count = 1;
		result->plan = plan + 2 - changes;
		result->plan_count = changes;
		merge_result(all, result);
		xs_result_free(result);
	}
	return job_of_all(all);
}

static void free_all(struct xs_job_diff *diff)
{
	xs_job_free(diff->before);
	xs_job_free(diff->after);
	xs_arena_free(&diff->arena);
}

static const struct xs_job_diff_time *find(const struct xs_job_diff *diff,
					   const char *name)
{
	for (size_t i = 0; i < diff->time_count; i++)
		if (strcmp(diff->times[i].name, name) == 0)
			return &diff->times[i];
	fail_msg("no time of %s", name);
	return NULL;
}

TEST(a_change_that_was_made_is_gone)
{
	const struct xs_display display = {.columns = 80};
	struct xs_job_diff diff;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	struct xs_job *before = job_of("app", 8000, 3, 2);
	before->steps[0].at_most = true;
	xs_job_diff_build(before, job_of("app", 6000, 3, 1), &diff);
	assert_int_equal(find(&diff, "slowest process")->before_ns, 10000 * MS);
	assert_int_equal(find(&diff, "slowest process")->after_ns, 8000 * MS);
	assert_in_range(find(&diff, "median process")->after_ns, 6890 * MS,
			7110 * MS);
	assert_true(find(&diff, "copies")->part);
	assert_int_equal(diff.warning_count, 0);
	assert_has(diff.verdict, "10.0 s -> 8.00 s, 20.0 % faster");
	assert_has_not(diff.verdict, "predicted");
	assert_int_equal(diff.step_count, 2);
	assert_int_equal(diff.steps[0].before_ns, 2000 * MS);
	assert_int_equal(diff.steps[0].before_traces, 3);
	assert_true(diff.steps[0].after_ns == XS_UNKNOWN);
	assert_string_equal(diff.steps[1].places, "a.cu:7");
	assert_int_equal(diff.steps[1].before_ns, 1000 * MS);
	assert_int_equal(diff.steps[1].after_ns, 1000 * MS);
	assert_int_equal(xs_renderers[0]->job_diff(&diff, &display, out), 0);
	fclose(out);
	assert_has(text, " up to 2.00 s, in 3 of 3    not in the plan");
	assert_has(text, " 1.00 s, in 3 of 3  1.00 s, in 3 of 3");
	free(text);
	free_all(&diff);
}

TEST(without_a_change_left_the_prediction_is_told)
{
	struct xs_job_diff diff;

	xs_job_diff_build(job_of("app", 8000, 3, 1), job_of("app", 9000, 3, 0),
			  &diff);
	assert_has(diff.verdict, "10.0 s -> 11.0 s, 10.0 % slower");
	assert_has(diff.verdict, "was predicted.");
	free_all(&diff);
}

TEST(what_is_no_pair_is_told)
{
	struct xs_job_diff diff;

	xs_job_diff_build(job_of("app", 8000, 3, 1),
			  job_of("other", 8000, 2, 1), &diff);
	assert_int_equal(diff.warning_count, 3);
	assert_string_equal(diff.warnings[0],
			    "these are different programs: app and other");
	assert_string_equal(diff.warnings[1],
			    "the jobs have figures of 3 and 2 processes");
	assert_string_equal(diff.warnings[2], "after: no figures of rank 2");
	free_all(&diff);
	xs_job_diff_build(job_of("app", 8000, 0, 1), job_of("app", 8000, 3, 1),
			  &diff);
	assert_has(diff.verdict, "No verdict");
	free_all(&diff);
}

static enum xs_gate gate_of(struct xs_job *before, struct xs_job *after,
			    double limit, bool allow_different)
{
	struct xs_job_diff diff;

	xs_job_diff_build(before, after, &diff);
	enum xs_gate answer = xs_job_diff_gate(&diff, limit, allow_different);
	assert_has(diff.verdict, "(--fail-above)");
	free_all(&diff);
	return answer;
}

/* Processes of 8, 9 and 10 s, ...: a limit holds for the slowest and the median
 * one, of the same program. */
TEST(a_limit_holds_for_the_slowest_and_the_median)
{
	static const struct {
		int before_ms, before_traces;
		const char *after;
		int after_ms, after_traces;
		double limit;
		bool allow;
		enum xs_gate gate;
	} rows[] = {
	    {8000, 3, "app", 9000, 3, 5, false, XS_GATE_EXCEEDED},
	    {8000, 3, "app", 9000, 3, 20, false, XS_GATE_KEPT},
	    /* the slowest alone; the median alone */
	    {9000, 1, "app", 8500, 3, 10, true, XS_GATE_NOISY},
	    {6000, 5, "app", 9500, 1, 10, true, XS_GATE_NOISY},
	    {9000, 1, "app", 8500, 3, 10, false, XS_GATE_UNKNOWN},
	    {8000, 0, "app", 8000, 3, 5, false, XS_GATE_UNKNOWN},
	    {8000, 3, "other", 8000, 3, 5, false, XS_GATE_DIFFERENT},
	    {8000, 3, "other", 8000, 3, 5, true, XS_GATE_KEPT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(gate_of(job_of("app", rows[i].before_ms,
						rows[i].before_traces, 1),
					 job_of(rows[i].after, rows[i].after_ms,
						rows[i].after_traces, 1),
					 rows[i].limit, rows[i].allow),
				 rows[i].gate);
}

/* Medians are exact: 0.2 % is no 1 %, and 1.2 % is, whatever the histogram's
 * steps. */
TEST(medians_decide_as_they_are)
{
	for (int64_t ms = 5000; ms < 5500; ms += 100) {
		assert_int_equal(gate_of(job_of("app", ms, 3, 1),
					 job_of("app", ms + 12, 3, 1), 1,
					 false),
				 XS_GATE_KEPT);
		assert_int_equal(gate_of(job_of("app", ms, 3, 1),
					 job_of("app", ms + 90, 3, 1), 1,
					 false),
				 XS_GATE_EXCEEDED);
	}
}

TEST(a_job_is_not_held_against_itself)
{
	json_t *all = json_object();
	struct xs_result *result = fixture_result();

	merge_result(all, result);
	xs_result_free(result);
	struct xs_job *before = xs_job_build(all);
	assert_int_equal(gate_of(before, job_of_all(all), 5, true),
			 XS_GATE_UNKNOWN);
}

struct limit_case {
	int which; /* of the two jobs is cut, or has the problem */
	const char *cut, *missing[2];
	struct xs_job_problem *problem;
	bool allow;
	enum xs_gate gate;
	const char *text;
};

static void expect_answer(const struct limit_case *row)
{
	struct xs_job *jobs[2] = {job_of("app", 8000, 3, 1),
				  job_of("app", 8000, 3, 1)};
	struct xs_job *job = jobs[row->which];
	struct xs_job_diff diff;

	job->cut = row->cut;
	job->incomplete = row->cut ? 2 : 0;
	jobs[0]->missing = row->missing[0];
	jobs[1]->missing = row->missing[1];
	job->problems = row->problem;
	job->problem_count = row->problem != NULL;
	xs_job_diff_build(jobs[0], jobs[1], &diff);
	assert_int_equal(xs_job_diff_gate(&diff, 5, row->allow), row->gate);
	assert_has(diff.verdict, row->text);
	free_all(&diff);
}

/* Of other processes, or ones that were killed, it is not looked at. */
TEST(a_limit_is_meant_for_a_pair)
{
	static struct xs_job_problem whole = {.text = "1 trace"},
				     partial = {.text = "1 trace",
						.partial = true};
	static const struct limit_case rows[] = {
	    {0, "killed", {0}, NULL, true, XS_GATE_UNKNOWN, "killed"},
	    {1, "killed", {0}, NULL, true, XS_GATE_UNKNOWN, "killed"},
	    {0, NULL, {0, "2"}, NULL, false, XS_GATE_UNKNOWN, "ranks"},
	    {0,
	     NULL,
	     {0, "2"},
	     NULL,
	     true,
	     XS_GATE_KEPT,
	     "is kept. But the jobs have figures of different ranks"},
	    {0, NULL, {"2", "2"}, NULL, false, XS_GATE_KEPT, "is kept"},
	    {0, NULL, {0}, &partial, false, XS_GATE_UNKNOWN, "1 trace"},
	    {1, NULL, {0}, &partial, true, XS_GATE_UNKNOWN, "1 trace"},
	    {0, NULL, {0}, &whole, false, XS_GATE_KEPT, "is kept"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_answer(&rows[i]);
}

TEST(jobs_of_other_sizes_are_no_pair)
{
	struct xs_job *before = job_of("app", 8000, 3, 1);
	struct xs_job *after = job_of("app", 8000, 3, 1);

	after->ranks = 4;
	assert_int_equal(gate_of(before, after, 5, false), XS_GATE_DIFFERENT);
}

/* Another link or NUMA node is the same GPU. */
TEST(other_gpus_are_no_pair)
{
	struct xs_job *before = job_of("app", 8000, 3, 1);
	struct xs_job *after = job_of("app", 8000, 3, 1);
	struct xs_job_diff diff;

	assert_string_equal(before->models, "NVIDIA H200");
	xs_job_diff_build(before, after, &diff);
	assert_int_equal(diff.warning_count, 0);
	xs_arena_free(&diff.arena);
	before->models = "NVIDIA H20";
	xs_job_diff_build(before, after, &diff);
	assert_string_equal(diff.different, "the jobs ran on different GPUs");
	free_all(&diff);
}
