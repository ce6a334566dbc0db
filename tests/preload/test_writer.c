/* SPDX-License-Identifier: MIT */
#include "tests/preload/trace_of_test.h"

#include "preload/trace/shared_writer.h"
#include "preload/trace/writer.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define RANGE (1ull << 32)

static struct xs_trace_file trace;
static struct xs_writer writer;

FIXTURE(open_writer)
{
	writer = (struct xs_writer){.trace = &trace, .thread = 77};
	return begin_trace(&trace);
}

static void put(uint32_t place, uint64_t start_ns, uint64_t end_ns)
{
	struct xs_rec_call call = {XS_RECORD(call), .correlation = place};

	assert_int_equal(
	    xs_writer_timed(&writer, &call, place, start_ns, end_ns), 0);
}

static void close_and_read(void)
{
	xs_writer_close(&writer);
	end_trace(&trace);
}

static void expect(size_t n, uint32_t place, uint64_t start_ns, uint64_t end_ns)
{
	const struct record *record = records_get(&r, XS_REC_call, n);

	assert_non_null(record);
	assert_int_equal(record->thread, 77);
	assert_int_equal(record->place, place);
	assert_int_equal(record->start_ns, start_ns);
	assert_int_equal(record->end_ns, end_ns);
}

TEST(near_times_need_no_extra_record)
{
	put(1, START, START + 10);
	put(2, START + 2000000000u, START + 2000000001u);
	put(3, START - 2000000000u, START);
	close_and_read();
	assert_int_equal(r.count, 3);
	expect(0, 1, START, START + 10);
	expect(1, 2, START + 2000000000u, START + 2000000001u);
	expect(2, 3, START - 2000000000u, START);
}

TEST(times_out_of_range_move_the_base)
{
	put(1, START, START + 1);
	put(2, START + RANGE, START + RANGE + 1); /* forward */
	put(3, START + RANGE + 5, START + RANGE + 6);
	put(4, START - RANGE, START); /* and back: the clock was set */
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_time), 2);
	expect(1, 2, START + RANGE, START + RANGE + 1);
	expect(2, 3, START + RANGE + 5, START + RANGE + 6);
	expect(3, 4, START - RANGE, START);
}

TEST(large_values_need_a_wide_record)
{
	put(XS_WIDE16 - 1, START, START + XS_WIDE32 - 1); /* just fits */
	put(XS_WIDE16, START, START + 1);
	put(1, START, START + XS_WIDE32);
	put(70000, START, START + 3 * RANGE);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_wide), 3);
	expect(0, XS_WIDE16 - 1, START, START + XS_WIDE32 - 1);
	expect(1, XS_WIDE16, START, START + 1);
	expect(2, 1, START, START + XS_WIDE32);
	expect(3, 70000, START, START + 3 * RANGE);
}

static void put_copy(uint64_t bytes, uint32_t place, uint64_t start_ns,
		     uint64_t end_ns)
{
	struct xs_rec_copycall copy = {
	    XS_RECORD(copycall), .correlation = (xs_u32)start_ns,
	    .bytes = bytes, .dst = 0x7f0000001000, .rows = 1};

	assert_int_equal(
	    xs_writer_timed(&writer, &copy, place, start_ns, end_ns), 0);
}

static void expect_copy(size_t n, bool again, uint64_t bytes, uint32_t place,
			uint64_t start_ns, uint64_t end_ns)
{
	const struct record *record = records_get(&r, XS_REC_copycall, n);

	assert_non_null(record);
	assert_int_equal(record->again, again);
	assert_int_equal(record->correlation, (uint32_t)start_ns);
	assert_int_equal(record->place, place);
	assert_int_equal(record->start_ns, start_ns);
	assert_int_equal(record->end_ns, end_ns);
	assert_int_equal(((const struct xs_rec_copycall *)record->at)->bytes,
			 bytes);
}

/* Values, place and kind must all be equal. */
TEST(repeated_records_are_short)
{
	xs_writer_open(&writer, &trace, 77);
	put_copy(64, 1, START, START + 10);
	put_copy(64, 1, START + 20, START + 35);
	put_copy(65, 1, START + 40, START + 50);
	put_copy(64, 2, START + 60, START + 70);
	put(1, START + 70, START + 80);
	put(1, START + 90, START + 95);
	put_copy(65, 1, START + RANGE, START + 3 * RANGE);
	put_copy(64, XS_WIDE16, START, START + 1);
	put_copy(64, XS_WIDE16, START, START + 1);
	close_and_read();
	expect_copy(0, false, 64, 1, START, START + 10);
	expect_copy(1, true, 64, 1, START + 20, START + 35);
	expect_copy(2, false, 65, 1, START + 40, START + 50);
	expect_copy(3, false, 64, 2, START + 60, START + 70);
	expect_copy(4, true, 65, 1, START + RANGE, START + 3 * RANGE);
	expect_copy(5, false, 64, XS_WIDE16, START, START + 1);
	expect_copy(6, false, 64, XS_WIDE16, START, START + 1);
	expect(1, 1, START + 90, START + 95);
	assert_int_equal(records_of(&r, XS_REC_time), 2);
}

/* So many that some have the hash of others. */
TEST(different_records_stay_different)
{
	const unsigned count = 5000;

	xs_writer_open(&writer, &trace, 77);
	for (unsigned i = 0; i < count; i++)
		put_copy(1 + i, 1, START + 10 * i, START + 10 * i + 5);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_copycall), count);
	for (unsigned i = 0; i < count; i++)
		expect_copy(i, false, 1 + i, 1, START + 10 * i,
			    START + 10 * i + 5);
}

TEST(chunks_are_independent)
{
	size_t full = 0;

	xs_writer_open(&writer, &trace, 77);
	for (uint32_t i = 0; i < 6000; i++)
		put_copy(64, 1 + i % 3, START + i, START + i + 1);
	close_and_read();
	for (uint32_t i = 0; i < 6000; i++) {
		const struct record *record =
		    records_get(&r, XS_REC_copycall, i);
		expect_copy(i, record && record->again, 64, 1 + i % 3,
			    START + i, START + i + 1);
		full += !record->again;
	}
	assert_true(r.chunks >= 3);
	assert_int_equal(full, 3 * r.chunks);
}

/* The clock was set back during the call. */
TEST(end_before_start_has_no_length)
{
	put(1, START, START - 100);
	close_and_read();
	expect(0, 1, START, START);
}

TEST(chunks_grow_to_64_kib)
{
	static const uint32_t expected[] = {4096, 16384, 65536, 65536};

	for (uint32_t i = 0; i < 6000; i++)
		put(i, START + i, START + i + 1);
	close_and_read();
	assert_true(r.chunks >= 3);
	for (size_t i = 0; i < r.chunks; i++)
		assert_int_equal(r.chunk_bytes[i], expected[i < 3 ? i : 3]);
	assert_int_equal(records_of(&r, XS_REC_call), 6000);
	for (uint32_t i = 0; i < 6000; i++)
		expect(i, i, START + i, START + i + 1);
}

TEST(long_strings_come_in_parts)
{
	char text[5000], back[6000] = "";
	size_t length = 0;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (char)('a' + i % 26);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(xs_writer_string(&writer, 9, text), 0);
	assert_int_equal(xs_writer_string(&writer, 10, ""), 0);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_string), 6);
	for (size_t i = 0; i < 5; i++) {
		const struct xs_rec_string *s =
		    records_get(&r, XS_REC_string, i)->at;
		size_t bytes = s->words * 4u - sizeof(*s);
		assert_int_equal(s->id, 9);
		assert_int_equal(s->part, i);
		memcpy(back + length, s + 1, bytes);
		length += bytes;
	}
	assert_string_equal(back, text);
}

TEST(text_is_padded_with_zeros)
{
	struct xs_rec_info info = {XS_RECORD(info)};

	assert_int_equal(xs_writer_plain(&writer, &info, "k=vvv", 5), 0);
	close_and_read();
	const struct xs_rec_info *back = records_get(&r, XS_REC_info, 0)->at;
	assert_int_equal(back->words, 3);
	assert_memory_equal(back + 1, "k=vvv\0\0\0", 8);
}

TEST(nothing_is_written_after_the_end)
{
	struct xs_rec_call call = {XS_RECORD(call)};

	close_and_read();
	assert_true(xs_writer_timed(&writer, &call, 1, START, START) < 0);
	assert_int_equal(r.count, 0);
}

/* In a full file, ops of the GPU leave room for the reason. */
TEST(note_fits_when_ops_do_not)
{
	static const char note[] = "note=no more room for the trace (No space "
				   "left on device): records that do not fit "
				   "are lost";
	struct xs_rec_copy copy = {XS_RECORD(copy)};
	struct xs_rec_info info = {XS_RECORD(info)};

	writer.thread = 0;
	xs_trace_file_limit(&trace, XS_PAGE_BYTES);
	for (int rc = 0; rc == 0;) {
		copy.bytes++;
		rc = xs_writer_timed(&writer, &copy, 1, START, START + 1);
	}
	assert_int_equal(xs_writer_plain(&writer, &info, note, strlen(note)),
			 0);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_info), 1);
}

/* A thread continues the chunk of an ended one, after a `thread` record, with
 * its base time. */
TEST(next_thread_continues_the_times)
{
	struct xs_writer next;
	struct xs_rec_call call = {XS_RECORD(call)};

	xs_writer_open(&writer, &trace, 77);
	put(1, START + 100, START + 105);
	xs_writer_release(&writer);
	xs_writer_open(&next, &trace, 77);
	assert_int_equal(
	    xs_writer_timed(&next, &call, 2, START + 200, START + 207), 0);
	xs_writer_close(&next);
	close_and_read();
	assert_int_equal(r.chunks, 1);
	expect(0, 1, START + 100, START + 105);
	expect(1, 2, START + 200, START + 207);
	assert_int_equal(records_of(&r, XS_REC_time), 0);
}

/* A thread continues the chunk of an ended one, after a `thread` record. */
TEST(next_thread_continues_a_chunk)
{
	struct xs_writer next;

	xs_writer_open(&writer, &trace, 77);
	put(1, START, START + 5);
	xs_writer_release(&writer);
	xs_writer_open(&next, &trace, 78);
	xs_writer_open(&writer, &trace, 79);
	for (unsigned i = 0; i < 2; i++) {
		struct xs_writer *w = i ? &writer : &next;
		struct xs_rec_thread record = {XS_RECORD(thread),
					       .tid = w->thread};
		struct xs_rec_call call = {XS_RECORD(call)};

		assert_int_equal(xs_writer_plain(w, &record, "", 0), 0);
		assert_int_equal(xs_writer_timed(w, &call, 2, START + RANGE,
						 START + RANGE + 7),
				 0);
	}
	xs_writer_close(&next);
	close_and_read();
	assert_int_equal(r.chunks, 2);
	expect(0, 1, START, START + 5);
	expect(1, 2, START + RANGE, START + RANGE + 7);
	assert_int_equal(records_get(&r, XS_REC_call, 2)->thread, 79);
}

/* Its owner is a thread of the parent. */
TEST(lock_is_free_in_a_child)
{
	const struct timespec past = {0};
	int status = 1;
	pid_t child;

	xs_shared_writer_lock();
	child = fork();
	if (child == 0) {
		xs_shared_writer_in_child();
		_exit(!xs_shared_writer_lock_until(&past));
	}
	xs_shared_writer_unlock();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

RUN_TESTS(open_writer, drop_records)
