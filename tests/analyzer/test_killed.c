/* SPDX-License-Identifier: MIT */
/* Traces of killed processes: how long the run was, and that the lost end is no
 * gap. */
#include "tests/unit.h"

#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/record_gaps.h"
#include "tests/analyzer/support.h"

#include <stdio.h>
#include <stdlib.h>

#define COPIES 20u

/*
 * Returns the length of a run with one call that ends after call_ns and one op
 * that ends after op_ns, whose ops are complete up to flush_ns.
 */
static uint64_t wall_of(int state, uint64_t call_ns, uint64_t op_ns,
			uint64_t flush_ns, uint64_t end_ns)
{
	struct xs_timeline timeline;
	char text[2048];

	snprintf(text, sizeof(text),
		 "xferspy-text 1\nheader pid=1 state=%d "
		 "start_realtime_ns=1000 flush_realtime_ns=%llu "
		 "end_realtime_ns=%llu\nchunk thread=1 base_ns=1000\n"
		 "string id=10 text=\"cudaMemcpy\"\n"
		 "site call_class=1 site=1 function=10\n"
		 "queue queue=0 context=1 stream=1\n"
		 "copycall site=1 correlation=1 start=10 duration=%llu "
		 "bytes=8 direction=1\n"
		 "chunk base_ns=1000\n"
		 "copy queue=0 correlation=1 start=20 duration=%llu bytes=8 "
		 "direction=1 copies=1\n",
		 state, flush_ns ? 1000ull + flush_ns : 0ull,
		 end_ns ? 1000ull + end_ns : 0ull, call_ns - 10ull,
		 op_ns - 20ull);
	struct xs_trace *trace = read_text(text);
	xs_timeline_build(trace, &timeline);
	assert_true(timeline.wall_ns == trace->end_ns - trace->begin_ns);
	xs_trace_free(trace);
	return timeline.wall_ns;
}

/* Whichever is the last. */
TEST(killed_run_lasts_until_its_last_record)
{
	assert_true(wall_of(0, 500, 400, 0, 0) == 500);
	assert_true(wall_of(0, 500, 700, 0, 0) == 700);
	assert_true(wall_of(0, 500, 700, 900, 0) == 900);
	assert_true(wall_of(0, 500, 700, 600, 0) == 700);
}

TEST(finished_run_lasts_until_its_end)
{
	assert_true(wall_of(1, 500, 400, 450, 800) == 800);
	assert_true(wall_of(1, 500, 400, 950, 800) == 800);
}

/* The text of 20 waited copies, of which all but the first have no op. */
static void put_copies(FILE *out, int state, unsigned flush_us)
{
	fprintf(out,
		"xferspy-text 1\nheader pid=1 state=%d "
		"start_realtime_ns=1000000 flush_realtime_ns=%u000\n"
		"chunk thread=1 base_ns=1000000\n"
		"string id=10 text=\"cudaMemcpy\"\n"
		"site call_class=1 site=1 function=10\n"
		"queue queue=0 context=1 stream=1\n",
		state, 1000 + flush_us);
	for (unsigned i = 0; i <= COPIES; i++)
		fprintf(out,
			"copycall site=1 correlation=%u start=%u000 "
			"duration=9000 bytes=8 direction=1\n",
			i + 1, 10 * i);
	fprintf(out, "chunk base_ns=1000000\n"
		     "copy queue=0 correlation=1 start=1000 duration=2000 "
		     "bytes=8 direction=1 copies=1\n");
}

static uint64_t copies_without_op(int state, unsigned flush_us)
{
	struct xs_record_gap gaps[XS_RECORD_GAP_KINDS];
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	put_copies(out, state, flush_us);
	fclose(out);
	struct xs_trace *trace = read_text(text);
	xs_record_gaps_find(trace, gaps);
	xs_trace_free(trace);
	free(text);
	return gaps[XS_RECORD_GAP_COPIES].calls;
}

/* The last call has no later wait, so it shows nothing. */
TEST(lost_end_is_no_gap)
{
	assert_int_equal(copies_without_op(XS_FILE_CLOSED, 5), COPIES - 1);
	/* killed: ops are complete only up to the flush */
	assert_int_equal(copies_without_op(XS_FILE_RUNNING, 5), 0);
	assert_int_equal(copies_without_op(XS_FILE_RUNNING, 900), COPIES - 1);
}
