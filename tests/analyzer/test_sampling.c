/* SPDX-License-Identifier: MIT */
/* The recorded windows of a sampled run stand for the whole run. */
#include "tests/unit.h"

#include "analyzer/rounds/phase.h"
#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/load_trace.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/wait_sites.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUND_NS 100000u
#define BEGIN_NS 1000000000ull

/* A growing text, and what it is read as. */
static char *text;
static size_t text_bytes;
static FILE *file;
static unsigned correlation;
static struct xs_trace *trace;
static struct xs_timeline line;
static struct xs_phases phases;

static int begin(void **state)
{
	(void)state;
	correlation = 1;
	file = open_memstream(&text, &text_bytes);
	assert_non_null(file);
	fprintf(file,
		"xferspy-text 1\n"
		"header pid=1 state=1 start_realtime_ns=1000000000 "
		"flush_realtime_ns=2000000000 end_realtime_ns=2000000000\n"
		"chunk thread=0 base_ns=1000000000\n"
		"string id=1 text=\"app\"\n"
		"module module=1 path=1 build_id=1\n"
		"string id=2 text=\"cudaMemcpy\"\n"
		"string id=3 text=\"cudaLaunchKernel\"\n"
		"site call_class=1 site=1 function=2 module=1 offset=0x10\n"
		"site call_class=5 site=2 function=3 module=1 offset=0x20\n"
		"site call_class=1 site=3 function=2 module=1 offset=0x30\n"
		/* the launch as a hook counts it, and the calls of a function
		 * as a whole */
		"site call_class=5 site=4 function=3 module=1 offset=0x20\n"
		"site call_class=1 site=5 function=2 module=0xffffffff\n"
		"string id=9 text=\"kernel\"\n"
		"shape shape=1 name=9 grid_x=1 grid_y=1 grid_z=1 block_x=32 "
		"block_y=1 block_z=1\n"
		"queue queue=0 device=0 queue_kind=1 context=1 stream=7\n");
	return 0;
}

/* Appends a copy in of 1 MiB, a kernel and a copy out of 512 KiB, from start_ns
 * on. `last` leaves out what the edge of a window may cut off. */
static void add_round(unsigned start_ns, bool last)
{
	unsigned c = correlation;

	correlation += 3;
	fprintf(file,
		"chunk thread=1 base_ns=1000000000\n"
		"copycall site=1 correlation=%u start=%u duration=40000 "
		"bytes=1048576 dst=0x100 src=0x200 rows=1 direction=1\n"
		"call site=2 correlation=%u start=%u duration=5000\n",
		c, start_ns, c + 1, start_ns + 42000);
	if (!last)
		fprintf(
		    file,
		    "copycall site=3 correlation=%u start=%u duration=40000 "
		    "bytes=524288 dst=0x300 src=0x400 rows=1 direction=2\n",
		    c + 2, start_ns + 50000);
	fprintf(
	    file,
	    "chunk thread=0 base_ns=1000000000\n"
	    "copy queue=0 correlation=%u start=%u duration=30000 bytes=1048576 "
	    "direction=1 src_memory=1 dst_memory=3 copies=1\n"
	    "kernel queue=0 correlation=%u start=%u duration=10000 shape=1\n"
	    "copy queue=0 correlation=%u start=%u duration=20000 bytes=524288 "
	    "direction=2 src_memory=3 dst_memory=1 copies=1\n",
	    c, start_ns + 5000, c + 1, start_ns + 45000, c + 2,
	    start_ns + 65000);
}

static void add(const char *words)
{
	fprintf(file, "%s\n", words);
}

/* A window opens at the start, and ten rounds are recorded in it. */
static void begin_with_rounds(void)
{
	add("detail detail=1 time_ns=1000000000");
	for (unsigned i = 0; i < 10; i++)
		add_round(i * ROUND_NS, false);
}

static void finish(void)
{
	const char *error;

	fclose(file);
	if (xs_trace_read_memory(text, text_bytes, &trace, &error))
		fail_msg("%s", error);
	assert_int_equal(trace->defect_count, 0);
	xs_timeline_build(trace, &line);
	xs_phases_build(trace, &phases);
	free(text);
}

FIXTURE(drop)
{
	xs_phases_free(&phases);
	xs_trace_free(trace);
	return 0;
}

/* 10 recorded rounds and 90 counted ones at the same call sites are 100 rounds.
 */
TEST(counts_stand_for_rounds)
{
	begin_with_rounds();
	add("detail detail=0 time_ns=1001000000");
	add("tally site=1 calls=40 bytes=41943040");
	add("tally site=1 calls=50 bytes=52428800");
	add("tally site=4 calls=90 bytes=0");
	add("tally site=3 calls=90 bytes=47185920");
	finish();
	assert_true(xs_trace_is_sampled(trace));
	assert_int_equal(line.bytes[XS_OP_H2D], 100u << 20);
	assert_int_equal(line.bytes[XS_OP_D2H], 50u << 20);
	assert_int_equal(line.count[XS_OP_KERNEL], 100);
	assert_int_equal(line.busy_ns[XS_OP_KERNEL], 100 * 10000);
	assert_int_equal(line.busy_ns[XS_OP_H2D], 100 * 30000);
	assert_int_equal(line.gpu_busy_ns, 100 * 60000);
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].rounds, 100);
	/* the last one may be cut */
	assert_int_equal(phases.items[0].recorded_rounds, 9);
	assert_int_equal(phases.items[0].h2d_bytes, 1u << 20);
}

/* Two windows of a range, each of which ends in a round: the whole ops of the
 * first one's last round are between the phase's rounds. */
TEST(rounds_between_windows_were_recorded)
{
	begin_with_rounds();
	add("detail detail=2 time_ns=1001000000");
	add("detail detail=1 time_ns=1005000000");
	for (unsigned i = 50; i < 60; i++)
		add_round(i * ROUND_NS, false);
	add("detail detail=2 time_ns=1006000000");
	finish();
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].rounds, 20);
	assert_int_equal(phases.items[0].recorded_rounds, 19);
}

/* Windows of a range with one round each: what was not recorded between them is
 * no time of the host until the next round. */
TEST(time_between_windows_is_unknown)
{
	for (unsigned i = 0; i < 3; i++) {
		fprintf(file, "detail detail=1 time_ns=%u\n",
			1000000000 + i * 5000000);
		add_round(50 * i * ROUND_NS, false);
		fprintf(file, "detail detail=2 time_ns=%u\n",
			1001000000 + i * 5000000);
	}
	finish();
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].rounds, 3);
	assert_int_equal(phases.items[0].between_ns.median_ns, 0);
}

/* The process was killed before it noted that it only counted. */
TEST(counts_stand_for_rounds_of_a_killed_run)
{
	begin_with_rounds();
	add("tally site=1 calls=90 bytes=94371840");
	add("tally site=4 calls=90 bytes=0");
	add("tally site=3 calls=90 bytes=47185920");
	finish();
	assert_true(xs_trace_is_sampled(trace));
	assert_int_equal(trace->windows[0].end_ns, BEGIN_NS + 990000);
	assert_int_equal(line.bytes[XS_OP_H2D], 100u << 20);
	assert_int_equal(line.count[XS_OP_KERNEL], 100);
	assert_int_equal(phases.items[0].rounds, 100);
}

/* The host's waits are scaled as well: 40 us in each copy. */
TEST(waits_stand_for_all)
{
	struct xs_wait_sites waits;

	begin_with_rounds();
	add("detail detail=0 time_ns=1001000000");
	add("tally site=1 calls=90 bytes=94371840");
	add("tally site=4 calls=90 bytes=0");
	add("tally site=3 calls=90 bytes=47185920");
	finish();
	xs_wait_sites_build(trace, NULL, &waits);
	assert_int_equal(waits.count, 2);
	for (size_t i = 0; i < waits.count; i++) {
		assert_int_equal(waits.items[i].calls, 100);
		assert_int_equal(waits.items[i].waited_ns, 100 * 40000);
	}
	assert_int_equal(waits.items[0].bytes + waits.items[1].bytes,
			 150u << 20);
	xs_wait_sites_free(&waits);
}

/* A round that is cut by the edge makes no phase of its own. */
TEST(edge_makes_no_phase)
{
	add("detail detail=1 time_ns=1000000000");
	for (unsigned i = 0; i < 10; i++)
		add_round(i * ROUND_NS, i == 9);
	add("detail detail=0 time_ns=1000960000");
	add("tally site=3 calls=1 bytes=524288");
	finish();
	assert_int_equal(phases.count, 1);
	assert_int_equal(phases.items[0].rounds, 10);
	/* its copy out was recorded without its call */
	assert_int_equal(trace->op_count, 29);
	assert_int_equal(line.bytes[XS_OP_D2H], 10u << 19);
}

/* Calls counted without their call site are distributed. */
TEST(functions_are_distributed)
{
	begin_with_rounds();
	add("detail detail=0 time_ns=1001000000");
	add("tally site=5 calls=20 bytes=15728640");
	add("tally site=4 calls=10 bytes=0");
	finish();
	assert_int_equal(line.bytes[XS_OP_H2D], 20u << 20);
	assert_int_equal(line.bytes[XS_OP_D2H], 20u << 19);
	assert_int_equal(phases.items[0].rounds, 20);
}

/* Appends a copy of a call site, in either direction. */
static void add_copy(unsigned start_ns, unsigned bytes, bool out)
{
	unsigned c = correlation++;

	fprintf(file,
		"chunk thread=1 base_ns=1000000000\n"
		"copycall site=%u correlation=%u start=%u duration=40000 "
		"bytes=%u dst=0x100 src=0x200 rows=1 direction=%d\n"
		"chunk thread=0 base_ns=1000000000\n"
		"copy queue=0 correlation=%u start=%u duration=%u bytes=%u "
		"direction=%d src_memory=%d dst_memory=%d copies=1\n",
		out ? 3u : 1u, c, start_ns, bytes, out ? 2 : 1, c,
		start_ns + 5000, bytes, bytes, out ? 2 : 1, out ? 3 : 1,
		out ? 1 : 3);
}

/* Recorded copies of one call site stand for counted copies of their own size
 * class. */
TEST(sizes_are_told_apart)
{
	add("detail detail=1 time_ns=1000000000");
	for (unsigned i = 0; i < 8; i++) {
		add_copy(2 * i * ROUND_NS, i < 6 ? 1000 : 30000, false);
		add_copy((2 * i + 1) * ROUND_NS, 500, true);
	}
	add("detail detail=0 time_ns=1002000000");
	add("tally size=11 direction=1 site=1 calls=4 bytes=4000");
	add("tally size=10 direction=2 site=3 calls=102 bytes=51000");
	add("tally size=16 direction=1 site=1 calls=98 bytes=2940000");
	finish();
	assert_int_equal(line.bytes[XS_OP_H2D], 10 * 1000 + 100 * 30000);
	assert_int_equal(line.count[XS_OP_H2D], 110);
	assert_int_equal(line.busy_ns[XS_OP_H2D], 10 * 1000 + 100 * 30000);
	assert_int_equal(line.bytes[XS_OP_D2H], 110 * 500);
	assert_int_equal(phases.count, 2);
	assert_int_equal(phases.items[0].rounds, 100);
	assert_int_equal(phases.items[1].rounds, 10);
}

/* Calls of a function that were counted without call sites keep their
 * direction, even if nothing similar was recorded. */
TEST(directions_are_told_apart)
{
	struct xs_weights weights;

	add("detail detail=1 time_ns=1000000000");
	add_copy(0, 1000, false);
	add_copy(ROUND_NS, 1000, true);
	add("detail detail=0 time_ns=1001000000");
	add("tally size=11 direction=1 site=5 calls=5 bytes=5000");
	add("tally size=21 direction=2 site=5 calls=3 bytes=3000000");
	add("tally size=11 direction=3 site=5 calls=2 bytes=2000");
	finish();
	assert_int_equal(line.bytes[XS_OP_H2D], 6000);
	assert_int_equal(line.count[XS_OP_H2D], 6);
	/* no call site is known to be similar */
	xs_weights_build(trace, NULL, &weights);
	assert_float_equal(weights.unrecorded_site_calls, 0, 1e-6);
	xs_weights_free(&weights);
	assert_int_equal(line.bytes[XS_OP_D2H], 3001000);
	assert_int_equal(line.count[XS_OP_D2H], 4);
	assert_int_equal(line.bytes[XS_OP_D2D], 2000);
}

/* Call sites without a recorded call are named; failed calls are left out. */
TEST(sites_without_records_are_named)
{
	struct xs_weights weights;

	add("detail detail=1 time_ns=1000000000");
	add_copy(0, 1000, false);
	add("detail detail=0 time_ns=1001000000");
	add("tally size=11 direction=1 site=1 calls=5 bytes=5000");
	add("tally size=11 direction=2 site=3 calls=7 bytes=7000");
	add("tally size=12 direction=2 site=3 calls=2 bytes=4000");
	add("tally size=1 direction=0 site=2 calls=3 bytes=0");
	add("tally size=1 direction=255 site=2 calls=30 bytes=0");
	finish();
	xs_weights_build(trace, NULL, &weights);
	assert_float_equal(weights.unrecorded_site_calls, 12, 1e-6);
	assert_int_equal(trace->sites[weights.unrecorded_site].offset, 0x30);
	assert_true(weights.unrecorded_several);
	xs_weights_free(&weights);
}

/* The estimated tallies of a site, added up. */
static struct xs_tally estimate_of(uint64_t offset)
{
	struct xs_tally sum = {0};

	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];

		if (!tally->estimated ||
		    trace->sites[tally->site].offset != offset)
			continue;
		sum.calls += tally->calls;
		sum.bytes += tally->bytes;
	}
	return sum;
}

/* Calls that pass no hook go on as in the last half of what was recorded: 50 in
 * 50 ms, for 0.9 s, less what was still counted of them. */
TEST(unseen_calls_follow_the_time)
{
	add("detail detail=1 time_ns=1000000000");
	add("unhooked site=1");
	for (unsigned i = 0; i < 100; i++)
		add_copy(i * 1000000, i < 50 ? 9000 : 1000, false);
	add("detail detail=0 time_ns=1100000000");
	add("tally size=11 direction=1 site=1 calls=20 bytes=20000");
	add("detail detail=3 time_ns=1200000000");
	finish();
	struct xs_tally sum = estimate_of(0x10);
	assert_int_equal(sum.calls, 880);
	assert_int_equal(sum.bytes, 880000);
	assert_int_equal(line.count[XS_OP_H2D], 1000);
}

/* Where enough hooked calls are counted, they say how much more there is. */
TEST(unseen_calls_follow_the_hooked_ones)
{
	add("detail detail=1 time_ns=1000000000");
	add("unhooked site=1");
	for (unsigned i = 0; i < 600; i++)
		add_round(i * 100000, true);
	add("detail detail=0 time_ns=1100000000");
	add("tally size=1 direction=0 site=4 calls=3000 bytes=0");
	add("detail detail=3 time_ns=1200000000");
	finish();
	assert_int_equal(estimate_of(0x10).calls, 3000);
	assert_int_equal(estimate_of(0x20).calls, 0);
}

/* While callbacks see them they are counted. */
TEST(seen_calls_are_not_estimated)
{
	add("detail detail=1 time_ns=1000000000");
	add("unhooked site=1");
	for (unsigned i = 0; i < 100; i++)
		add_copy(i * 1000000, 1000, false);
	add("detail detail=0 time_ns=1100000000");
	add("tally size=11 direction=1 site=1 calls=20 bytes=20000");
	finish();
	assert_int_equal(trace->tally_count, 1);
}

/* A window stands for the calls of its part of the run. One window has a third
 * of the rate, but three times as much of the run around it: both stand for
 * equally many calls. */
TEST(windows_stand_for_their_part)
{
	struct xs_weights weights;

	add("detail detail=1 time_ns=1000000000");
	for (unsigned i = 0; i < 9; i++)
		add_copy(i * ROUND_NS, 2000, false);
	add("detail detail=0 time_ns=1001000000");
	add("detail detail=1 time_ns=1500000000");
	for (unsigned i = 0; i < 3; i++)
		add_copy(500000000 + i * ROUND_NS, 2000, false);
	add("detail detail=0 time_ns=1501000000");
	add("tally size=11 direction=1 site=1 calls=90 bytes=180000");
	finish();
	assert_int_equal(line.count[XS_OP_H2D], 102);
	assert_int_equal(line.bytes[XS_OP_H2D], 102 * 2000);
	xs_weights_build(trace, NULL, &weights);
	for (unsigned i = 0; i < 12; i++) {
		assert_float_equal(weights.calls[i], i < 9 ? 6 : 16, 1e-6);
		assert_float_equal(weights.bytes[i], i < 9 ? 6 : 16, 1e-6);
	}
	xs_weights_free(&weights);
}

/* Calls outside the range are not counted, and the run is the range. */
TEST(range_is_the_run)
{
	add("detail detail=2 time_ns=1000000000");
	add("detail detail=1 time_ns=1000100000");
	for (unsigned i = 1; i < 10; i++)
		add_round(i * ROUND_NS, false);
	add("detail detail=2 time_ns=1001100000");
	finish();
	assert_int_equal(line.wall_ns, 1000000);
	assert_int_equal(line.bytes[XS_OP_H2D], 9u << 20);
	assert_int_equal(phases.count, 1);
}

/* Absurd counts of a damaged file affect no other totals. */
TEST(absurd_counts_are_bounded)
{
	add("detail detail=0 time_ns=1");
	add("detail detail=1 time_ns=18446744073709551615");
	add_round(0, false);
	add("tally site=1 calls=18446744073709551615 "
	    "bytes=18446744073709551615");
	add("tally site=77 calls=18446744073709551615 bytes=1");
	finish();
	assert_true(line.bytes[XS_OP_H2D] == UINT64_MAX);
	assert_int_equal(line.bytes[XS_OP_D2H], 1u << 19);
}

RUN_TESTS(begin, drop)
