/* SPDX-License-Identifier: MIT */
/* Correlation ids of several calls, as CUPTI assigns them when threads race. */
#include "tests/unit.h"

#include "analyzer/waits/record_gaps.h"
#include "tests/analyzer/support.h"

#include <stdio.h>
#include <stdlib.h>

#define LAUNCHES 40u /* per thread */

static char text[64 * 1024];
static size_t used;
static struct xs_trace *trace;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used +=
	    (size_t)vsnprintf(text + used, sizeof(text) - used, format, args);
	va_end(args);
	assert_true(used < sizeof(text));
}

static void begin(void)
{
	used = 0;
	say("xferspy-text 1\n"
	    "header pid=1 state=1 start_realtime_ns=1000 "
	    "end_realtime_ns=9000000\n"
	    "chunk base_ns=1000\n"
	    "info text=\"rung=callbacks\"\n"
	    "site call_class=5 site=1 function=0 module=4294967295\n"
	    "site call_class=14 site=2 function=0 module=4294967295\n"
	    "site call_class=4 site=3 function=0 module=4294967295\n"
	    "site call_class=7 site=4 function=0 module=4294967295\n"
	    "queue queue=1 context=1 stream=1\n"
	    "queue queue=2 context=1 stream=2\n"
	    "queue queue=3 context=1 stream=3\n");
}

FIXTURE(drop)
{
	xs_trace_free(trace);
	trace = NULL;
	return 0;
}

static uint64_t kernels_without_op(void)
{
	struct xs_record_gap gaps[XS_RECORD_GAP_KINDS];

	xs_record_gaps_find(trace, gaps);
	assert_int_equal(gaps[XS_RECORD_GAP_COPIES].of, 0);
	return gaps[XS_RECORD_GAP_KERNELS].calls;
}

static uint32_t thread_of(size_t op)
{
	assert_int_not_equal(trace->ops[op].call, XS_NONE);
	return trace->calls[trace->ops[op].call].thread;
}

/*
 * Three threads with a stream each. Each launches all its kernels after the one
 * before, with the same ids; then the kernels run in turn. ops: number of
 * threads with op records.
 */
static void storm(unsigned ops)
{
	begin();
	for (unsigned t = 1; t <= 3; t++) {
		say("chunk thread=%u base_ns=1000\n", t);
		say("call site=1 correlation=%u start=%u duration=5\n",
		    1000 + t, 10 * t);
		for (unsigned i = 0; i < LAUNCHES; i++)
			say("call site=1 correlation=%u start=%u duration=5\n",
			    1 + i, t * 10000 + 10 * i);
		say("waitcall site=2 start=%u duration=100000\n",
		    t * 10000 + 10 * LAUNCHES);
	}
	say("chunk base_ns=1000\n");
	for (unsigned t = 1; t <= 3; t++)
		say("kernel queue=%u correlation=%u start=%u duration=1\n", t,
		    1000 + t, 10 * t + 6);
	for (unsigned i = 0; i < LAUNCHES; i++)
		for (unsigned t = 1; t <= ops; t++)
			say("kernel queue=%u correlation=%u start=%u "
			    "duration=1\n",
			    t, 1 + i, 50000 + 100 * i + 10 * ((t + i) % 3));
}

TEST(test_storm)
{
	storm(3);
	trace = read_text(text);
	assert_int_equal(trace->op_count, 3 + 3 * LAUNCHES);
	assert_int_equal(trace->ops_matched, trace->op_count);
	for (size_t i = 0; i < trace->op_count; i++)
		assert_int_equal(thread_of(i),
				 trace->queues[trace->ops[i].queue].stream);
	assert_int_equal(kernels_without_op(), 0);
}

/* The third thread's op records are missing, and the gap is found. */
TEST(test_storm_with_gap)
{
	storm(2);
	trace = read_text(text);
	assert_int_equal(trace->ops_matched, 3 + 2 * LAUNCHES);
	assert_int_equal(kernels_without_op(), LAUNCHES);
}

/* All calls of a thread have one id, and the device is far behind: ops are
 * matched in the order of the calls, one to each. */
TEST(test_far_behind)
{
	begin();
	say("chunk thread=1 base_ns=1000\n");
	for (unsigned i = 0; i < 300; i++)
		say("call site=1 correlation=7 start=%u duration=5\n", 10 * i);
	say("waitcall site=2 start=3000 duration=100000\nchunk base_ns=1000\n");
	for (unsigned i = 0; i < 300; i++)
		say("kernel queue=1 correlation=7 start=%u duration=5\n",
		    50000 + 10 * i);
	trace = read_text(text);
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(trace->ops[i].call, i);
	assert_int_equal(kernels_without_op(), 0);
}

/* On a stream shared by all threads, ops keep the order of the calls. */
TEST(test_one_stream)
{
	begin();
	for (unsigned t = 1; t <= 3; t++)
		say("chunk thread=%u base_ns=1000\n"
		    "call site=1 correlation=7 start=%u duration=5\n",
		    t, 100 * t);
	say("chunk base_ns=1000\n");
	for (unsigned i = 0; i < 3; i++)
		say("kernel queue=1 correlation=7 start=%u duration=5\n",
		    400 + 10 * i);
	trace = read_text(text);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(thread_of(i), i + 1);
}

/* The kind of the call counts more than its thread and its time. */
TEST(test_kinds)
{
	begin();
	say("chunk thread=1 base_ns=1000\n"
	    "call site=1 correlation=7 start=100 duration=5\n"
	    "chunk thread=2 base_ns=1000\n"
	    "copycall site=3 correlation=7 start=200 duration=5 bytes=4\n"
	    "chunk thread=3 base_ns=1000\n"
	    "memcall site=4 correlation=7 start=300 duration=5 bytes=4\n"
	    "chunk base_ns=1000\n"
	    "set queue=1 correlation=7 start=400 duration=5 bytes=4\n"
	    "kernel queue=1 correlation=7 start=500 duration=5\n");
	trace = read_text(text);
	assert_int_equal(thread_of(0), 2);
	assert_int_equal(thread_of(1), 1);
}

/* Ids wrap: an op belongs to the last call before it, even if an older call
 * with the id has no op. By the GPU's clock the op may begin a little before
 * the call. */
TEST(test_wrapped)
{
	begin();
	say("chunk thread=1 base_ns=1000\n"
	    "call site=1 correlation=7 start=100 duration=5\n"
	    "call site=1 correlation=7 start=800000 duration=5\n"
	    "call site=1 correlation=8 start=900000 duration=5\n"
	    "call site=1 correlation=8 start=2000000 duration=5\n"
	    "chunk base_ns=1000\n"
	    "kernel queue=1 correlation=7 start=800010 duration=5\n"
	    "kernel queue=1 correlation=8 start=1999000 duration=5\n");
	trace = read_text(text);
	assert_int_equal(trace->ops[0].call, 1);
	assert_int_equal(trace->ops[1].call, 3);
}

/* Two calls and two ops of one id: each call has an op, although all that is
 * known of queue 1 is that thread 2 used it. */
TEST(test_each_call_once)
{
	begin();
	say("chunk thread=1 base_ns=1000\n"
	    "call site=1 correlation=7 start=100 duration=5\n"
	    "chunk thread=2 base_ns=1000\n"
	    "call site=1 correlation=6 start=50 duration=5\n"
	    "call site=1 correlation=7 start=200 duration=5\n"
	    "chunk base_ns=1000\n"
	    "kernel queue=1 correlation=6 start=60 duration=5\n"
	    "kernel queue=1 correlation=7 start=300 duration=5\n"
	    "kernel queue=1 correlation=7 start=400 duration=5\n");
	trace = read_text(text);
	assert_int_equal(trace->ops_matched, 3);
	assert_int_equal(thread_of(0), 2);
	assert_int_equal(thread_of(1), 1);
	assert_int_equal(thread_of(2), 2);
}

/* A wait of one thread shows nothing about calls of another one. */
TEST(test_not_waited_for)
{
	for (unsigned waiting = 1; waiting <= 2; waiting++) {
		begin();
		say("chunk thread=1 base_ns=1000\n");
		for (unsigned i = 0; i < LAUNCHES; i++)
			say("call site=1 correlation=%u start=%u duration=5\n",
			    1 + i, 10 * i);
		say("chunk thread=2 base_ns=1000\n"
		    "call site=1 correlation=999 start=5000 duration=5\n"
		    "chunk thread=%u base_ns=1000\n"
		    "waitcall site=2 start=6000 duration=100\n"
		    "chunk base_ns=1000\n"
		    "kernel queue=2 correlation=999 start=5010 duration=5\n",
		    waiting);
		trace = read_text(text);
		assert_int_equal(kernels_without_op(),
				 waiting == 1 ? LAUNCHES : 0);
		drop(NULL);
	}
}

/* One id on all calls and ops costs no more than the size of the file allows.
 */
TEST(test_one_id)
{
	begin();
	say("chunk thread=1 base_ns=1000\n");
	for (unsigned i = 0; i < 300; i++)
		say("call site=1 correlation=7 start=%u duration=5\n", 10 * i);
	say("chunk base_ns=1000\n");
	for (unsigned i = 0; i < 300; i++)
		say("kernel queue=1 correlation=7 start=%u duration=5\n",
		    10 * i + 7);
	trace = read_text(text);
	assert_int_equal(trace->ops_matched, 300);
}

RUN_TESTS(NULL, drop)
