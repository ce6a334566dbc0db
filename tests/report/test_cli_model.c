/* SPDX-License-Identifier: MIT */
/*
 * xferspy model against equations computed by hand, for a machine with round
 * numbers (machine.json): L+o 10 us, G 0.1 ns per byte, g 1 us in both
 * directions; two copy engines, no implicit synchronisation.
 */
#include "tests/report/program.h"
#include "tests/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "model --machine " XS_SOURCE_DIR "/tests/report/machine.json "
/* 4 ms in, 2 ms out */
#define BYTES "--h2d-bytes 40MB --d2h-bytes 20MB "
/* The same with 2 multiprocessors of 8 blocks, 1 GHz, 32 bytes a ns of memory,
 * and mapped memory: 0.12 ns a byte read alone, 0.15 each way. */
#define DEVICE "model --machine " XS_SOURCE_DIR "/tests/report/device.json "
/* All parameters of --control but those of copies out. */
#define CONTROL                                                                \
	"model --machine " XS_SOURCE_DIR "/tests/report/control.json "         \
	"--control "

/* The number of the row with this model, strategy and n (0: without n). */
static int64_t number_of(const char *key, const char *arguments,
			 const char *strategy, const char *model, int64_t n)
{
	struct program program = program_run(arguments);
	json_t *root = json_loads(program.out, 0, NULL), *row;
	int64_t found = -1;
	size_t i;

	assert_int_equal(program.code, 0);
	json_array_foreach(json_object_get(root, "estimates"), i, row)
	{
		json_t *streams = json_object_get(row, "n_streams");

		if (!strcmp(json_string_value(json_object_get(row, "strategy")),
			    strategy) &&
		    !strcmp(json_string_value(json_object_get(row, "model")),
			    model) &&
		    json_integer_value(streams) == n)
			found = json_integer_value(json_object_get(row, key));
	}
	json_decref(root);
	program_free(&program);
	return found;
}

static int64_t round_of(const char *arguments, const char *strategy,
			const char *model, int64_t n)
{
	return number_of("round_ns", arguments, strategy, model, n);
}

/* 0.01 + 4 + 8 + 0.01 + 2 = 14.02 ms */
TEST(explicit_copies)
{
	assert_int_equal(round_of(MODEL BYTES "--kernel-ms 8 --format json",
				  "pinned", "vanwerkhoven2014-explicit", 0),
			 14020000);
}

/*
 * Equation 5 for n = 4, the longest of
 *	0.01 + 4 + 0.003 + 8/4 + 0.01 + 2/4 = 6.523 ms
 *	0.01 + 4/4 + 8 + 0.01 + 2/4         = 9.52 ms
 *	0.01 + 4/4 + 8/4 + 0.01 + 2 + 0.003 = 5.023 ms
 */
TEST(a_dominant_kernel)
{
	assert_int_equal(round_of(MODEL BYTES
				  "--kernel-ms 8 --streams 4 --format json",
				  "streams", "vanwerkhoven2014-eq5", 4),
			 9520000);
	/* of the explicit copies' time */
	assert_int_equal(number_of("saves_ns",
				   MODEL BYTES
				   "--kernel-ms 8 --streams 4 --format json",
				   "streams", "vanwerkhoven2014-eq5", 4),
			 14020000 - 9520000);
}

/*
 * With a kernel of 1 ms:
 *	0.01 + 4 + 0.003 + 1/4 + 0.01 + 2/4 = 4.773 ms
 *	0.01 + 4/4 + 1 + 0.01 + 2/4         = 2.52 ms
 *	0.01 + 4/4 + 1/4 + 0.01 + 2 + 0.003 = 3.273 ms
 */
TEST(dominant_copies)
{
	assert_int_equal(round_of(MODEL BYTES
				  "--kernel-ms 1 --streams 4 --format json",
				  "streams", "vanwerkhoven2014-eq5", 4),
			 4773000);
}

/* Equation 6: 0.01 + max(4, 8, 2) + 0.01 = 8.02 ms */
TEST(mapped_memory)
{
	assert_int_equal(round_of(MODEL BYTES "--kernel-ms 8 --format json",
				  "mapped", "vanwerkhoven2014-eq6", 0),
			 8020000);
}

/*
 * Each byte is read three times: 0.01 + max(3 4, 8, 2) + 0.01 = 12.02 ms; at
 * mapped rates of both ways (0.15 ns), 0.01 + 3 6 + 0.01 = 18.02 ms.
 */
#define THRICE BYTES "--kernel-ms 8 --h2d-crossings 3 --format json"

TEST(crossings_of_mapped_memory)
{
	assert_int_equal(round_of(DEVICE THRICE, "mapped",
				  "vanwerkhoven2014-eq6-counted", 0),
			 12020000);
	assert_int_equal(round_of(DEVICE THRICE, "mapped",
				  "vanwerkhoven2014-eq6-counted-mapped", 0),
			 18020000);
	/* as printed, once */
	assert_int_equal(
	    round_of(DEVICE THRICE, "mapped", "vanwerkhoven2014-eq6", 0),
	    8020000);
	runs(DEVICE BYTES "--kernel-ms 8 --h2d-crossings 3", 0,
	     "Mapped memory takes 18.0 ms (at its measured rates) with the "
	     "given crossings",
	     NULL);
	/* a machine without mapped rates has the row with those of copies */
	assert_int_equal(
	    round_of(MODEL THRICE, "mapped", "vanwerkhoven2014-eq6-counted", 0),
	    12020000);
	assert_int_equal(round_of(MODEL THRICE, "mapped",
				  "vanwerkhoven2014-eq6-counted-mapped", 0),
			 -1);
}

/*
 * Best n of equation 5 with two engines: 4.13 ms; with one, equation 4, at
 * least all copies in and out: 0.02 + 6 + 2 (n - 1) us, at n = 2 6.022 ms.
 */
TEST(text_says_what_a_second_engine_saves)
{
	runs(MODEL BYTES "--kernel-ms 1", 0,
	     "The second copy engine saves 1.89 ms (31.4 %): with one, the "
	     "best time would\n  be 6.02 ms.",
	     NULL);
	runs(MODEL BYTES "--kernel-ms 800", 0,
	     "The second copy engine saves less than 0.5 %.", NULL);
}

/* The same copies, given as times. */
TEST(times_stand_for_bytes)
{
	assert_int_equal(
	    round_of(
		MODEL
		"--h2d-ms 4 --d2h-ms 2 --kernel-ms 8 --streams 4 --format json",
		"streams", "vanwerkhoven2014-eq5", 4),
	    9520000);
}

TEST(json_has_three_keys)
{
	struct program program =
	    program_run(MODEL BYTES "--kernel-ms 8 --format json");
	json_t *root = json_loads(program.out, 0, NULL);

	assert_int_equal(json_integer_value(json_object_get(root, "schema")),
			 1);
	assert_string_equal(json_string_value(json_object_get(
				json_object_get(root, "machine"), "name")),
			    "round");
	assert_true(json_array_size(json_object_get(root, "estimates")) >= 4);
	json_decref(root);
	program_free(&program);
}

/* Of 14 ms and the latencies, everything but the 8 ms of the kernel can
 * overlap. */
TEST(text_says_what_dominates)
{
	static const char both[] = "model --machine h200 --h2d-bytes 67108864 "
				   "--d2h-bytes 67108864 --kernel-ms 2";

	runs(MODEL BYTES "--kernel-ms 8", 0,
	     "The kernel dominates; overlap saves at most 6.02 ms", NULL);
	runs(MODEL BYTES "--kernel-ms 8", 0,
	     "    vanwerkhoven2014-eq5: the longest of copies in, kernel",
	     NULL);
	/* the longest name is not cut; rows of one n name their equations */
	runs(both, 0, " vanwerkhoven2014-eq5-both-Gg: ", NULL);
	runs(both, 0, "  hybrid ", NULL);
	runs(both, 0, "  eq5-mean-G ", NULL);
	runs(MODEL BYTES "--kernel-ms 1", 0,
	     "The copies in dominate; overlap saves at most 3.01 ms", NULL);
}

/* Expects an answer that begins with a text and contains another one. */
static void answers_with(const char *arguments, const char *beginning,
			 const char *rest)
{
	struct program program = program_run(arguments);
	json_t *root = json_loads(program.out, 0, NULL), *sentence;
	const char *found = NULL;
	size_t i;

	assert_int_equal(program.code, 0);
	json_array_foreach(json_object_get(root, "answers"), i, sentence)
	{
		const char *text = json_string_value(sentence);

		if (strncmp(text, beginning, strlen(beginning)) == 0)
			found = text;
	}
	if (!found || !strstr(found, rest))
		fail_msg("no answer '%s ... %s' in %s", beginning, rest,
			 program.out);
	json_decref(root);
	program_free(&program);
}

/*
 * A kernel of 1 ms, 4 ms in, 2 ms out: n = sqrt((2 + 1) / 0.001) = 54.8. At 55
 *	0.01 + 4 + 0.054 + 1/55 + 0.01 + 2/55 = 4.128545 ms
 * and 1 % more, 4.169831, is had from 24 on:
 *	0.01 + 4 + 0.023 + 1/24 + 0.01 + 2/24 = 4.168 ms (23: 4.172435)
 */
TEST(streams_are_answered)
{
	answers_with(
	    MODEL BYTES "--kernel-ms 1 --format json",
	    "55 streams are fastest: 4.13 ms by vanwerkhoven2014-eq5",
	    "against 7.02 ms with one copy each way; 24 streams come within");
}

/* Equation 6: 0.02 + 4 = 4.02 ms against 4.128545. Copies in may cross
 * (4.128545 - 0.02) / 4 = 1.03 times. */
TEST(mapped_memory_is_answered)
{
	answers_with(MODEL BYTES "--kernel-ms 1 --format json",
		     "Mapped memory takes 4.02 ms (at the rate of copies)",
		     "more than 1.0 times");
	/* without a kernel one copy in is as fast: 1.02 ms for both */
	answers_with(MODEL "--h2d-ms 1 --d2h-ms 0 --kernel-ms 0 --format json",
		     "Use copies, not mapped memory", "takes 1.02 ms");
}

/*
 * A kernel of 8 ms: 0.02 + 8 + 6/256 = 8.0434 ms, with half the link 8.0317.
 * Half the kernel: n = sqrt((2 + 4) / 0.001) = 77.5,
 *	0.01 + 4 + 0.076 + 4/77 + 0.01 + 2/77 = 4.1739 ms
 */
TEST(a_faster_link_and_gpu_are_answered)
{
	answers_with(MODEL BYTES "--kernel-ms 8 --format json",
		     "With a link twice as fast, the best time would be 8.03 "
		     "ms instead of 8.04 ms",
		     "with a kernel twice as fast, 4.17 ms");
}

/* 3e9 flops on 60 MB over the link and 120 MB of device memory. */
#define BOUNDS                                                                 \
	"model --machine gtx-titan --h2d-bytes 40MB --d2h-bytes 20MB "         \
	"--kernel-ms 1 --flops 3e9 --memory-bytes 120MB --format json"

static void bound_is(const json_t *bounds, const char *key, double value,
		     double tolerance)
{
	assert_float_equal(json_real_value(json_object_get(bounds, key)), value,
			   tolerance);
}

TEST(bounds_are_given)
{
	struct program program = program_run(BOUNDS);
	json_t *root = json_loads(program.out, 0, NULL);
	const json_t *bounds = json_object_get(root, "bounds");
	/* Table I: 9420 + 40e6 * 0.08318392 + 9023 + 20e6 * 0.07924734 */
	const double link_s = 4.9307466e-3;

	bound_is(bounds, "data_intensity", 50, 1e-4);
	bound_is(bounds, "operational_intensity", 25, 1e-4);
	/* the device: min(4.5e12, 288.4e9 * 25) = 4.5e12 */
	bound_is(bounds, "zero_overlap_flops", 3e9 / (link_s + 3e9 / 4.5e12),
		 1e6);
	bound_is(bounds, "full_overlap_flops", 3e9 / link_s, 1e6);
	bound_is(bounds, "mapped_flops", 60e6 / link_s * 25, 1e6);
	json_decref(root);
	program_free(&program);
	answers_with(
	    BOUNDS,
	    "The kernel does 50 flops for each byte that crosses the link",
	    "25 for each byte of device");
	runs(MODEL BYTES "--kernel-ms 1 --format json", 0, "\"bounds\": null",
	     NULL);
}

/* The Titan's kernel of 4 ms is bound by memory: 288.4 / 208 of it on a K20m,
 * or by arithmetic, 4500 / 3520. */
#define BOTH                                                                   \
	"model --machine gtx-titan --machine k20m --h2d-bytes 64MiB "          \
	"--d2h-bytes 64MiB --kernel-ms 4 --format json "

TEST(other_machines_are_compared)
{
	struct program program = program_run(BOTH);
	json_t *root = json_loads(program.out, 0, NULL);
	json_t *other = json_array_get(json_object_get(root, "compared"), 0);

	assert_string_equal(
	    json_string_value(json_object_get(other, "machine")), "k20m");
	assert_int_equal(
	    json_integer_value(json_object_get(other, "kernel_ns")), 5546154);
	assert_true(json_array_size(json_object_get(other, "estimates")) >= 4);
	json_decref(root);
	program_free(&program);
	answers_with(BOTH,
		     "On k20m: ", "scaled by the memory bandwidth: 5.55 ms");
	/* of 1e12 flops and 1 GiB arithmetic is the longer on both */
	answers_with(BOTH "--flops 1e12 --memory-bytes 1GiB",
		     "On k20m: ", "scaled by the roofline: 5.11 ms");
}

/* 40 MB at 0.15 ns a byte, both ways: 6.02 ms. In alone at 0.12: 4.82 ms. */
TEST(mapped_memory_has_rates_of_its_own)
{
	answers_with(
	    DEVICE BYTES "--kernel-ms 1 --format json",
	    "Use copies, not mapped memory: mapped memory takes 6.02 ms (at "
	    "its measured rates, not the table's rate of copies)",
	    "copies take 4.13 ms");
	answers_with(
	    DEVICE "--h2d-bytes 40MB --d2h-bytes 0 --kernel-ms 3 --format json "
		   "--streams 2",
	    "Use copies, not mapped memory: mapped memory takes 4.82 ms",
	    "(hybrid) would take");
}

/*
 * ATGPU on the device: 100 blocks, 50 operations: ceil(100 / 16) = 7 times 50
 * ns, and 32 kB of memory, 1000 blocks of a ns: 1350 ns. Copies 20 us and 6 ms,
 * sigma 4 us.
 */
TEST(atgpu_is_evaluated)
{
	static const char atgpu[] =
	    DEVICE BYTES "--blocks 100 --operations 50 --memory-bytes 32000 "
			 "--sync-ms 0.004 --format json";

	assert_int_equal(round_of(atgpu, "pinned", "atgpu-gpu-cost", 0),
			 6020000 + 1350 + 4000);
	assert_int_equal(round_of(atgpu, "pinned", "atgpu-cost", 0),
			 6020000 + 1050 + 4000);
	assert_int_equal(round_of(atgpu, "pinned", "swgpu-cost", 0), 5350);
	/* ATGPU's kernel time replaces the missing one */
	assert_int_equal(
	    round_of(atgpu, "pinned", "vanwerkhoven2014-explicit", 0),
	    6020000 + 1350);
	runs(MODEL BYTES "--blocks 100 --operations 50 --memory-bytes 32000", 1,
	     NULL, "--kernel-ms T: the profile lacks gamma");
}

/*
 * In, 1000 bytes:
 *	host      1 + 2 + 0.1 + 1.5 + 5                 = 9.6 us
 *	assisted  0.5 + 0.05 + 1 + 2 + 0.1 + 1.5 + 1.2  = 6.35 us
 *	direct    0.6 + 1.75 + 0.2 + 1.2                = 3.75 us
 *	          0.6 + 1.75 + 3 + 0.2 + 0.15           = 5.7 us
 * A copy follows another one after 1 + 0.1, a request another one after 0.7 + 3
 * + 0.1 + 1.5, and a block's message another one after 0.6 + 1.2, a quarter of
 * which each message takes beside its 0.2 of the link.
 */
TEST(who_starts_a_transfer)
{
	static const double ns[] = {9600, 6350, 3750, 5700};
	static const double rate[] = {1e9 / 1100, 1e9 / 5300, 1e9 / 650,
				      1e9 / 650};
	struct program program = program_run(
	    CONTROL "--h2d-bytes 1000 --connections 4 --format json");
	json_t *root = json_loads(program.out, 0, NULL);
	const json_t *rows = json_object_get(root, "control"), *row;
	size_t i;

	assert_int_equal(json_array_size(rows), 4);
	json_array_foreach(rows, i, row)
	{
		const json_t *terms = json_object_get(row, "terms"), *term;
		double sum = 0;
		size_t t;

		json_array_foreach(terms, t, term) sum +=
		    json_number_value(json_object_get(term, "ns"));
		assert_true(fabs(sum - ns[i]) < 1e-6);
		assert_true(
		    fabs(json_number_value(json_object_get(row, "time_ns")) -
			 ns[i]) < 1e-6);
		assert_true(fabs(json_number_value(
				     json_object_get(row, "messages_per_s")) -
				 rate[i]) < 1);
	}
	json_decref(root);
	program_free(&program);
}

/* The answer comes before its terms. */
TEST(who_should_start_is_said)
{
	runs(CONTROL "--h2d-bytes 1000 | sed -n 3,6p", 0,
	     "  A message in, one at a time: let the GPU start it by 1 block "
	     "(direct, polls\n  system memory): 3.75 us, against 9.60 us if "
	     "the host does.\n  Many messages in: let the GPU start them by 32 "
	     "blocks (direct, polls system\n  memory): 4.63 M/s, against 909 "
	     "k/s if the host does.\n",
	     NULL);
	runs(CONTROL "--h2d-bytes 1000 | tr -d '\n'", 0,
	     "The code: examples/putget/flags.h has the flags,", NULL);
}

/* A put of 64 MiB took 25 % longer than by the terms. */
#define LARGE_PUT "model --machine h200 --control --peer --d2h-bytes "

TEST(large_puts_are_not_relied_on)
{
	runs(LARGE_PUT "64MiB | grep -c 'do not rely'", 0, "1\n", NULL);
	runs(LARGE_PUT "32MiB | grep -c 'do not rely'", 1, "0\n", NULL);
}

/* No way is the fastest of those that are known. */
TEST(unknown_ways_win_nothing)
{
	runs(CONTROL "--d2h-bytes 8", 0,
	     "A message out: not known who should start it: the profile lacks "
	     "g_d2h_ns",
	     NULL);
	/* only the host's way is known */
	runs("model --machine simulated --control --h2d-bytes 8", 0,
	     "the profile lacks flag_ns", NULL);
	runs("model --machine simulated --control --h2d-bytes 8 | grep -c 'let "
	     "the'",
	     1, "0\n", NULL);
}

/* A way that takes decades does not keep another one from being the answer. */
TEST(decades_are_slower_than_a_known_time)
{
	runs("--version && sed 's/0.1 }/1e17 }/' " XS_SOURCE_DIR
	     "/tests/report/control.json >decades.json && " XS_COMMAND
	     " model --machine ./decades.json --control --h2d-bytes 64MiB | tr "
	     "-d '\n' | grep 'let the GPU start it by'",
	     0, "decades if the host does", NULL);
}

/* The shipped profile is of all machines measured: its ranges hold what five
 * H200 took, 14.6 to 15.6 us, and the answer is that of all of them. */
#define H200 "model --machine h200 --control --h2d-bytes 8"

TEST(shipped_ranges_hold_other_machines)
{
	runs(H200, 0, "let the GPU start it by 1 block", NULL);
	runs(H200, 0, " 12.4-17.0 us ", NULL);
}

/* 528 blocks fit on an H200. */
TEST(more_blocks_than_measured_are_named)
{
	runs(H200 " --connections 528", 0, "up to 32 only", NULL);
	runs(H200 " --connections 32 | grep -c 'up to 32 only'", 1, "0\n",
	     NULL);
}

/* By the host 9.5 us more than 100 ms, by the host thread 6.25 us. */
TEST(least_effort_of_equal_times)
{
	runs(CONTROL "--h2d-bytes 1GB", 0, "let the host start it: 100 ms",
	     NULL);
	/* 8.81 us by the host thread, 8.67 us by the GPU */
	runs(CONTROL "--h2d-bytes 25k", 0, "let a host thread", NULL);
}

TEST(rates_are_written_out)
{
	runs(CONTROL "--h2d-bytes 1000 --connections 4", 0, " 189 k/s ", NULL);
}

TEST(text_has_each_term)
{
	static const char *const terms[] = {
	    "Who starts the transfer", "sigma 1.50 us (the host waits)",
	    "the profile lacks g_d2h_ns",
	    "the profile lacks mapped_write (a kernel writes mapped memory)"};

	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		runs(CONTROL "--h2d-bytes 1000 --d2h-bytes 8", 0, terms[i],
		     NULL);
}

static const struct {
	const char *arguments, *err;
} wrong[] = {
    {"model", "--machine FILE|NAME: it is missing; see"},
    {MODEL "--kernel-ms 8", "--h2d-bytes N or --h2d-ms T: it is"},
    {MODEL BYTES, "--kernel-ms T: it is missing"},
    {MODEL BYTES "--kernel-ms 8 --flops 1e9",
     "--flops: it has no effect alone; give --memory-bytes"},
    {MODEL BYTES "--kernel-ms 8 --blocks 5", "ATGPU needs further numbers"},
    {MODEL "--h2d-bytes lots", "give bytes, such as"},
    {MODEL "--kernel-ms -1", "give milliseconds"},
    {MODEL BYTES "--kernel-ms 8 --streams 0", "a whole number from 1"},
    {MODEL BYTES "--kernel-ms 8 more", "unexpected argument"},
    {MODEL BYTES "--h2d-ms 4 --kernel-ms 8",
     "--h2d-bytes and --h2d-ms: they exclude each other"},
    {MODEL BYTES "--d2h-ms 4 --kernel-ms 8",
     "--d2h-bytes and --d2h-ms: they exclude"},
    {MODEL BYTES "--kernel-ms 8 --connections 4",
     "--connections: it has no effect alone; give --control"},
    {MODEL BYTES "--kernel-ms 8 --peer", "--peer: it has no effect alone"},
    {CONTROL, "--control: it needs the bytes of a message"},
    {CONTROL "--h2d-bytes 0", "--control: it needs the bytes of a message"},
    {CONTROL BYTES "--kernel-ms 8",
     "--control: it excludes the options of rounds"},
    {CONTROL BYTES "--d2h-crossings 2", "excludes the options"},
    {CONTROL BYTES "--machine h200", "excludes the options"},
    {CONTROL BYTES "--connections 0", "a whole number from 1"},
    {CONTROL BYTES "--connections 65537",
     "65537 is not allowed; give a whole number from 1 to 4096"},
    {CONTROL BYTES "--connections 33", "known to hold 32 at once"},
    {"model --machine h200 --control " BYTES "--connections 529",
     "known to hold 528 at once"},
    {CONTROL "--h2d-bytes 0.1", "0.1 is not allowed; give bytes"},
    {MODEL BYTES "--kernel-ms 8 --flops many", "give a number"},
};

TEST(wrong_use_is_explained)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		runs(wrong[i].arguments, 1, NULL, wrong[i].err);
}
