/* SPDX-License-Identifier: MIT */
/* A long trace is read in windows, and its report agrees with that of all of
 * it. */
#include "analyzer/text/trace_text.h"
#include "report/build/read.h"
#include "tests/unit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE "long.xspy"

static struct xs_result *read_trace(uint64_t most_records)
{
	const struct xs_result_options options = {.fitted = true,
						  .most_records = most_records};
	struct xs_result *result;
	const char *error;

	if (xs_result_read(TRACE, &options, &result, &error) < 0)
		fail_msg("%s", error);
	return result;
}

static void make(const char *options)
{
	char command[500];

	snprintf(command, sizeof(command), XS_MKTRACE " %s " TRACE, options);
	assert_int_equal(system(command), 0);
}

/* Within so many parts of a thousand of `whole`. */
static void near(const char *what, int64_t value, int64_t expected,
		 int64_t whole, int64_t parts)
{
	if (llabs(value - expected) > llabs(whole) * parts / 1000)
		fail_msg("%s: %" PRId64 " instead of %" PRId64, what, value,
			 expected);
}

static int64_t part(const struct xs_result *result, const char *what)
{
	for (size_t i = 0; i < result->verdict.part_count; i++)
		if (strcmp(result->verdict.parts[i].what, what) == 0)
			return result->verdict.parts[i].ns;
	return 0;
}

static void same_totals(const struct xs_result *a, const struct xs_result *b)
{
	const struct xs_result_totals *x = &a->totals, *y = &b->totals;

	assert_int_equal(x->h2d_bytes, y->h2d_bytes);
	assert_int_equal(x->d2h_bytes, y->d2h_bytes);
	assert_int_equal(x->h2d_ops, y->h2d_ops);
	assert_int_equal(x->d2h_ops, y->d2h_ops);
	assert_int_equal(x->kernels, y->kernels);
	near("copies in", x->h2d_ns, y->h2d_ns, y->h2d_ns, 1);
	near("copies out", x->d2h_ns, y->d2h_ns, y->d2h_ns, 1);
	near("kernels", x->kernel_ns, y->kernel_ns, y->kernel_ns, 1);
	near("blocked", x->host_blocked_ns, y->host_blocked_ns,
	     y->host_blocked_ns, 1);
	near("GPU busy", x->gpu_busy_ns, y->gpu_busy_ns, y->gpu_busy_ns, 10);
	assert_int_equal(a->run.wall_ns, b->run.wall_ns);
	assert_int_equal(a->coverage.api_calls_seen,
			 b->coverage.api_calls_seen);
	assert_int_equal(a->coverage.gpu_ops_seen, a->coverage.matched);
}

static void same_verdict(const struct xs_result *a, const struct xs_result *b,
			 int64_t parts)
{
	static const char *const names[] = {
	    "kernels", "copies",   "copy-calls", "allocation",
	    "waits",   "launches", "host"};
	const int64_t steady_ns = b->verdict.steady_ns;

	near("steady part", a->verdict.steady_ns, steady_ns, steady_ns, parts);
	near("recorded part", a->verdict.recorded_ns, a->verdict.steady_ns,
	     steady_ns, 10);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		near(names[i], part(a, names[i]), part(b, names[i]), steady_ns,
		     parts);
}

static void same_plan(const struct xs_result *a, const struct xs_result *b,
		      int64_t parts)
{
	for (size_t i = 0; i < b->phase_count; i++) {
		const struct xs_result_phase *x = &a->phases[i],
					     *y = &b->phases[i];

		if (y->total_ns < b->verdict.steady_ns / 100)
			break;
		assert_true(i < a->phase_count);
		near("rounds", x->rounds, y->rounds, y->rounds, parts);
		near("round", x->round_ns, y->round_ns, y->round_ns, 10);
		assert_int_equal(x->estimate_count, y->estimate_count);
	}
	assert_int_equal(a->plan_count, b->plan_count);
	for (size_t i = 0; i < b->plan_count; i++) {
		assert_string_equal(a->plan[i].estimate->strategy,
				    b->plan[i].estimate->strategy);
		near("saved", a->plan[i].adds_saves_ns,
		     b->plan[i].adds_saves_ns, b->plan[i].adds_saves_ns,
		     2 * parts);
	}
}

/* Reads TRACE whole and in windows. parts: of a thousand, how far the steady
 * part and numbers of rounds may be off. */
static void agree(uint64_t most_records, int64_t parts)
{
	struct xs_result *whole = read_trace(0);
	struct xs_result *windows = read_trace(most_records);

	assert_int_equal(whole->coverage.calls_counted, 0);
	assert_true(windows->coverage.calls_counted >
		    windows->coverage.api_calls_seen / 2);
	same_totals(windows, whole);
	same_verdict(windows, whole, parts);
	same_plan(windows, whole, parts);
	xs_result_free(whole);
	xs_result_free(windows);
}

TEST(regular_rounds_agree)
{
	make("-r 40000");
	agree(60000, 10);
	make("-r 20000 -p 3");
	agree(40000, 10);
}

TEST(threads_and_streams_agree)
{
	make("-r 6000 -c 4 -s 4 -t 4 -w");
	agree(60000, 10);
}

/* What is left of a file, too, but for its end: ops of the last calls, up to
 * 3,600 rounds, are in a chunk that is missing. They are less than a twentieth
 * of those that are read, or the run would count as incomplete. */
TEST(a_cut_trace_agrees)
{
	make("-r 100000");
	assert_int_equal(truncate(TRACE, 24000000), 0);
	agree(120000, 40);
}

TEST(a_short_trace_is_read_whole)
{
	make("-r 1000");
	struct xs_result *result = read_trace(7000);
	assert_int_equal(result->coverage.calls_counted, 0);
	assert_int_equal(result->coverage.gpu_ops_seen, 3000);
	xs_result_free(result);
	result = read_trace(6999);
	assert_true(result->coverage.calls_counted > 0);
	xs_result_free(result);
}

#define ROUNDS 6000

/* Writes a round that copies in, computes and waits; its times vary. Returns
 * its length, in ns. One kernel takes a quarter of the run, and so does the
 * host once. */
static uint64_t put_round(FILE *out, unsigned round, uint64_t from_ns)
{
	const unsigned id = 2 * round + 1;
	const unsigned copy_ns = 4000 + round * 7919 % 1000;
	unsigned kernel_ns = 9000 + round * 104729 % 3000;
	unsigned host_ns = 5000;

	if (round == ROUNDS / 3)
		kernel_ns = 70000000;
	if (round == ROUNDS * 3 / 4)
		host_ns = 70000000;
	fprintf(out,
		"chunk thread=7 base_ns=%" PRIu64 "\n"
		"copycall site=1 correlation=%u start=0 duration=2000 "
		"bytes=65536 dst=0x7f00 src=0x1000 rows=1 direction=1\n"
		"call site=2 correlation=%u start=2500 duration=2000\n"
		"waitcall site=3 start=5000 duration=%u\n"
		"chunk base_ns=%" PRIu64 "\n"
		"copy correlation=%u start=1000 duration=%u bytes=65536 "
		"direction=1 src_memory=2 dst_memory=3 flags=1 copies=1\n"
		"kernel correlation=%u start=%u duration=%u shape=1\n",
		from_ns, id, id + 1, copy_ns + kernel_ns - 3500, from_ns, id,
		copy_ns, id + 1, copy_ns + 1100, kernel_ns);
	return copy_ns + kernel_ns + host_ns;
}

/* Writes a round that launches a graph of two kernels, and waits. The nodes of
 * one launch, between two windows, are recorded. */
static uint64_t put_graph(FILE *out, unsigned round, uint64_t from_ns)
{
	const bool by_node = round == ROUNDS / 2;

	fprintf(
	    out,
	    "chunk thread=7 base_ns=%" PRIu64 "\n"
	    "call site=4 correlation=%u start=0 duration=2000\n"
	    "waitcall site=3 start=2500 duration=8000\n"
	    "chunk base_ns=%" PRIu64 "\n"
	    "graph correlation=%u start=3000 duration=7000 exec=1 by_node=%d\n",
	    from_ns, round + 1, from_ns, round + 1, by_node);
	for (int i = 0; by_node && i < 2; i++)
		fprintf(
		    out,
		    "kernel correlation=%u start=%d duration=3000 shape=1\n",
		    round + 1, 3000 + 4000 * i);
	return 15000;
}

static void write_rounds(uint64_t (*put)(FILE *out, unsigned round,
					 uint64_t from_ns))
{
	uint64_t at_ns = 1000000000000;
	FILE *text = tmpfile(), *out = fopen(TRACE, "w");
	struct xs_text_error error;

	assert_non_null(text);
	assert_non_null(out);
	fprintf(text, "xferspy-text 1\n"
		      "header pid=7 state=1 start_realtime_ns=1000000000000 "
		      "end_realtime_ns=1000300000000\n"
		      "chunk thread=7\n"
		      "string id=1 text=\"cudaMemcpyAsync\"\n"
		      "string id=2 text=\"cudaLaunchKernel\"\n"
		      "string id=3 text=\"cudaDeviceSynchronize\"\n"
		      "string id=4 text=\"f\"\n"
		      "string id=5 text=\"cudaGraphLaunch\"\n"
		      "site site=1 call_class=2 function=1 module=4294967295\n"
		      "site site=2 call_class=5 function=2 module=4294967295\n"
		      "site site=3 call_class=13 function=3 module=4294967295\n"
		      "site site=4 call_class=6 function=5 module=4294967295\n"
		      "shape shape=1 name=4 grid_x=1 grid_y=1 grid_z=1 "
		      "block_x=1 block_y=1 block_z=1\n");
	for (unsigned i = 0; i < ROUNDS; i++)
		at_ns += put(text, i, at_ns);
	rewind(text);
	if (xs_text_parse(text, out, &error))
		fail_msg("line %lu: %s", error.line, error.text);
	fclose(text);
	fclose(out);
}

TEST(uneven_rounds_agree)
{
	write_rounds(put_round);
	agree(8000, 10);
}

TEST(nodes_of_graphs_are_known)
{
	write_rounds(put_graph);
	struct xs_result *result = read_trace(6000);
	assert_true(result->coverage.calls_counted > 0);
	assert_int_equal(result->coverage.graphs_unknown, 0);
	near("kernels", result->totals.kernels, 2 * ROUNDS, 2 * ROUNDS, 1);
	near("kernel time", result->totals.kernel_ns, 6000 * ROUNDS,
	     6000 * ROUNDS, 20);
	xs_result_free(result);
}
