/* SPDX-License-Identifier: MIT */
/* What bounds the run, in figures and in words. */
#include "analyzer/timeline/run_parts.h"
#include "report/build/read.h"
#include "report/build/steady.h"
#include "report/build/verdict.h"
#include "report/plan/limit.h"
#include "report/plan/run_steps.h"
#include "report/result/shown_text.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000LL

static struct xs_result *result;

static void read_file(const char *path)
{
	const struct xs_result_options options = {.fitted = true};
	const char *error;

	if (xs_result_read(path, &options, &result, &error) < 0)
		fail_msg("%s: %s", path, error);
}

static void read_trace(const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), XS_SOURCE_DIR "/tests/report/%s.txt",
		 name);
	read_file(path);
}

/* Reads a trace with recording from its start to an end, in ms. Calls are
 * counted from then to the end of the run, 777 ms after its start: the tallies.
 */
static void read_counted(const char *trace, unsigned end_ms,
			 const char *tallies)
{
	FILE *in = fopen(trace, "r");
	char path[] = "/tmp/xferspy-test.XXXXXX", line[400];
	FILE *out = fdopen(mkstemp(path), "w");

	assert_non_null(in);
	assert_non_null(out);
	while (fgets(line, sizeof(line), in)) {
		char *end = strstr(line, "end_realtime_ns=");

		if (strncmp(line, "header", 6) == 0)
			strcpy(end, "end_realtime_ns=1767323045777000000\n");
		fputs(line, out);
		if (strncmp(line, "queue", 5) == 0)
			fprintf(out, "detail detail=1 "
				     "time_ns=1767323045000000000\n");
	}
	fprintf(out, "detail detail=0 time_ns=1767323045%03u000000\n%s", end_ms,
		tallies);
	fclose(in);
	fclose(out);
	read_file(path);
}

static void says(const char *text)
{
	if (!strstr(result->verdict.text, text))
		fail_msg("\"%s\" does not say \"%s\"", result->verdict.text,
			 text);
}

FIXTURE(tear_down)
{
	xs_result_free(result);
	result = NULL;
	return 0;
}

/* 20 ms of a round are the host's own code, the copies and the kernel 0.2 ms.
 */
TEST(a_host_that_computes_is_the_limit)
{
	read_trace("advice/host-bound");
	says("Time goes to the host's own code (99.0 % of the steady part).");
	says("The GPU is 99.1 % idle; the host's code before cudaMemcpy is the "
	     "limit.");
	says("at most 2.12 ms: 1.0 % of the steady "
	     "part, 0.6 % of the run.");
	assert_int_equal(result->plan_count, 0);
}

/* 200 launches a step, for kernels of 1.5 us. Of the 302 us in calls, 190 are
 * the tracer's. */
TEST(a_host_that_issues_is_the_limit)
{
	read_trace("advice/decode");
	says("Time goes to kernels (45.0 % of the steady part) and the host's "
	     "own "
	     "code (36.7 %); then launches and other calls of CUDA (16.3 %)");
	says("Steady part: 2.67 ms");
	says("how fast the host issues work");
	/* the profile has no costs of graphs */
	says("A CUDA graph issues many launches at once.");
	says("Changes of data movement save at most 60.0 us: 2.2 % "
	     "of the steady part, 0.1 % of the run.");
}

static int64_t waited_ns(const struct xs_result_wait *waits, size_t count)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++)
		sum_ns += waits[i].waited_ns;
	return sum_ns;
}

/* Pinning and 500 MB are before ten rounds of two copies and a kernel; what
 * frees memory is after them. */
TEST(the_steady_part_has_its_own_totals)
{
	const struct xs_result_steady *in;

	read_trace("advice/alloc-round");
	in = &result->steady;
	assert_ptr_equal(in->phase, &result->phases[0]);
	assert_int_equal(in->rounds, 10);
	assert_int_equal(in->totals.h2d_ops, 10);
	assert_int_equal(in->totals.kernels, 10);
	assert_int_equal(in->totals.pinned_alloc_ns, 0);
	assert_int_equal(in->totals.init_ns, 0);
	assert_int_equal(result->totals.pinned_alloc_ns, 8 * MS);
	assert_true(in->totals.host_blocked_ns <= result->verdict.steady_ns);
	assert_int_equal(in->totals.host_blocked_ns,
			 waited_ns(in->waits, in->wait_count));
	assert_int_equal(result->totals.host_blocked_ns,
			 waited_ns(result->waits, result->wait_count));
	assert_true(in->totals.host_blocked_ns <
		    result->totals.host_blocked_ns - 8 * MS);
	for (size_t i = 0; i < in->wait_count; i++)
		assert_string_not_equal(in->waits[i].kind, "alloc-pinned");
}

/* The load of 500 MB is before the steady part. */
TEST(start_up_is_not_of_its_totals)
{
	read_trace("advice/startup-load");
	assert_true(result->steady.totals.h2d_bytes <
		    result->totals.h2d_bytes - 400 * MS);
}

/* The time of a round is no part of the steady part where four run at a time.
 */
TEST(rounds_side_by_side_are_not_counted)
{
	read_trace("advice/threads");
	assert_non_null(result->steady.phase);
	assert_true(result->steady.rounds == XS_UNKNOWN);
	assert_int_equal(result->steady.totals.kernels, 32);
	/* of all: a round's part would be more than there is; four threads
	 * share the link */
	says("save at most 8.31 ms: 44.7 % of the steady part");
}

TEST(copies_and_allocations_bound_together)
{
	read_trace("advice/alloc-round");
	says("Bound by copies (45.9 % of the steady part) and allocating and "
	     "freeing memory (37.1 %); then kernels (15.0 %).");
	says("start-up: 103 ms, CUDA's own 89.9 ms, the program's 13.3 ms; "
	     "afterwards: 1.33 ms.");
}

/* One load of 500 MB, then rounds: the load is not of the steady part, and
 * neither is what it would save. */
TEST(a_load_is_start_up)
{
	read_trace("advice/startup-load");
	assert_true(result->verdict.repeats);
	assert_true(result->phases[0].apart);
	assert_false(result->phases[1].apart);
	says("Bound by kernels");
	for (size_t i = 0; i < result->plan_count; i++)
		assert_int_equal(result->plan[i].phase->apart,
				 result->plan[i].phase == result->phases);
}

/* Iterations that copy out 4 bytes, and one copy of all results after them. */
TEST(a_copy_after_the_loop_is_apart)
{
	read_file(XS_SOURCE_DIR "/examples/validate/patterns/h100-b/first/"
				"converge-16777216-traced.xspy");
	assert_true(result->verdict.repeats);
	assert_int_equal(result->phases[2].rounds, 9);
	assert_true(result->phases[0].apart);
	assert_true(result->phases[1].apart);
	assert_false(result->phases[2].apart);
	says("Changes of data movement save at most 239 us: 37.0 % of the "
	     "steady part, 0.1 % of the run.");
}

/* The first step of a loop of 45, with imports and compilation, is one round
 * that takes longer than all others. */
TEST(a_warm_up_round_is_start_up)
{
	read_file(XS_SOURCE_DIR "/examples/frameworks/h100/decode.xspy");
	assert_true(result->verdict.repeats);
	assert_true(result->phases[0].apart);
	assert_int_equal(result->phases[1].rounds, 44);
	assert_false(result->phases[1].apart);
}

/* Two rounds, much longer than the 47 after them, have 4 % of the GPU's time:
 * they are done once. */
TEST(few_long_rounds_are_start_up)
{
	read_file(XS_SOURCE_DIR
		  "/examples/corpus/contact-15/counters/tor-fft.xspy");
	assert_int_equal(result->phases[0].rounds, 47);
	assert_false(result->phases[0].apart);
	assert_int_equal(result->phases[2].rounds, 2);
	assert_true(result->phases[2].apart);
}

/* While XLA compiles a step, its threads tune kernels in rounds that repeat.
 * The steps follow, whose copies other threads issue. */
TEST(tuning_while_compiling_is_start_up)
{
	read_file(XS_SOURCE_DIR
		  "/examples/frameworks/typical/h200-2/jax_train.xspy");
	assert_int_equal(result->steady.rounds, 10);
	assert_int_equal(result->steady.phase->rounds, 10);
	assert_int_equal(result->steady.phase->h2d_ops, 2);
	says("Steady part: 25.3 ms (0.4 % of the run)");
}

static struct xs_phase rounds_of(uint64_t rounds, uint64_t from_ms,
				 uint64_t to_ms, uint64_t kernel_ms)
{
	return (struct xs_phase){.rounds = rounds,
				 .first_start_ns = from_ms * MS,
				 .first_end_ns = from_ms * MS,
				 .last_end_ns = to_ms * MS,
				 .total_ns = (to_ms - from_ms) * MS,
				 .kernel_ns = {.median_ns = kernel_ms * MS},
				 .kernel_ops = 1};
}

static void expect_steady_from(struct xs_phase *items, uint64_t from_ms)
{
	const struct xs_trace trace = {0};
	const struct xs_phases phases = {.items = items, .count = 5};
	struct xs_steady steady;

	xs_steady_find(&trace, &phases, &steady);
	assert_int_equal(steady.span.from_ns, from_ms * MS);
}

/* Rounds beside a single one are a program's own if one kernel of them takes
 * most of their time, or far more than what comes after. So are they if the
 * single round is the GPU's. */
TEST(a_loop_beside_a_long_round_is_no_tuning)
{
	const struct xs_phase all[] = {
	    rounds_of(1, 0, 1000, 2),	  rounds_of(10, 100, 400, 1),
	    rounds_of(10, 400, 500, 1),	  rounds_of(10, 500, 600, 1),
	    rounds_of(10, 1100, 1200, 1),
	};
	struct xs_phase items[5];

	memcpy(items, all, sizeof(all));
	expect_steady_from(items, 1100);
	items[0].kernel_ns.median_ns = 900 * MS;
	expect_steady_from(items, 100);
	items[0] = all[0];
	items[1].kernel_ns.median_ns = 3 * MS;
	expect_steady_from(items, 100);
	items[1] = all[1];
	items[4].rounds = 4;
	items[4].kernel_ns.median_ns = MS / 3;
	expect_steady_from(items, 100);
}

/* CuPy copies an array of numpy into pinned memory before each copy in. */
TEST(pinned_memory_is_filled_by_the_host)
{
	read_file(XS_SOURCE_DIR
		  "/examples/frameworks/h100/cupy_reduction.xspy");
	says("cupy_reduction.py:28 is the limit. It takes as long as it would "
	     "to fill the pinned memory that is copied in, 16 MiB at 9.21 "
	     "GB/s");
	/* a second place is no other copy */
	result->verdict.host_line = "cudaLaunchKernel at cupy_reduction.py:30";
	xs_verdict_say(result);
	says("(no line of Python) and before cudaLaunchKernel at "
	     "cupy_reduction.py:30 is the limit. It takes as long as it would");
	tear_down(NULL);
	/* between 128 copies of 32 KiB it is a loop of Python */
	read_file(XS_SOURCE_DIR "/examples/frameworks/h100/kv_paging.xspy");
	says("the host's code before cudaMemcpyAsync at kv_paging.py:25 is "
	     "the limit. ");
}

/* All rounds save no more than they take: where their mean is less than the
 * median, it is the round as it is. */
TEST(rounds_save_no_more_than_they_take)
{
	const struct xs_result_phase *phase, *before = NULL;

	read_file(XS_SOURCE_DIR
		  "/examples/corpus/contact-7/seventh/hec-streamPriority.xspy");
	phase = &result->phases[0];
	assert_true(xs_result_is_mean(phase));
	assert_int_equal(phase->round_ns,
			 (phase->total_ns - phase->warm_up_ns) / 11);
	assert_int_equal(phase->estimates[0].round_ns, phase->round_ns);
	assert_has(xs_result_phase_text(result, phase, &before),
		   "mean of its rounds (90 % within 3.06-4.15 ms), median "
		   "3.70 ms");
}

/* The first of 11 rounds warms up. */
TEST(a_share_is_of_the_rounds_in_the_part)
{
	const struct xs_result_phase *phase;

	read_file(XS_SOURCE_DIR "/examples/validate/patterns/h100-b/first/"
				"small_waits-49152-traced.xspy");
	phase = &result->phases[0];
	assert_int_equal(phase->rounds, 11);
	assert_int_equal(xs_result_rounds(phase), 10);
	assert_int_equal(xs_result_in_steady(phase, 1000), 1000);
	assert_true(phase->warm_up_ns > 2 * phase->round_ns);
	assert_true(xs_result_repeated_ns(phase) < phase->wall_ns);
}

/* A loop without a synchronisation is one round with repeated calls. */
TEST(a_loop_within_a_round_repeats)
{
	read_trace("advice/tuned");
	assert_true(result->verdict.repeats);
	assert_int_equal(result->phases[0].rounds, 1);
	says("Bound by kernels");
}

/* What can be said of one round, and what to record for more. */
TEST(one_round_does_not_repeat)
{
	read_trace("advice/one-round");
	assert_false(result->verdict.repeats);
	assert_null(result->verdict.missing);
	says("Bound by copies (83.9 % of the 9.42 ms after CUDA's start)");
	says("No round repeats, so what a longer run would spend is not known: "
	     "record one with two rounds or more.");
}

TEST(killed_in_its_start_is_not_known)
{
	read_trace("advice/killed-startup");
	says("What bounds the run is not known: no kernel was recorded until "
	     "its end; let the program run longer.");
	says("What was recorded went to copies (71.1 % of the 11.1 ms after "
	     "CUDA's start)");
	assert_int_equal(result->plan_count, 0);
}

/* What is pinned before the rounds is told if it takes more than the steps
 * save, and a tenth of the run. */
TEST(pinning_in_start_up_is_told)
{
	struct xs_result_pinning *in;

	read_trace("advice/offload-pinned");
	in = &result->verdict.pinning;
	says("\nOutside the steady part, pinning memory takes 256 ms, "
	     "once (51.8 % of the run): 16 calls of cudaMallocHost (step 1).");
	assert_int_equal(in->bytes, 1LL << 30);
	assert_int_equal(in->step, 1);
	in->step = 0;
	result->plan[0].adds_saves_ns = 257 * MS;
	xs_verdict_say(result);
	assert_has_not(result->verdict.text, "pinning memory takes");
	result->plan_count = 0;
	xs_verdict_say(result);
	says("once (51.8 % of the run): 16 calls");
	assert_true(result->verdict.tells_pinning);
	result->totals.init_ns = XS_UNKNOWN;
	xs_verdict_say(result);
	says("once (51.8 % of the run, perhaps with CUDA's start): ");
	in->calls = NULL;
	xs_verdict_say(result);
	says("CUDA's start).");
	in->ns = result->run.wall_ns / 10 - MS;
	xs_verdict_say(result);
	assert_has_not(result->verdict.text, "pinning memory takes");
	assert_false(result->verdict.tells_pinning);
}

/* It is a step if memory in use would be registered in less time for sure, by
 * more than 1 % of the run. */
TEST(pinning_in_start_up_is_a_step)
{
	struct xs_result_pinning *in;
	double run_ns = 500 * MS;

	read_trace("advice/offload-pinned");
	in = &result->verdict.pinning;
	in->registering_low_ns = 22 * MS;
	in->registering_ns = 23 * MS;
	in->registering_high_ns = 30 * MS;
	in->touching_ns = 230 * MS;
	in->places = "a.cu:3";
	/* a step of twice the gain comes before it: it has a condition */
	in->step = 0;
	xs_plan_run_steps(result, (double)(in->ns - 23 * MS), &run_ns);
	assert_int_equal(in->step, 0);
	xs_plan_run_steps(result, 0, &run_ns);
	assert_int_equal(in->step, result->step_count);
	assert_int_equal(run_ns, 500 * MS - in->saves_ns);
	assert_int_equal(in->saves_ns, in->ns - 23 * MS);
	assert_int_equal(in->saves_low_ns, in->ns - 30 * MS);
	assert_int_equal(in->saves_high_ns, in->ns - 22 * MS);
	assert_has(in->advice, "16 calls of cudaMallocHost (a.cu:3), and");
	assert_has(in->condition, "(3.00 ms if it is new memory)");
	xs_verdict_say(result);
	says("16 calls of cudaMallocHost (step ");
	says("In the rounds, changes of data movement save at most ");
	in->step = 0;
	in->touching_ns = 240 * MS;
	xs_plan_run_steps(result, 0, &run_ns);
	assert_has(in->condition, "(7.00 ms slower if it is new memory)");
	/* another start may take less */
	in->step = 0;
	in->registering_high_ns = in->ns;
	xs_plan_run_steps(result, 0, &run_ns);
	assert_int_equal(in->step, 0);
}

TEST(pinning_that_saves_nothing_known_is_no_step)
{
	struct xs_result_pinning *in;
	double run_ns = 500 * MS;

	read_trace("advice/offload-pinned");
	in = &result->verdict.pinning;
	in->registering_low_ns = 22 * MS;
	in->registering_ns = 23 * MS;
	in->registering_high_ns = 23 * MS;
	in->touching_ns = 230 * MS;
	in->places = "a.cu:3";
	/* next to nothing of the run */
	in->step = 0;
	result->run.wall_ns = 240 * 100 * MS;
	xs_plan_run_steps(result, 0, &run_ns);
	assert_int_equal(in->step, 0);
	in->registering_ns = XS_UNKNOWN;
	result->run.wall_ns = 500 * MS;
	xs_plan_run_steps(result, 0, &run_ns);
	assert_int_equal(in->step, 0);
	/* the same memory, in less of the run */
	in->registering_ns = 23 * MS;
	xs_plan_run_steps(result, 0, &run_ns);
	assert_int_not_equal(in->step, 0);
}

TEST(what_is_missing_is_said)
{
	read_trace("traces/nothing");
	says("not known: the trace has no calls of CUDA; if the "
	     "program has, docs");
	assert_string_equal(result->coverage.notes[0],
			    "no CUPTI: only calls through a shared CUDA "
			    "runtime are recorded");
	tear_down(NULL);
	read_trace("traces/cut");
	says("not known: the file was cut: ");
	assert_non_null(result->coverage.incomplete);
	for (size_t i = 0; i < result->phase_count; i++)
		assert_int_equal(result->phases[i].estimate_count, 0);
	tear_down(NULL);
	read_trace("traces/killed");
	says("not known: the process was killed before times of the");
	tear_down(NULL);
	/* counting takes most of the time: its shares are not told either */
	read_file(XS_SOURCE_DIR "/examples/traces/stencil-128-counters.xspy");
	assert_true(result->verdict.repeats);
	assert_string_equal(
	    result->verdict.text,
	    "What bounds the run is not known: this run counted the first "
	    "launches of each kernel, which slows it down; trace another run "
	    "without counters and add this one to its report with --counters.");
	assert_int_equal(result->plan_count, 0);
}

/* Of a long run that was recorded in windows. */
TEST(shares_are_of_what_was_recorded)
{
	result = fixture_result();
	result->verdict.recorded_ns = 7 * MS;
	xs_verdict_say(result);
	says("of the recorded 7.00 ms of the steady part");
}

/* Rounds that were recorded until counting began go on until it ends; others
 * have ended before. */
TEST(counted_rounds_are_steady)
{
	const char *trace = XS_SOURCE_DIR "/tests/report/traces/pageable.txt";

	read_counted(trace, 74, "");
	assert_int_equal(result->verdict.steady_ns, 772 * MS);
	says("of the recorded 6");
	tear_down(NULL);
	read_counted(trace, 100, "");
	assert_in_range(result->verdict.steady_ns, 60 * MS, 65 * MS);
}

/* 3 recorded rounds, and one that may be cut, stand for 904: only they were
 * traced. */
TEST(counted_rounds_are_not_traced)
{
	char tallies[1000] = "tally site=10 calls=900 bytes=7200\n"
			     "tally site=11 calls=900 bytes=0\n";
	const struct xs_result_phase *phase;

	for (unsigned site = 2; site < 10; site++)
		snprintf(tallies + strlen(tallies), 100,
			 "tally site=%u calls=22500 bytes=0\n", site);
	read_counted(XS_SOURCE_DIR "/tests/report/advice/decode.txt", 99,
		     tallies);
	phase = &result->phases[0];
	assert_int_equal(phase->rounds, 904);
	assert_in_range(phase->tracer_ns, 100000, 300000);
	assert_int_equal(result->run.tracer_ns, 3 * phase->tracer_ns);
	assert_in_range(result->verdict.tracer_ns, 1, 3 * phase->tracer_ns);
	assert_true(xs_result_part_ns(&result->verdict, XS_PART_CALLS) > 0);
	says("of the recorded 3.42 ms of the steady part) and kernels (");
	says("Steady part: 681 ms");
}

/* One phase of 412 rounds of 16 ms, without estimates and plan: 13 ms of a
 * round are copies or waits. */
static struct xs_result_phase *set_up_round(void)
{
	struct xs_result_phase *phase;

	result = fixture_result();
	phase = &result->phases[0];
	result->phase_count = 1;
	result->plan_count = 0;
	result->steady.phase = phase;
	result->steady.rounds = phase->rounds;
	phase->estimate_count = 0;
	phase->movable_ns = 13 * MS;
	phase->kernel_busy_ns = 2 * MS;
	return phase;
}

/* With most calls only counted, and most of the run. */
TEST(most_calls_are_only_counted)
{
	set_up_round();
	xs_verdict_say(result);
	assert_has_not(result->verdict.text, "only counted");
	result->coverage.calls_counted = result->coverage.api_calls_seen - 1;
	result->verdict.steady_ns = result->run.wall_ns / 2 - 1;
	xs_verdict_say(result);
	says("Most calls were only counted: for a verdict on more of the run");
	/* the rounds explain more than three quarters of 10 s */
	result->verdict.steady_ns = result->run.wall_ns;
	result->phases[0].wall_ns = 8000 * MS;
	xs_verdict_say(result);
	assert_has_not(result->verdict.text, "only counted");
	result->phases[0].wall_ns = 4 * MS;
	xs_verdict_say(result);
	says("they take 4.00 ms of it. What the rest is, is not known");
	result->verdict.repeats = false;
	xs_verdict_say(result);
	says("No recorded round repeats, and most calls were only counted: "
	     "record a later part, as with XFERSPY_RANGE=5+2.");
	result->run.wall_ns = 1900 * MS;
	xs_verdict_say(result);
	says("record a later part with XFERSPY_RANGE.");
}

static void expect_limit(int64_t of_round_ns)
{
	xs_verdict_say(result);
	assert_int_equal(xs_limit_of_round_ns(result, result->phases),
			 of_round_ns);
	assert_int_equal(result->verdict.at_most_saves_ns, 412 * of_round_ns);
}

/* What neither moves nor waits stays, and so do the kernels. */
TEST(kernels_and_the_host_stay)
{
	struct xs_result_phase *phase = set_up_round();

	expect_limit(13 * MS);
	says("at most 5.36 s: 76.6 %");
	/* of a run of 10 s */
	says("start-up: 500 ms, CUDA's own 190 ms, the program's 310 ms; "
	     "afterwards");
	phase->kernel_busy_ns = 4 * MS;
	expect_limit(12 * MS);
	/* of a round whose steps are not recorded */
	phase->kernel_busy_ns = phase->movable_ns = XS_UNKNOWN;
	phase->host_blocked_ns = 2 * MS;
	phase->h2d_ns = 3 * MS;
	phase->d2h_ns = XS_UNKNOWN;
	phase->kernel_ns = 10 * MS;
	expect_limit(5 * MS);
}

static const char *order_memory = "pinned";

static void expect_order(int64_t least_ns, const char *text)
{
	struct xs_result_phase *phase;

	tear_down(NULL); /* the round before */
	phase = set_up_round();
	phase->least_ns = least_ns;
	phase->src_memory = "pinned";
	phase->dst_memory = order_memory;
	xs_verdict_say(result);
	if (text)
		says(text);
	else
		assert_has_not(result->verdict.text, "order");
}

/* The dataflow bound of a round of 16 ms, of which 13 ms move data. */
TEST(order_alone)
{
	expect_order(14 * MS, "of the run. Another order of copies and kernels "
			      "alone saves at most 8.2 % of the run.");
	expect_order(20 * MS, "kernels alone saves nothing.");
	/* that is what all changes save */
	expect_order(4 * MS, NULL);
	expect_order(XS_UNKNOWN, NULL);
	assert_int_equal(result->verdict.order_saves_ns,
			 result->verdict.at_most_saves_ns);
	/* the host waits for each copy of pageable memory */
	order_memory = "pageable";
	expect_order(14 * MS, NULL);
	order_memory = "pinned";
}

/* Most of what copy calls take is of pinned memory, or of pageable memory. */
TEST(copy_calls_stage_pageable_memory)
{
	struct xs_result_wait *pageable, *pinned;

	set_up_round();
	result->phases[0].src_memory = "pageable";
	result->verdict.parts[0].part = XS_PART_COPY_CALLS;
	result->verdict.parts[0].words = "the overhead of copy calls";
	pageable = &result->steady.waits[0];
	pinned = &result->steady.waits[1];
	pageable->kind = pinned->kind = "copy";
	pageable->pageable = true;
	pageable->site.calls = 2;
	pageable->site.bytes = 2 << 16; /* by the calls themselves */
	pageable->host_ns = MS;
	pinned->latency_ns = 2 * MS;
	xs_verdict_say(result);
	says("Bound by the overhead of copy calls");
	pageable->latency_ns = 8 * MS;
	xs_verdict_say(result);
	says("Bound by the overhead of copy calls");
	pageable->site.bytes++;
	xs_verdict_say(result);
	says("Bound by copy calls that stage pageable memory");
}

/* What is counted as kernels is named where that is more. */
TEST(sets_are_no_kernels)
{
	struct xs_result_part *part;

	set_up_round();
	part = &result->verdict.parts[0];
	part->part = XS_PART_KERNELS;
	part->words = "kernels";
	result->steady.totals.kernel_ns = part->ns;
	result->steady.totals.d2d_ns = 0;
	xs_verdict_say(result);
	says("Bound by kernels (");
	result->steady.totals.kernel_ns -= part->ns / 100;
	xs_verdict_say(result);
	says("Bound by kernels with memsets (");
	result->steady.totals.d2d_ns = 1;
	xs_verdict_say(result);
	says("Bound by kernels with memsets (");
	result->steady.totals.d2d_ns = part->ns / 100;
	xs_verdict_say(result);
	says("Bound by kernels with copies within a GPU (");
	result->steady.totals.kernel_ns = result->steady.totals.d2d_ns = 0;
	xs_verdict_say(result);
	says("Bound by memsets (");
}

/* 4 of the dataflow's 14 ms lie beside the host's work between rounds. */
TEST(order_uses_the_time_between)
{
	struct xs_result_phase *phase = set_up_round();

	phase->least_ns = 14 * MS;
	phase->estimate_count = 1;
	phase->estimates[0].strategy = "double-buffer";
	phase->estimates[0].between_ns = 4 * MS;
	xs_verdict_say(result);
	assert_int_equal(result->verdict.order_saves_ns, 412 * 6 * MS);
}

/* No strategy of the report saves more, and not the plan. Another number of
 * launches moves no data. */
TEST(no_row_saves_more_than_the_limit)
{
	struct xs_result_phase *phase = set_up_round();
	struct xs_result_estimate *row = &phase->estimates[0];

	phase->estimate_count = 1;
	row->strategy = "graph";
	row->round_ns = MS;
	expect_limit(13 * MS);
	row->strategy = "streams";
	row->known_high_ns = 16 * MS - 1;
	expect_limit(15 * MS);
	/* it may be slower than the round now, and its time is not known */
	row->known_high_ns = 16 * MS;
	row->effort_level = XS_EFFORT_SPLIT;
	row->low_ns = MS - 1;
	row->high_ns = 2 * MS;
	expect_limit(13 * MS);
	row->low_ns = MS;
	expect_limit(15 * MS);
	/* also if the host may fill anew what was copied out */
	row->returning = true;
	expect_limit(15 * MS);
	row->strategy = "graph";
	result->plan_count = 1;
	result->plan[0].phase = phase;
	result->plan[0].round_before_ns = 16 * MS;
	result->plan[0].round_ns = 2 * MS;
	expect_limit(14 * MS);
}

/* 103 of 412 rounds are start-up: the share of the steady part is that of the
 * other 309, the share of the run that of all. A phase outside of the steady
 * part has none. */
TEST(the_limit_is_of_all_rounds)
{
	set_up_round();
	result->phase_count = 2;
	result->phases[1].apart = true;
	result->steady.rounds = 309;
	result->phases[0].outside = 0.25;
	result->verdict.steady_ns = 8034 * MS;
	expect_limit(13 * MS);
	says("5.36 s, of which 4.02 s in the steady part (50.0 % of it): "
	     "53.6 % of the run");
}

/* Rounds beside each other have more to save than there is time. */
TEST(the_limit_is_no_more_than_the_whole)
{
	set_up_round();
	result->steady.phase = NULL;
	result->steady.rounds = XS_UNKNOWN;
	result->verdict.steady_ns = result->verdict.recorded_ns = 5000 * MS;
	xs_verdict_say(result);
	/* 412 rounds of 13 ms; of the steady part, 366 ms are kernels */
	says("save at most 4.63 s: 92.7 % of the steady part, 46.3 % of the "
	     "run");
	/* half of them are outside of it */
	result->phases[0].outside = 0.5;
	xs_verdict_say(result);
	says("5.36 s, of which 2.68 s in the steady part (53.6 % of it): "
	     "53.6 % of the run");
}

RUN_TESTS(NULL, tear_down)
