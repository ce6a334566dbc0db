/* SPDX-License-Identifier: MIT */
/* Calls and ops that find no room are counted as lost, each once; and polls are
 * written before the call after them. */
#include "tests/preload/trace_of_test.h"

#include "preload/api/arguments.h"
#include "preload/record/address_tables.h"
#include "preload/record/emit.h"
#include "preload/record/launch_pointers.h"
#include "preload/record/live_memory.h"
#include "preload/record/poll.h"
#include "preload/record/table_search.h"
#include "preload/record/thread_end.h"
#include "preload/trace/gpu_records.h"
#include "preload/trace/session.h"
#include "preload/trace/shared_writer.h"

#include <string.h>
#include <sys/resource.h>

static struct xs_thread thread;
static const struct xs_span span = {
    .site = 1, .correlation = 5, .start_ns = START, .end_ns = START + 10};

FIXTURE(begin)
{
	thread = (struct xs_thread){0};
	if (begin_trace(&xs_session_trace))
		return -1;
	xs_writer_open(&thread.writer, &xs_session_trace, 77);
	xs_shared_writer_open(&xs_session_trace);
	return 0;
}

/* Uses up the room that is allocated already. */
static void use_up(void)
{
	struct xs_chunk_header *chunk;

	while ((chunk = xs_trace_file_claim(&xs_session_trace, XS_PAGE_BYTES,
					    99, START)))
		xs_trace_file_release(chunk);
}

/* Leaves no room for further chunks: the trace's own limit is reached. */
static void fill_up(void)
{
	xs_trace_file_limit(&xs_session_trace, XS_PAGE_BYTES);
	use_up();
}

/* Returns the limit before. */
static rlim_t limit_files(rlim_t bytes)
{
	struct rlimit limit;
	rlim_t before;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	return before;
}

static void expect_lost(uint64_t calls, uint64_t ops)
{
	assert_true(xs_session_trace.header->lost_calls == calls);
	assert_true(xs_session_trace.header->lost_ops == ops);
	assert_true(xs_session_trace.header->lost_cupti == 0);
}

static void emit_slow(enum xs_function fn, cudaError_t error)
{
	static const uint64_t arguments[8];
	const struct xs_ended_call call = {.fn = fn,
					   .site = xs_site_find(fn, 0x1234, 0),
					   .address = 0x1234,
					   .error = error,
					   .arguments = arguments};

	xs_emit(&thread, &call, &span);
}

static void emit_fast(void)
{
	static const struct xs_event event;

	xs_emit_fast(&thread, XS_CALL_SYNC_DEVICE, &event, cudaSuccess, &span);
}

static void poll(void)
{
	emit_slow(XS_FN_cudaStreamQuery, cudaErrorNotReady);
}

TEST(each_lost_call_is_counted)
{
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	emit_fast();
	expect_lost(0, 0);
	xs_writer_close(&thread.writer);
	fill_up();
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	expect_lost(1, 0);
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaErrorUnknown);
	expect_lost(2, 0);
	emit_fast();
	expect_lost(3, 0);
	thread.named = false; /* without room for its name */
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	expect_lost(4, 0);
}

/* Until a capture ends, also without success, each copy may be one of it. */
TEST(a_capture_ends_with_an_error)
{
	static const uint64_t data[8];
	const uint64_t array = 1 << 20;
	const struct xs_event copy = {.dst = array,
				      .src = (uintptr_t)data,
				      .bytes = sizeof(data),
				      .rows = 1,
				      .direction = cudaMemcpyHostToDevice};
	const cudaError_t errors[] = {
	    cudaSuccess, cudaErrorStreamCaptureInvalidated,
	    cudaErrorStreamCaptureUnjoined, cudaErrorStreamCaptureWrongThread};

	xs_launch_pointers_mode = XS_DATAFLOW_ALL;
	xs_live_memory_add(array, sizeof(data), 1, XS_LIVE_DEVICE);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		emit_slow(XS_FN_cudaStreamBeginCapture, cudaSuccess);
		xs_table_search_copy(&copy, true);
		assert_true(xs_address_tables_are_any());
		emit_slow(XS_FN_cudaStreamEndCapture, errors[i]);
		xs_table_search_copy(&copy, true);
		assert_true(xs_address_tables_are_any() ==
			    (errors[i] == cudaErrorStreamCaptureWrongThread));
	}
}

/* As on a full disk: the trace has no limit of its own, below which calls are
 * counted. */
TEST(each_call_without_a_disk_is_counted)
{
	rlim_t before;

	xs_writer_close(&thread.writer);
	before = limit_files(XS_PAGE_BYTES);
	use_up();
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	emit_fast();
	limit_files(before);
	expect_lost(2, 0);
}

/* The polls are lost with the call that should have written them. */
TEST(lost_polls_are_counted)
{
	poll();
	xs_writer_close(&thread.writer);
	fill_up();
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	expect_lost(2, 0);
	poll();
	expect_lost(2, 0); /* not written yet */
	emit_fast();
	expect_lost(4, 0);
}

TEST(each_lost_op_is_counted)
{
	const struct xs_gpu_op op = {.queue = {.context = 1, .stream = 1},
				     .start_ns = START,
				     .end_ns = START + 5};
	struct xs_rec_shape shape = {.grid_x = 1};

	fill_up();
	xs_gpu_records_copy(&op);
	expect_lost(0, 1);
	xs_gpu_records_set(&op);
	expect_lost(0, 2);
	xs_gpu_records_kernel(&op, "kernel", &shape);
	expect_lost(0, 3);
	xs_gpu_records_graph(&op, 1, false);
	expect_lost(0, 4);
}

/* Returns the kinds of the records in their order, a letter each. */
static void expect_order(const char *want)
{
	char order[32] = "";
	size_t n = 0;

	end_trace(&xs_session_trace);
	for (size_t i = 0; i < r.count && n + 1 < sizeof(order); i++)
		if (r.list[i].kind == XS_REC_pollcall)
			order[n++] = 'p';
		else if (r.list[i].kind == XS_REC_waitcall)
			order[n++] = 'w';
	assert_string_equal(order, want);
}

TEST(polls_come_before_the_next_call)
{
	poll();
	poll();
	emit_slow(XS_FN_cudaDeviceSynchronize, cudaSuccess);
	poll();
	poll();
	emit_fast();
	poll();
	emit_fast();
	emit_fast();
	expect_order("pwpwpww");
}

TEST(polls_of_an_ending_thread_are_written)
{
	emit_fast();
	poll();
	poll();
	xs_thread_end(&thread);
	expect_order("wp");
}

RUN_TESTS(begin, drop_records)
