/* SPDX-License-Identifier: MIT */
/* Copies between GPUs: direct, or through the host, and what peer access would
 * bring. */
#include "report/build/read.h"
#include "tests/report/fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MIB 1048576

static struct xs_machine machine;

/* Two GPUs, each with a queue: 0 and 1. */
static const char start[] =
    "xferspy-text 1\n"
    "header start_realtime_ns=1000000000 state=1 end_realtime_ns=1100000000\n"
    "chunk thread=1 base_ns=1000000000\n"
    "device device=0 cc_major=9 cc_minor=0 sm_count=132\n"
    "device device=1 cc_major=9 cc_minor=0 sm_count=132\n"
    "queue queue=0 device=0 context=1 stream=7\n"
    "queue queue=1 device=1 context=2 stream=7\n"
    "site call_class=2 site=1 module=4294967295\n";

/* Reads a trace with a copy of 1 MiB for each call of 5 us; ops: all others. */
static struct xs_result *result_of(int calls, const char *ops)
{
	const struct xs_result_options options = {.machine = &machine};
	char text[1000] = "";
	size_t used = 0;

	for (int i = 0; i < calls; i++)
		used +=
		    (size_t)snprintf(text + used, sizeof(text) - used,
				     "copycall site=1 correlation=%d start=%d "
				     "duration=5000 bytes=%d direction=3\n",
				     i + 1, i * 1000000, MIB);
	assert_true(used < sizeof(text));
	return fixture_read(&options,
			    (const char *[]){start, text,
					     "chunk base_ns=1000000000\n", ops,
					     NULL});
}

#define OUT(id, start, duration)                                               \
	"copy queue=0 correlation=" #id " start=" #start                       \
	" duration=" #duration                                                 \
	" bytes=1048576 direction=2 src_memory=3 dst_memory=3 flags=1\n"
#define IN(id, start, duration)                                                \
	"copy queue=1 correlation=" #id " start=" #start                       \
	" duration=" #duration                                                 \
	" bytes=1048576 direction=1 src_memory=3 dst_memory=3 flags=1\n"
#define DIRECT(id, start, duration)                                            \
	"copy queue=0 correlation=" #id " start=" #start                       \
	" duration=" #duration " bytes=1048576 direction=5 src_memory=3 "      \
	"dst_memory=3 flags=1 peer_device=1\n"

/* Two copies of which the first one's parts overlap. */
static const char staged[] = OUT(1, 10000, 20000) IN(1, 20000, 20000)
    OUT(2, 1010000, 20000) IN(2, 1040000, 30000);

TEST(parts_of_a_call_are_one_copy)
{
	struct xs_result *result = result_of(2, staged);
	const struct xs_result_gpu_link *link = result->run.links;

	assert_int_equal(result->run.link_count, 1);
	assert_int_equal(link->first, 0);
	assert_int_equal(link->second, 1);
	assert_int_equal(link->direct_ops, 0);
	assert_int_equal(link->staged_ops, 2);
	assert_int_equal(link->staged_bytes, 2 * MIB);
	assert_int_equal(link->staged_ns, 30000 + 60000);
	/* they are no copies of the host, and counted once */
	assert_int_equal(result->totals.h2d_ops, 0);
	assert_int_equal(result->totals.d2h_bytes, 0);
	assert_int_equal(result->totals.p2p_ops, 2);
	assert_int_equal(result->totals.p2p_bytes, 2 * MIB);
	xs_result_free(result);
}

TEST(the_profile_says_what_access_brings)
{
	machine.lo_staged_ns.value = 17000;
	machine.G_staged.value = 0.025;
	machine.lo_peer_ns.value = 8000;
	machine.G_peer.value = 0.0025;
	struct xs_result *result = result_of(2, staged);
	assert_int_equal(result->run.links->staged_ns,
			 lround(2 * (17000 + 0.025 * MIB)));
	assert_int_equal(result->run.links->peer_ns,
			 lround(2 * (8000 + 0.0025 * MIB)));
	assert_has(result->run.links->staged_text,
		   "86.4 us; direct they would take 21.2 us");
	assert_true(
	    fixture_has_note(result, "GPU 0 and 1 go through the host, 86.4"));
	xs_result_free(result);
	/* peer access brings nothing */
	machine.G_peer.value = 0.04;
	result = result_of(2, staged);
	assert_false(fixture_has_note(result, "through the host"));
	xs_result_free(result);
}

/* Records have the time of one chunk. */
TEST(the_hosts_link_is_the_least)
{
	machine.G_h2d.value = 0.018;
	machine.G_d2h.value = 0.1;
	struct xs_result *result = result_of(2, staged);
	assert_int_equal(result->run.links->staged_ns, (int)(2 * 0.1 * MIB));
	xs_result_free(result);
}

TEST(without_rates_calibrate_is_named)
{
	struct xs_result *result = result_of(2, staged);

	assert_int_equal(result->run.links->peer_ns, XS_UNKNOWN);
	assert_has(result->run.links->staged_text, "xferspy calibrate");
	assert_true(fixture_has_note(result, "go through the host"));
	xs_result_free(result);
}

TEST(direct_copies_have_their_rate)
{
	struct xs_result *result =
	    result_of(1, DIRECT(1, 10000, 4000) DIRECT(1, 20000, 6000));
	const struct xs_result_gpu_link *link = result->run.links;

	assert_int_equal(result->run.link_count, 1);
	assert_int_equal(link->direct_ops, 2);
	assert_int_equal(link->direct_ns, 10000);
	assert_int_equal(link->staged_ops, 0);
	assert_null(link->staged_text);
	assert_has(link->direct_text,
		   "2 direct copies of 2 MiB in all, 210 GB/s");
	assert_false(fixture_has_note(result, "through the host"));
	xs_result_free(result);
}

/* A trace of another tool may not name the other GPU; the system migrates. */
TEST(unknown_peers_and_migrations_are_no_link)
{
	struct xs_result *result = result_of(
	    1, "copy queue=1 correlation=1 start=10000 duration=4000 bytes=64 "
	       "direction=5 src_memory=3 dst_memory=3 peer_device=1\n"
	       "copy queue=1 start=20000 duration=4000 bytes=64 direction=5 "
	       "src_memory=5 dst_memory=5 flags=4 peer_device=0\n");

	assert_int_equal(result->totals.p2p_ops, 1);
	assert_int_equal(result->run.link_count, 0);
	xs_result_free(result);
}

/* Each of 13 GPUs sends to all after it: 78 pairs, of which 64 are listed. */
TEST(further_pairs_are_counted)
{
	char ops[1 << 14];
	size_t at = 0;

	for (int i = 2; i < 13; i++)
		at += (size_t)snprintf(ops + at, sizeof(ops) - at,
				       "device device=%d cc_major=9 cc_minor=0 "
				       "sm_count=132\nqueue queue=%d device=%d "
				       "context=%d stream=7\n",
				       i, i, i, i + 1);
	for (int i = 0; i < 13; i++)
		for (int k = i + 1; k < 13; k++)
			at += (size_t)snprintf(
			    ops + at, sizeof(ops) - at,
			    "copy queue=%d start=%d duration=9 bytes=8 "
			    "direction=5 src_memory=3 dst_memory=3 "
			    "peer_device=%d\n",
			    i, (i * 13 + k) * 100, k);
	assert_true(at < sizeof(ops));
	struct xs_result *result = result_of(0, ops);
	assert_int_equal(result->run.link_count, 64);
	assert_int_equal(result->run.unlisted_copies, 14);
	assert_true(fixture_has_note(result,
				     "14 copies between further pairs of GPUs "
				     "are not listed: 64 pairs are"));
	xs_result_free(result);
}

/* Calibrated rates and their ranges make it a step. */
TEST(access_is_a_step_with_a_range)
{
	machine.lo_staged_ns = (struct xs_param){1.7e6, 1.6e6, 1.9e6};
	machine.G_staged = (struct xs_param){0.025, 0.024, 0.026};
	machine.lo_peer_ns = (struct xs_param){8e5, 7e5, 8.5e5};
	machine.G_peer = (struct xs_param){0.0025, 0.002, 0.003};
	struct xs_result *result = result_of(2, staged);
	const struct xs_result_gpu_link *link = result->run.links;
	assert_int_equal(link->saves_ns, lround(2 * (9e5 + 0.0225 * MIB)));
	assert_int_equal(link->saves_low_ns, lround(2 * (7.5e5 + 0.021 * MIB)));
	assert_int_equal(link->saves_high_ns,
			 lround(2 * (1.2e6 + 0.024 * MIB)));
	assert_int_equal(link->step, result->plan_count + 1);
	assert_string_equal(link->title,
			    "copies between GPU 0 and 1: 3.45 ms -> 1.61 ms");
	assert_has(link->saving, "saves at most 1.85 ms (1.54-2.45 ms)");
	assert_has(link->code,
		   "cudaSetDevice(0), cudaDeviceEnablePeerAccess(1, 0)");
	/* no round repeats: its part of the steady part is not known */
	assert_has_not(link->saving, "steady part");
	/* it is a step of the plan for the other texts, too */
	assert_null(result->no_step);
	assert_true(result->verdict.at_most_saves_ns >= link->saves_ns);
	xs_result_free(result);
	/* less than any step saves */
	machine.lo_staged_ns.value = 8e5;
	result = result_of(2, staged);
	assert_int_equal(result->run.links->step, 0);
	xs_result_free(result);
	/* it may bring nothing */
	machine.lo_staged_ns.value = 1.7e6;
	machine.G_peer.high = 1;
	result = result_of(2, staged);
	assert_int_equal(result->run.links->step, 0);
	assert_null(result->run.links->code);
	xs_result_free(result);
}

/* Rounds of one GPU, with a copy to another one before them. */
static const char beside_rounds[] =
    "chunk thread=4711 base_ns=1767323045000000000\n"
    "device device=1 cc_major=9 cc_minor=0 sm_count=132\n"
    "queue queue=1 device=1 context=2 stream=7\n"
    "site call_class=2 site=99 module=4294967295\n"
    "copycall site=99 correlation=9001 start=250000000 duration=5000 "
    "bytes=1048576 direction=3\n"
    "chunk base_ns=1767323045000000000\n" OUT(9001, 250010000, 20000)
	IN(9001, 250020000, 20000);

/* Only what starts in the steady part is a share of it. */
TEST(copies_before_the_rounds_are_of_the_run)
{
	const struct xs_result_options options = {.machine = &machine};
	struct xs_result *result;
	const char *error = "";
	FILE *out = fopen("links.txt", "w");
	FILE *in =
	    fopen(XS_SOURCE_DIR "/tests/report/advice/offload-pinned.txt", "r");
	int c;

	assert_non_null(in);
	assert_non_null(out);
	while ((c = fgetc(in)) != EOF)
		fputc(c, out);
	fputs(beside_rounds, out);
	fclose(in);
	fclose(out);
	machine.lo_staged_ns = (struct xs_param){1e7, 9e6, 1.1e7};
	machine.G_staged = (struct xs_param){0.025, 0.024, 0.026};
	machine.lo_peer_ns = (struct xs_param){8e5, 7e5, 8.5e5};
	machine.G_peer = (struct xs_param){0.0025, 0.002, 0.003};
	assert_int_equal(xs_result_read("links.txt", &options, &result, &error),
			 0);
	assert_int_equal(result->run.links->step, result->plan_count + 1);
	assert_int_equal(result->run.links->saves_steady_ns, 0);
	assert_has_not(result->run.links->saving, "steady part");
	xs_result_free(result);
}

/* As in a damaged trace. */
TEST(a_part_alone_is_no_copy)
{
	struct xs_result *result =
	    result_of(2, OUT(1, 10000, 20000) IN(2, 1010000, 20000));

	assert_int_equal(result->run.link_count, 0);
	xs_result_free(result);
}

FIXTURE(set_up)
{
	xs_machine_init(&machine);
	return 0;
}

RUN_TESTS(set_up, NULL)
