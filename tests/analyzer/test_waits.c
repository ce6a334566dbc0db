/* SPDX-License-Identifier: MIT */
/* What calls waited for, worked out by hand. Times are in us: a call or an op
 * from 10 to 40 starts at 10 us of the run. */
#include "tests/unit.h"

#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/wait_sites.h"
#include "tests/analyzer/support.h"

#include <stdlib.h>
#include <string.h>

#define US 1000u

/* Sites by what they call; queues 0 to 2 are of device 0, queue 3 of device
 * 1. */
#define HEAD                                                                   \
	"xferspy-text 1\n"                                                     \
	"header pid=1 state=1 start_realtime_ns=1000000000 "                   \
	"end_realtime_ns=1100000000\n"                                         \
	"chunk thread=1 base_ns=1000000000\n"                                  \
	"string id=1 text=\"/usr/bin/app\"\nmodule module=1 path=1\n"          \
	"string id=10 text=\"cudaLaunchKernel\"\n"                             \
	"string id=11 text=\"cudaMemcpyAsync\"\n"                              \
	"string id=12 text=\"cudaDeviceSynchronize\"\n"                        \
	"string id=13 text=\"cudaStreamSynchronize\"\n"                        \
	"string id=14 text=\"cudaEventRecord\"\n"                              \
	"string id=15 text=\"cudaEventSynchronize\"\n"                         \
	"string id=16 text=\"cudaFree\"\n"                                     \
	"string id=17 text=\"cudaEventQuery\"\n"                               \
	"string id=18 text=\"cudaMemcpy\"\n"                                   \
	"string id=50 text=\"step\"\n"                                         \
	"site call_class=5 site=1 function=10 module=1 offset=1\n"             \
	"site call_class=2 site=2 function=11 module=1 offset=2\n"             \
	"site call_class=13 site=3 function=12 module=1 offset=3\n"            \
	"site call_class=14 site=4 function=13 module=1 offset=4\n"            \
	"site call_class=16 site=5 function=14 module=1 offset=5\n"            \
	"site call_class=15 site=6 function=15 module=1 offset=6\n"            \
	"site call_class=10 site=7 function=16 module=1 offset=7\n"            \
	"site call_class=22 site=8 function=17 module=1 offset=8\n"            \
	"site call_class=1 site=9 function=18 module=1 offset=9\n"             \
	"shape registers=8 shape=1 name=50 grid_x=1 grid_y=1 grid_z=1 "        \
	"block_x=1 block_y=1 block_z=1\n"                                      \
	"queue queue=0 device=0 context=1 stream=1\n"                          \
	"queue queue=1 device=0 context=1 stream=2\n"                          \
	"queue queue=2 device=0 context=1 stream=3\n"                          \
	"queue queue=3 device=1 context=2 stream=1\n"

/* The calls of a thread, and the ops; start and duration in ns. */
#define CALLS(thread) "chunk thread=" thread " base_ns=1000000000\n"
#define OPS	      "chunk base_ns=1000000000\n"
#define LAUNCH(id, at)                                                         \
	"call site=1 correlation=" id " start=" at "000 duration=1000\n"
#define COPY_IN(id, at, stream)                                                \
	"copycall site=2 correlation=" id " start=" at                         \
	"000 duration=1000 bytes=4096 dst=1 src=2 stream=" stream              \
	" direction=1\n"
#define KERNEL(queue, id, at, lasts)                                           \
	"kernel queue=" queue " correlation=" id " start=" at                  \
	"000 duration=" lasts "000 shape=1\n"
#define IN(queue, id, at, lasts)                                               \
	"copy queue=" queue " correlation=" id " start=" at                    \
	"000 duration=" lasts                                                  \
	"000 bytes=4096 direction=1 src_memory=2 dst_memory=3 copies=1\n"

static struct xs_trace *trace;
static struct xs_timeline timeline;
static struct xs_wait_sites waits;

static void begin(const char *text)
{
	trace = read_text(text);
	assert_int_equal(trace->defect_count, 0);
	xs_timeline_build(trace, &timeline);
	xs_wait_sites_build(trace, NULL, &waits);
}

static void end(void)
{
	xs_wait_sites_free(&waits);
	xs_trace_free(trace);
}

/* Returns the waits in calls of that function, or NULL. */
static const struct xs_wait_site *find(const char *function)
{
	for (size_t i = 0; i < waits.count; i++) {
		const struct xs_site *site = &trace->sites[waits.items[i].site];

		if (strcmp(trace->strings[site->function], function) == 0)
			return &waits.items[i];
	}
	return NULL;
}

/* Checks what the calls of the function waited for, in us. */
static void expect(const char *function, uint64_t h2d, uint64_t kernel,
		   uint64_t latency, uint64_t host)
{
	const struct xs_wait_site *row = find(function);
	const uint64_t want[XS_WAIT_PARTS] = {[XS_WAIT_H2D] = h2d,
					      [XS_WAIT_KERNEL] = kernel,
					      [XS_WAIT_LATENCY] = latency,
					      [XS_WAIT_HOST] = host};

	assert_non_null(row);
	for (size_t i = 0; i < XS_WAIT_PARTS; i++)
		if (row->part_ns[i] != want[i] * US)
			fail_msg("%s: part %zu: %llu, want %llu us", function,
				 i, (unsigned long long)row->part_ns[i],
				 (unsigned long long)want[i]);
	assert_true(row->waited_ns == (h2d + kernel + latency + host) * US);
}

/*
 * A kernel from 10 to 40, a copy from 20 to 70, a kernel from 30 to 60, each in
 * its own stream: the wait from 5 to 75 is for the copy, and before it for the
 * first kernel.
 */
TEST(device_waits_cover_all_streams)
{
	begin(HEAD CALLS("1") LAUNCH("1", "0") COPY_IN("2", "1", "0x51") LAUNCH(
	    "3", "3") "waitcall site=3 start=5000 duration=70000\n" OPS
		  KERNEL("0", "1", "10", "30") IN("1", "2", "20", "50")
		      KERNEL("2", "3", "30", "30"));
	expect("cudaDeviceSynchronize", 50, 10, 5, 5);
	assert_int_equal(find("cudaDeviceSynchronize")->gpu_calls, 1);
	assert_true(timeline.host_blocked_ns == 70 * US);
	end();
}

/* Another thread launches a kernel from 61 to 70 after the wait began. */
TEST(later_work_is_not_waited_for)
{
	begin(HEAD CALLS("1") LAUNCH(
	    "1", "0") "waitcall site=3 start=5000 duration=70000\n" CALLS("2")
		  LAUNCH("2", "20") OPS KERNEL("0", "1", "10", "50")
		      KERNEL("1", "2", "61", "9"));
	expect("cudaDeviceSynchronize", 0, 50, 5, 15);
	end();
}

/* The kernel of stream 0 runs on long after the wait for 0x51 returned. */
TEST(running_work_is_not_waited_for)
{
	begin(HEAD CALLS("1") LAUNCH("1", "0") COPY_IN(
	    "2", "1", "0x51") "waitcall site=4 start=5000 duration=70000 "
			      "stream=0x51\n" OPS KERNEL("0", "1", "10", "990")
				  IN("1", "2", "20", "50"));
	expect("cudaStreamSynchronize", 50, 0, 15, 5);
	end();
}

#define TWO_STREAMS OPS IN("1", "1", "10", "50") KERNEL("2", "2", "10", "60")

/* The awaited stream copies from 10 to 60; another one computes until 70. */
TEST(awaited_stream_comes_first)
{
	begin(HEAD CALLS("1") COPY_IN("1", "0", "0x51")
		  LAUNCH("2", "2") "waitcall site=4 start=5000 duration=70000 "
				   "stream=0x51\n" TWO_STREAMS);
	expect("cudaStreamSynchronize", 50, 10, 5, 5);
	end();
}

/* The same, by an event of that stream. */
TEST(event_stands_for_its_stream)
{
	begin(HEAD CALLS("1") COPY_IN("1", "0", "0x51") LAUNCH(
	    "2", "2") "waitcall site=5 start=4000 duration=500 stream=0x51 "
		      "event=9\n"
		      "waitcall site=6 start=5000 duration=70000 "
		      "event=9\n" TWO_STREAMS);
	expect("cudaEventSynchronize", 50, 10, 5, 5);
	end();
}

/* The same, by a loop of polls. A loop that ends without success is no wait. */
TEST(polls_until_done_are_a_wait)
{
	begin(HEAD CALLS("1") COPY_IN("1", "0", "0x51") LAUNCH(
	    "2", "2") "waitcall site=5 start=4000 duration=500 stream=0x51 "
		      "event=9\n"
		      "pollcall site=8 start=5000 duration=70000 event=9 "
		      "polls=100 ready=1\n"
		      "pollcall site=8 start=200000 duration=30000 event=9 "
		      "polls=100 error=600\n" TWO_STREAMS);
	expect("cudaEventQuery", 50, 10, 5, 5);
	assert_int_equal(find("cudaEventQuery")->calls, 1);
	end();
}

/* Thread 2 uses device 1 until 75. Thread 1 waits for its own device. */
TEST(each_thread_waits_for_its_device)
{
	begin(HEAD CALLS("1") LAUNCH(
	    "1", "0") "waitcall site=3 start=5000 duration=70000\n" CALLS("2")
		  LAUNCH("2", "0") OPS KERNEL("0", "1", "10", "20")
		      KERNEL("3", "2", "10", "63"));
	expect("cudaDeviceSynchronize", 0, 20, 5, 45);
	end();
}

/* Returns a trace of so many waits from 5 to 75, all for the same two kernels.
 */
static char *same_waits(unsigned count)
{
	static const char wait[] =
	    "waitcall site=3 start=5000 duration=70000\n";
	static const char head[] = HEAD CALLS("1") LAUNCH("1", "0");
	static const char ops[] =
	    OPS KERNEL("0", "1", "10", "20") KERNEL("1", "0", "30", "40");
	char *text = malloc(sizeof(head) + count * sizeof(wait) + sizeof(ops));
	char *at = stpcpy(text, head);

	while (count-- > 0)
		at = stpcpy(at, wait);
	stpcpy(at, ops);
	return text;
}

/* Each of them looks at both kernels; the work of 256 is done. */
TEST(waits_beyond_a_limit_are_counted)
{
	char *text = same_waits(256);

	begin(text);
	assert_int_equal(waits.unexamined, 0);
	assert_int_equal(find("cudaDeviceSynchronize")->gpu_calls, 256);
	end();
	free(text);
	text = same_waits(300);
	begin(text);
	assert_int_equal(waits.unexamined, 44);
	assert_int_equal(find("cudaDeviceSynchronize")->calls, 300);
	assert_int_equal(find("cudaDeviceSynchronize")->gpu_calls, 256);
	end();
	free(text);
}

/* cudaFree from 5 to 40, while a kernel runs on: it did not wait, although
 * another kernel ended during it. */
TEST(free_beside_work_does_not_wait)
{
	begin(HEAD CALLS("1") LAUNCH("1", "0") LAUNCH(
	    "2", "2") "memcall site=7 start=5000 duration=35000 address=1\n" OPS
		  KERNEL("0", "1", "10", "20") KERNEL("1", "2", "10", "990"));
	expect("cudaFree", 0, 0, 0, 35);
	assert_int_equal(find("cudaFree")->gpu_calls, 0);
	end();
}

TEST(failed_calls_do_not_wait)
{
	begin(HEAD CALLS("1") LAUNCH(
	    "1",
	    "0") "waitcall site=3 start=5000 duration=70000 error=700\n" OPS
		  KERNEL("0", "1", "10", "20"));
	assert_null(find("cudaDeviceSynchronize"));
	end();
}

/* Two threads begin a copy at the same moment; the faults are of thread 2. */
TEST(faults_are_of_their_thread)
{
	begin(HEAD CALLS(
	    "1") "copycall site=2 correlation=1 start=10000 duration=20000 "
		 "bytes=8192 dst=1 src=2 direction=1\n" CALLS(
		     "2") "copycall site=9 correlation=2 start=10000 "
			  "duration=20000 bytes=8192 dst=3 src=4 direction=1\n"
			  "faults site=9 correlation=2 start=10000 "
			  "duration=20000 "
			  "minor=2 page_bytes=4096\n" OPS
			  "copy queue=0 correlation=1 start=11000 "
			  "duration=10000 "
			  "bytes=8192 direction=1 src_memory=1 dst_memory=3 "
			  "copies=1\n"
			  "copy queue=1 correlation=2 start=11000 "
			  "duration=10000 "
			  "bytes=8192 direction=1 src_memory=1 dst_memory=3 "
			  "copies=1\n");
	assert_int_equal(find("cudaMemcpyAsync")->minor_faults, 0);
	assert_int_equal(find("cudaMemcpy")->minor_faults, 2);
	assert_int_equal(find("cudaMemcpy")->touched_bytes, 8192);
	/* the copies of the site that touch half of their bytes */
	assert_int_equal(find("cudaMemcpy")->touching_bytes, 8192);
	assert_int_equal(find("cudaMemcpy")->touching_ns, 20000);
	assert_int_equal(find("cudaMemcpyAsync")->touching_bytes, 0);
	end();
}
