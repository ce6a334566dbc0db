/* SPDX-License-Identifier: MIT */
/* Call counters are exact, and their size depends on the number of keys
 * only. */
#include "tests/unit.h"

#include "preload/record/call_counter.h"
#include "records.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define PATH	"test_tally.xspy"
#define START	1700000000000000000u
#define SITES	3000u
#define THREADS 8u

static struct xs_trace_file trace;

FIXTURE(begin)
{
	const struct xs_trace_file_start start = {12, START, 34};

	return xs_trace_file_open(&trace, PATH, &start);
}

static void count_all(struct xs_thread *thread, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		for (uint32_t site = 1; site <= SITES; site++)
			for (uint8_t size = 1; size <= 2; size++)
				xs_call_counter_count(
				    thread,
				    (struct xs_call_counter_key){site, size,
								 XS_DIR_H2D},
				    size - 1u);
}

/* A thread that starts, counts and ends. */
static void *live(void *rounds)
{
	struct xs_thread thread = {0};

	xs_writer_open(&thread.writer, &trace, 7);
	count_all(&thread, *(const unsigned *)rounds);
	xs_writer_release(&thread.writer);
	xs_call_counter_release(&thread);
	return NULL;
}

/* Checks the sum of the trace's `tally` records, and their number. */
static void expect_counts(uint64_t calls, size_t most_records)
{
	struct records r;
	uint64_t counted = 0, bytes = 0;

	records_read(&r, PATH);
	assert_int_equal(r.damaged, 0);
	assert_int_equal(r.header.lost_calls, 0);
	assert_true(records_of(&r, XS_REC_tally) <= most_records);
	for (size_t i = 0; i < r.count; i++) {
		struct xs_rec_tally tally;

		if (r.list[i].kind != XS_REC_tally)
			continue;
		memcpy(&tally, r.list[i].at, sizeof(tally));
		assert_int_equal(tally.direction, XS_DIR_H2D);
		assert_int_equal(tally.bytes, (tally.size - 1u) * tally.calls);
		counted += tally.calls;
		bytes += tally.bytes;
	}
	assert_int_equal(counted, calls);
	assert_int_equal(bytes, calls / 2);
	records_free(&r);
}

/* Each key has one record however often it is counted; a new thread continues
 * the counters of an ended one. */
TEST(each_key_has_one_record)
{
	unsigned rounds = 5;

	live(&rounds);
	live(&rounds);
	expect_counts(2 * 5 * 2 * SITES, 2 * SITES);
}

/* Threads that run at the same time have their own records. */
TEST(threads_count_apart)
{
	pthread_t threads[THREADS];
	unsigned rounds = 20;

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, live, &rounds), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	expect_counts((THREADS * 20 + 2 * 5) * 2ull * SITES,
		      THREADS * (size_t)2 * SITES);
}

/* Calls leave room in a limited trace for the counters of those that do not
 * fit. */
TEST(counters_have_room_after_calls)
{
	const struct xs_trace_file_start start = {12, START, 34};
	struct xs_rec_call call = {XS_RECORD(call)};
	struct xs_thread thread = {0};
	unsigned calls = 0;

	xs_trace_file_close(&trace, START + 9);
	unlink(PATH);
	assert_int_equal(xs_trace_file_open(&trace, PATH, &start), 0);
	xs_trace_file_limit(&trace, 2u << 20);
	xs_writer_open(&thread.writer, &trace, 9);
	while (calls < 10000000 &&
	       xs_writer_timed(&thread.writer, &call, 1, START, START + 1) == 0)
		calls++;
	assert_in_range(calls, 10000, 1000000);
	for (uint32_t i = 0; i < 5000; i++)
		xs_call_counter_count(
		    &thread, (struct xs_call_counter_key){100000 + i, 1, 0}, 0);
	assert_true(trace.header->lost_calls == 0);
	assert_true(xs_trace_file_used_bytes(&trace) <= 2u << 20);
	xs_writer_close(&thread.writer);
	xs_call_counter_release(&thread);
}

#define MANY 200000u

/* If the file is full, calls are counted as lost. */
TEST(full_file_loses_calls)
{
	struct xs_thread thread = {0};
	const struct xs_call_counter_key key = {SITES + 1, 1, XS_DIR_UNKNOWN};

	/* room that is allocated already is used up */
	xs_trace_file_limit(&trace, XS_PAGE_BYTES);
	xs_writer_open(&thread.writer, &trace, 8);
	for (uint32_t i = 0; i < MANY; i++)
		xs_call_counter_count(
		    &thread, (struct xs_call_counter_key){SITES + 1 + i, 1, 0},
		    0);
	assert_int_equal(xs_call_counter_count(&thread, key, 0)->calls, 2);
	assert_true(trace.header->lost_calls > 0);
	assert_true(trace.header->lost_calls < MANY);
	xs_trace_file_close(&trace, START + 9);
}

int main(void)
{
	return unit_run(begin, NULL, NULL, NULL);
}
