/* SPDX-License-Identifier: MIT */
/*
 * Reports on typical traces, and sections of reports on traces written by
 * hand. To renew a golden file, check
 * what the command prints and why it changed.
 */
#include "tests/report/program.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/report/read_file.h"

#define FOLDER	XS_SOURCE_DIR "/tests/report/"
#define H100	XS_SOURCE_DIR "/examples/frameworks/h100/"
#define STENCIL XS_SOURCE_DIR "/examples/traces/stencil-512-pageable.xspy "
#define CORPUS	XS_SOURCE_DIR "/examples/corpus/contact-2/"

static void expect_golden(const char *arguments, const char *path)
{
	struct program program = program_run(arguments);
	char *golden = read_file(path);

	assert_int_equal(program.code, 0);
	assert_string_equal(program.out, golden);
	free(golden);
	program_free(&program);
}

/* Expects texts, up to NULL, in what the command prints. */
__attribute__((format(printf, 2, 3))) static void
expect_texts(const char *const *texts, const char *arguments, ...)
{
	char line[1000];
	struct program program;
	va_list list;

	va_start(list, arguments);
	assert_in_range(vsnprintf(line, sizeof(line), arguments, list), 1,
			sizeof(line) - 1);
	va_end(list);
	program = program_run(line);
	for (; *texts; texts++)
		assert_has(program.out, *texts);
	program_free(&program);
}

TEST(a_job_of_two_traces)
{
	expect_golden("report --machine h200 " FOLDER
		      "traces/pageable.txt " STENCIL,
		      FOLDER "golden/job.txt");
}

/* A round with a second kernel that uses the first one's output. */
TEST(two_kernels_a_round)
{
	expect_golden("report --machine h200 --all " FOLDER
		      "traces/two-kernels.txt | sed -n '/^Phases/,$p'",
		      FOLDER "golden/two-kernels.txt");
}

/* Callers of a helper and their calls, without lines of packages. */
TEST(callers_of_a_helper)
{
	expect_golden(
	    "report --machine h200 " FOLDER
	    "traces/callers.txt | sed -n '/^What to change/,/^Coverage/p'",
	    FOLDER "golden/callers.txt");
}

/* numba's own words; copies of XLA's threads, which have no line, are named by
 * the function of JAX that asks for them, and the next launch. */
TEST(frameworks_have_their_words)
{
	expect_golden(
	    "report --machine " H100 "machine.json " H100
	    "numba_steps.xspy | sed -n '/^What to change/,/^Coverage/p'",
	    FOLDER "golden/numba.txt");
	/* layers: the next one's weights on a side stream */
	expect_golden("report --machine " H100 "machine.json " H100
		      "offload.xspy | sed -n '/^What to change/,/^Coverage/p'",
		      FOLDER "golden/prefetch.txt");
	/* a graph is no change of data movement */
	expect_golden("report --machine " H100 "machine.json " H100
		      "item.xspy | sed -n '/^Verdict/,/^Coverage/p'",
		      FOLDER "golden/item.txt");
	expect_golden("report --machine " H100 "machine.json " H100
		      "jax_put.xspy | sed -n '/^What to "
		      "change/,/^Coverage/p;/^Phases/,/^Strategies/p'",
		      FOLDER "golden/jax.txt");
}

/* CUDA started in the first call, cudaMallocHost: that is no pinning, neither
 * here nor in a difference. */
TEST(the_start_is_no_pinning)
{
	struct program program =
	    program_run("report " XS_SOURCE_DIR
			"/examples/traces/reduction-67108864-pinned.xspy | "
			"grep 'pinning memory'");

	assert_string_equal(program.out,
			    "Outside the steady part, pinning memory takes "
			    "81.2 ms, once (19.1 % of the run):\n");
}

/* A step of the set-up does not take the place of what is not known. */
TEST(another_gpu_opens_with_what_is_not_known)
{
	struct program program =
	    program_run("report --machine h200 " FOLDER
			"dataflow/layers-pinned.xspy | grep '^In short'");

	assert_string_equal(program.out,
			    "In short: not known: the predictions are for "
			    "another GPU, and not compared with\n");
	program_free(&program);
}

/* The modules that a trace names may be there. */
TEST(files_of_the_machine_are_not_read)
{
	struct program dump =
	    program_run("dump " STENCIL "| sed -E '/^source/d;s/ "
			"(used_bytes|at)=[0-9]+//g;s|/opt/.*/"
			"stencil|/bin/sh|' >no-lines.txt");
	struct program report = program_run("report no-lines.txt");

	assert_int_equal(dump.code, 0);
	assert_int_equal(report.code, 0);
	assert_has_not(report.out, "changed since the run");
	program_free(&dump);
	program_free(&report);
}

/* The time of copies and their number have names of their own. */
TEST(a_difference_has_one_name)
{
	struct program program =
	    program_run("diff " FOLDER "traces/pageable.txt " FOLDER
			"traces/two-kernels.txt | grep -E '^  "
			"(copies|kernels)' | cut -c1-18 | sort | uniq -d");

	assert_string_equal(program.out, "");
	program_free(&program);
}

/* The profile of the trace's GPU is found wherever it stands. */
TEST(machines_have_no_order)
{
	static const char *const orders[] = {
	    "--machine h200 --machine h100",
	    "--machine v100 --machine h200 --machine h100"};
	struct program first, second;
	char arguments[300];

	for (int i = 0; i < 2; i++) {
		snprintf(arguments, sizeof(arguments),
			 "report --format csv %s " XS_SOURCE_DIR
			 "/examples/traces/stencil-256-pageable.xspy | grep "
			 "machine:h100",
			 orders[i]);
		*(i ? &second : &first) = program_run(arguments);
	}
	assert_int_equal(first.code, 0);
	assert_string_equal(first.out, second.out);
	program_free(&first);
	program_free(&second);
}

/* Who needs what tells how many copies can run ahead, and diff what was done.
 */
TEST(prefetch_is_recognised)
{
	expect_golden("diff --machine h100 " FOLDER
		      "dataflow/layers-pinned.xspy " FOLDER
		      "dataflow/layers-prefetch.xspy | grep -A1 predicted",
		      FOLDER "golden/diff-prefetch.txt");
	expect_golden("report --machine h100 --format csv " FOLDER
		      "dataflow/engines-pinned.xspy | grep ',prefetch,' | cut "
		      "-d, -f4,7,22,30",
		      FOLDER "golden/engines-prefetch.txt");
}

/* The input brings more per byte than the result: a budget for one of them has
 * it. What is too small for any buffer pins none. */
TEST(a_budget_of_pinned_memory)
{
	expect_golden("report --machine h200 --pinned-budget 600MiB " STENCIL
		      "| sed -n '/^Pinned memory/,$p'",
		      FOLDER "golden/pinned-budget.txt");
	expect_golden(
	    "report --machine h200 --pinned-budget 1MiB --format json " STENCIL
	    "| grep -E 'used_bytes|\"taken\"' | sort -u",
	    FOLDER "golden/pinned-budget-small.txt");
	expect_golden("report --machine h200 --pinned-budget 1GiB " FOLDER
		      "traces/pinned.txt | sed -n '/^Pinned memory/,$p'",
		      FOLDER "golden/pinned-budget-none.txt");
}

/* 64 MiB that are copied in and out again are pinned once. */
TEST(memory_copied_both_ways_is_pinned_once)
{
	assert_int_equal(system("sed 's/dst=536870912/dst=268435456/' " FOLDER
				"traces/pageable.txt >both-ways.txt"),
			 0);
	expect_golden("report --machine h200 --pinned-budget 1GiB "
		      "both-ways.txt | sed -n '/^Pinned memory/,$p'",
		      FOLDER "golden/pinned-budget-both-ways.txt");
}

/* Frameworks allocate pinned memory, which takes longer than pinning. */
TEST(frameworks_allocate_what_is_pinned)
{
	assert_int_equal(system("sed 's|/app/src|/numba/cuda|' " FOLDER
				"traces/pageable.txt >numba.txt"),
			 0);
	expect_golden("report --machine h200 --pinned-budget 1GiB numba.txt | "
		      "sed -n '/^Pinned memory/,$p'",
		      FOLDER "golden/pinned-budget-numba.txt");
}

/* A second thread that takes turns with the first one has its calls in the
 * ranges of that one; a range in one of its own name is part of it. */
TEST(the_run_by_nvtx_ranges)
{
	expect_golden("report --machine h200 --by-range " FOLDER
		      "traces/nvtx.txt | sed -n '/^NVTX ranges/,/^Phases/p'",
		      FOLDER "golden/by-range.txt");
	expect_golden("report --machine h200 --by-range --format json " FOLDER
		      "traces/nvtx.txt | sed -n '/^  \"nvtx\"/,$p'",
		      FOLDER "golden/by-range-json.txt");
	expect_golden(
	    "report --machine h200 --by-range " FOLDER
	    "traces/pageable.txt | sed -n '/^NVTX ranges/,/^Phases/p'",
	    FOLDER "golden/by-range-none.txt");
}

TEST(waits_between_kernels_are_advised_against)
{
	expect_golden(
	    "report --machine " CORPUS "machine.json " CORPUS
	    "second/poly-LU.xspy | sed -n '/^What to change/,/^Coverage/p'",
	    FOLDER "golden/kernel-waits.txt");
}

/* A time whose range is wider than itself is told as that range in the plan,
 * the table and the times by number of streams; so is what copies of a round
 * take outside of it, and that a step may be slower. */
TEST(unknown_times)
{
	expect_golden("report --machine " CORPUS "machine.json " CORPUS
		      "second/hec-epistasis.xspy | sed -n '/^What to "
		      "change/,/^Coverage/p;/^Strategies/,$p'",
		      FOLDER "golden/between-rounds.txt");
	expect_golden("report --machine h100 " XS_SOURCE_DIR
		      "/examples/corpus/contact/first/rod-hotspot3D.xspy | "
		      "grep -A2 '^  [12][.?]'",
		      FOLDER "golden/may-be-slower.txt");
	expect_golden(
	    "report --machine h200 --all " XS_SOURCE_DIR
	    "/examples/traces/chain-16777216-pageable.xspy | grep 'by n'",
	    FOLDER "golden/unknown-by-n.txt");
}

static void expect_coverage(const char *name)
{
	char arguments[300], golden[300];

	snprintf(arguments, sizeof(arguments),
		 "report " FOLDER
		 "traces/%s.txt | sed -n '/^Coverage/,/^Where/p'",
		 name);
	snprintf(golden, sizeof(golden), FOLDER "golden/%s.txt", name);
	expect_golden(arguments, golden);
}

/* Whole reports, as a reader of the default text sees them. */
TEST(typical_reports)
{
	static const struct {
		const char *trace, *golden;
	} rows[] = {
	    {"examples/traces/stencil-256-pageable.xspy", "stencil-pageable"},
	    {"examples/traces/stencil-256-pinned.xspy", "stencil-pinned"},
	    {"examples/traces/chain-all-134217728-pageable.xspy",
	     "chain-pageable"},
	    {"tests/report/advice/alloc-round.txt", "alloc-round"},
	    {"tests/report/advice/small-copies.txt", "small-copies"},
	    {"tests/report/advice/small-pieces.txt", "small-pieces"},
	    {"tests/report/advice/threads.txt", "threads"},
	    {"tests/report/advice/train-item.txt", "train-item"},
	    {"tests/report/advice/decode.txt", "decode"},
	    {"tests/report/advice/offload-pinned.txt", "offload-pinned"},
	    {"tests/report/advice/killed-startup.txt", "killed-startup"},
	    {"tests/report/advice/one-round.txt", "one-round"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char arguments[300], golden[300];

		snprintf(arguments, sizeof(arguments),
			 "report --machine h200 " XS_SOURCE_DIR "/%s",
			 rows[i].trace);
		snprintf(golden, sizeof(golden), FOLDER "golden/typical/%s.txt",
			 rows[i].golden);
		expect_golden(arguments, golden);
	}
}

/* The sentence is of the step that saves most at least, in the words of the
 * step, and does not call sure what may be slower. */
TEST(the_opening_names_what_saves_most)
{
	static const struct {
		const char *trace, *texts[3]; /* up to NULL */
	} rows[] = {
	    {"corpus/h100/develop/rod-nn", {"In short: allocate once instead"}},
	    {"corpus/contact-5/fifth/hec-chi2",
	     {"for longer ones, first answer: could data stay on the GPU (a "
	      "run with XFERSPY_HASH=1 tells)? If not, pin"}},
	    {"corpus/contact/first/shoc-triad",
	     {"If not, use 8 pieces instead of 64"}},
	    {"frameworks/h200/kv_paging-1",
	     {"for longer ones, merge the small copies of kv_paging.py:25"}},
	    {"corpus/contact-5/fifth/hec-rtm8", {": may save "}},
	    {"corpus/contact-10-h100/tenth/son-padding",
	     {"saves 1.23 ms of each round's", "here 14.1 ms of 296 ms."}},
	    /* step 2 is told alone */
	    {"corpus/contact-6/sixth/hec-cobahh",
	     {"(step 2): saves 16", "of each round's 430 us"}},
	    {"corpus/h100/develop/hec-ga", {"ms, but only if"}},
	    {"corpus/contact-4/fourth/hec-ecdh",
	     {"buffers of steps 1, 2: saves 19.0 ms"}},
	    {"corpus/contact/first/hec-haccmk",
	     {"only if kernels of two rounds run side by side"}},
	    {"frameworks/h100/item",
	     {"data movement of its steady part is at most 0.0 % of it."}},
	    {"corpus/contact-10/tenth/comp-raytrace",
	     {"In short: nothing is worth it"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_texts(
		    rows[i].texts,
		    "report " XS_SOURCE_DIR
		    "/examples/%s.xspy | sed -n '/^In short/,/^Verdict/p' "
		    "| tr '\\n' ' '",
		    rows[i].trace);
}

/* The range that was traced, and what is behind --all or in no step. */
TEST(what_is_not_seen_is_told)
{
	static const struct {
		const char *trace, *texts[4]; /* up to NULL */
	} rows[] = {
	    {"frameworks/h200-3/loader-2",
	     {"the mean of 43 rounds", "per round of part of traced",
	      "183 ms in the steady part (39.8 % of it)"}},
	    {"frameworks/h200-5/decode-1", {"Steady part: 1.93 s (79.5 % of"}},
	    {"validate/patterns/h100-b/first/converge-16777216-traced",
	     {"pinned 418 us 412-431 us 34.3x 6.12 ms",
	      "Trace a longer run: the steady part is 0.2 % of this one"}},
	    {"corpus/contact-9/ninth/rob-rrt-nearest",
	     {"rob-rrt-nearest+0x2f94, one call: the call itself"}},
	    {"corpus/contact-5/fifth/hec-rtm8",
	     {" 1? pinned: a round", "may save 1.06 ms (from"}},
	    {"corpus/contact-10/tenth/sora-tof-flying",
	     {"9 more call sites (--all), first cudaMemcpy",
	      "no step: reuse adds"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_texts(rows[i].texts,
			     "report " XS_SOURCE_DIR
			     "/examples/%s.xspy | tr -s ' \\n' ' '",
			     rows[i].trace);
}

/* Each figure is printed once, or as elsewhere; what is asked is not what the
 * trace shows. */
TEST(figures_are_printed)
{
	static const struct {
		const char *trace, *texts[4]; /* up to NULL */
	} rows[] = {
	    /* of what XFERSPY_RANGE traced */
	    {"frameworks/h200/kv_paging-1", {"start-up: 998 ms"}},
	    /* no longer than the steady part */
	    {"frameworks/h200/jax_put-1", {" 4.14 ms     14.3 %"}},
	    {"frameworks/h100/to_device",
	     {"its page faults show new ones", "-> 2.34 ms",
	      "double-buffer*  2.34 ms"}},
	    {"corpus/contact-2/second/sam-matrixMul",
	     {"about 0.81 ms", "setup takes about 0.81 ms",
	      "36.1 ms   813 us"}},
	    {"corpus/contact-6/sixth/hec-jenkins-hash",
	     {"its overhead 104 us, copies in 19.1 us", "Compile with -g first",
	      "2? double-buffer, from 127 rounds on: "}},
	    {"corpus/h100/develop/hec-entropy", {"no step: streams adds 14.7"}},
	    {"corpus/contact-2/second/hec-rainflow", {"adds 17.8 ms"}},
	    {"corpus/h100/develop/sam-BlackScholes",
	     {"(run --counters tells)", "Start-up is 77.7 %"}},
	    {"corpus/contact-7/seventh/hec-scatterAdd",
	     {"-> 584 us (570-617 us)", "584 us    570-617 us",
	      "+0x2837, +0x2854 once"}},
	    {"corpus/contact-3/third/hec-iso2dfd", {"+0x15ad, one call"}},
	    {"corpus/contact/first/hec-haccmk",
	     {"If its condition does not hold, reuse saves about 43.3 ms"}},
	    {"corpus/contact-10/tenth/sora-tof-flying",
	     {"and 1 more step may save 364 us (0.1 % of the run; double"}},
	    {"corpus/contact-10/tenth/pmpp-grayscale",
	     {"of a mean round's 3.62 ms"}},
	    {"corpus/h100/develop/sam-histogram",
	     {"the program's 824 ms; afterwards"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_texts(rows[i].texts,
			     "report " XS_SOURCE_DIR
			     "/examples/%s.xspy | tr '\n' '@' | sed 's/@  "
			     "*\\([a-z(]\\)/ \\1/g'",
			     rows[i].trace);
}

/* Who needs what; the graph of a trace without pointers says why it is empty.
 */
TEST(dataflow_is_shown)
{
	expect_golden("report --machine h100 --dataflow " FOLDER
		      "dataflow/layers-pinned.xspy | sed -n '/^Dataflow/,$p'",
		      FOLDER "golden/dataflow.txt");
	expect_golden("report --machine h100 " FOLDER
		      "dataflow/layers-pinned.xspy | sed -n '/hanges "
		      "of/,/^Steady/p;/^Dataflow/p'",
		      FOLDER "golden/dataflow-verdict.txt");
	/* five pointers into one allocation; the last kernel is unknown */
	expect_golden(
	    "report --machine h100 --dataflow " XS_SOURCE_DIR
	    "/tests/analyzer/golden/pointers.trace | sed -n '/^Dataflow/,$p'",
	    FOLDER "golden/dataflow-unknown.txt");
	expect_golden(
	    "report --machine h100 --format dot " FOLDER
	    "dataflow/carried-pinned.xspy | sed '1s/\".*\"/\"TRACE\"/'",
	    FOLDER "golden/dataflow.dot");
	expect_golden(
	    "report --all --machine h100 " FOLDER
	    "dataflow/vecadd-static.xspy | sed -n '/^Phases/,/^Strategies/p'",
	    FOLDER "golden/task-class.txt");
	expect_golden("report --format dot " FOLDER
		      "traces/two-kernels.txt | sed '1s/\".*\"/\"TRACE\"/'",
		      FOLDER "golden/no-dataflow.dot");
}

/* Without calls, GPU times are complete only in a whole file. */
TEST(a_cut_trace_is_not_complete)
{
	expect_golden("report " FOLDER "traces/cut.txt | grep -A1 '^! no call'",
		      FOLDER "golden/cut-note.txt");
}

/* What was recorded, what is matched, and why the rest is not. */
TEST(coverage_is_stated)
{
	expect_coverage("pinned");
	expect_coverage("partly");
	expect_coverage("nothing");
	expect_coverage("killed");
	expect_coverage("cut");
}

/* A kernel that stays: the graph before it is thrown away, and behind merged
 * copies it saves too little for kernels that are rewritten. */
#define STAYS XS_SOURCE_DIR "/examples/initiated/h200-2/"

TEST(a_kernel_that_stays_is_told_with_its_steps)
{
	static const char *const rows[][3] = {
	    {"levels", "device-initiated, a later step, takes its place"},
	    {"halo",
	     "no step: device-initiated of phase 2 adds 1.22 ms (too little"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_texts(
		    &rows[i][1],
		    "report --machine " STAYS "machine.json --counters " STAYS
		    "%s-counters.xspy " STAYS "%s.xspy | tr -s ' \n' ' '",
		    rows[i][0], rows[i][0]);
}

/* A read of a byte takes 3 years, or at most. */
TEST(a_time_beyond_any_run_is_no_prediction)
{
	static const char *const texts[] = {
	    "no mapped, device-initiated: its time is longer than a run can be",
	    NULL};
	static const char *const keys[] = {"[a-z]*", "high"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		expect_texts(
		    texts,
		    "--version && sed '/\"mapped_read\": {/,/}/"
		    "s/\"\\(%s\\)\": [0-9.e-][0-9.e-]*/\"\\1\": 1e17/' " STAYS
		    "machine.json >slow.json && " XS_COMMAND
		    " report --all --machine ./slow.json " STAYS
		    "halo.xspy | tr -s ' \n' ' '",
		    keys[i]);
}
