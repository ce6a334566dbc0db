/* SPDX-License-Identifier: MIT */
/* The answer on a job of more than a digest has room for, and of hostile ones.
 */
#include "report/job/digest.h"
#include "report/job/job.h"
#include "report/job/trace_digest.h"
#include "tests/report/fixture.h"
#include "tests/report/job_of_test.h"
#include "tests/report/seal.h"
#include "tests/unit.h"

#include <string.h>

#define MS 1000000LL

/* Adds a digest of a trace with another value of something. */
static void merge_other(json_t *all, const char *app, int64_t line)
{
	struct xs_result *result = fixture_result();
	struct xs_result_site site = {.file = "a.cu", .line = line};
	const struct xs_result_site *sites[] = {&site};

	result->coverage.note_count = 0;
	result->run.pid = line;
	result->run.rank = result->run.ranks = XS_UNKNOWN;
	result->run.app = app;
	result->plan_count = 1;
	result->plan[0].sites = sites;
	result->plan[0].site_count = 1;
	result->plan[0].adds_saves_ns = MS;
	merge_result(all, result);
	xs_result_free(result);
}

/* Of many programs that of the most traces, not the first by name. */
TEST(the_program_of_the_most_traces_is_the_job)
{
	json_t *all = json_object();
	struct xs_job *job;
	char name[16];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "%03d", i);
		merge_other(all, i < 20 ? "234" : name, i);
	}
	job = xs_job_build(all);
	assert_string_equal(job->program, "234");
	assert_int_equal(job->traces, 21);
	assert_string_equal(job->problems[0].what, "other program");
	assert_int_equal(job->problems[0].traces, 255);
	assert_string_equal(job->problems[0].names,
			    "020, 021, 022, 023, 024, 025, 026, 027, ...");
	assert_string_equal(job->problems[1].what, "other job");
	assert_int_equal(job->problems[1].traces, 24);
	xs_job_free(job);
	json_decref(all);
}

/* Beyond the room of changes, the report says that some are missing. */
TEST(what_has_no_room_is_told)
{
	static const int64_t lines[] = {200, 300};

	for (size_t i = 0; i < 2; i++) {
		json_t *all = json_object();
		struct xs_job *job;

		for (int64_t line = 1; line <= lines[i]; line++)
			merge_other(all, "app", line);
		job = xs_job_build(all);
		assert_int_equal(job->step_count, i ? 256 : 200);
		assert_int_equal(job->problem_count, i);
		if (i)
			assert_string_equal(job->problems[0].names, "changes");
		xs_job_free(job);
		json_decref(all);
	}
}

/* A digest of no trace may have any numbers and texts. */
TEST(hostile_figures_are_bounded)
{
	static const char digest[] =
	    "{\"digest\":4,\"group\":{\"add\":{\"traces\":9},\"table\":{"
	    "\"programs\":{\"p\":{\"add\":{\"traces\":9,\"wall_ns\":5},"
	    "\"most\":{\"wall_ns\":"
	    "1152921504606846976,\"after_ns\":9},\"count\":{\"wall_ns\":"
	    "{\"1886\":8,\"1887\":1},\"traces\":{\"x\":9}},\"rows\":{"
	    "\"slowest\":[{\"by\":"
	    "1152921504606846976,\"name\":\"x\\ny\"}]},\"table\":{\"steps\":"
	    "{\"aa\":{\"add\":{\"traces\":2},\"text\":{\"places\":\"a\\nb\"}}"
	    "}}}}}}}";
	char *sealed = seal(digest, strlen(digest));
	struct xs_job *job;
	const char *error;
	json_t *group;

	assert_int_equal(
	    xs_digest_parse(sealed, strlen(sealed), &group, &error), 0);
	free(sealed);
	job = xs_job_build(group);
	assert_int_equal(job->wall.most, 1LL << 60);
	assert_true(job->wall.median <= 1LL << 60);
	assert_int_equal(job->steps[0].traces, 2);
	assert_true(job->steps[0].order == XS_UNKNOWN);
	assert_true(job->busy_mean_ns == XS_UNKNOWN);
	assert_true(job->outside_ns == XS_UNKNOWN);
	assert_string_equal(job->steps[0].places, "a b");
	assert_string_equal(job->slowest[0].name, "x y");
	xs_job_free(job);
	json_decref(group);
}

/* Counts are at most INT64_MAX, in a digest that is merged with itself, too. */
TEST(hostile_counts_are_bounded)
{
	static const char digest[] =
	    "{\"digest\":4,\"group\":{\"add\":{\"traces\":9223372036854775807},"
	    "\"table\":{\"programs\":{\"p\":{\"add\":{\"traces\":"
	    "9223372036854775807},\"most\":{\"wall_ns\":1},\"count\":{"
	    "\"traces\":{\"x\":9223372036854775807},"
	    "\"wall_ns\":{\"0001\":9223372036854775807},"
	    "\"gpus\":{\"a\":9223372036854775807,\"b\":9223372036854775807,"
	    "\"c\":9223372036854775807,\"d\":9}}}}}}}";
	char *sealed = seal(digest, strlen(digest));
	struct xs_job *job;
	const char *error;
	json_t *group, *twice = json_object();

	assert_int_equal(
	    xs_digest_parse(sealed, strlen(sealed), &group, &error), 0);
	free(sealed);
	xs_digest_merge(twice, group);
	xs_digest_merge(twice, group);
	const json_t *gpus = xs_digest_get(
	    json_object_get(xs_digest_get(twice, "table", "programs"), "p"),
	    "count", "gpus");
	assert_true(json_integer_value(json_object_get(gpus, "a")) ==
		    INT64_MAX);
	assert_int_equal(json_integer_value(json_object_get(gpus, "d")), 18);
	job = xs_job_build(twice);
	assert_int_equal(job->traces, 1LL << 60);
	assert_string_equal(job->problems[0].what, "merged twice");
	assert_int_equal(job->problems[0].traces, 1);
	xs_job_free(job);
	json_decref(twice);
	json_decref(group);
}

/* Two processes, of which the second one begins `late` us after the other has
 * ended. */
static struct xs_job *one_after_another(int64_t late, int64_t ranks)
{
	json_t *all = json_object();

	for (int64_t i = 0; i < 2; i++) {
		struct xs_result *result = fixture_result();

		result->coverage.note_count = 0;
		result->run.pid = i;
		result->run.rank = ranks ? i : XS_UNKNOWN;
		result->run.ranks = ranks ? ranks : XS_UNKNOWN;
		result->run.start_us =
		    1 + i * (result->run.wall_ns / 1000 + late);
		merge_result(all, result);
		xs_result_free(result);
	}
	return job_of_all(all);
}

/* A run that began when another one had ended is none of the same job, unless
 * all ranks are there once: they may have shared a core. */
TEST(runs_one_after_another_are_told)
{
	static const struct {
		int64_t late, ranks;
		bool told;
	} cases[] = {{-1, 0, false}, {1, 0, true}, {1, 2, false}, {1, 3, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct xs_job *job =
		    one_after_another(cases[i].late, cases[i].ranks);

		assert_int_equal(job->problem_count, cases[i].told);
		if (cases[i].told)
			assert_string_equal(job->problems[0].what,
					    "one after another");
		xs_job_free(job);
	}
}
