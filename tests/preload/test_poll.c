/* SPDX-License-Identifier: MIT */
/* Consecutive polls become one record. */
#include "tests/preload/trace_of_test.h"

#include "preload/record/poll.h"

#include <string.h>

#define MS 1000000u

static struct xs_trace_file trace;
static struct xs_thread thread;

FIXTURE(open_thread)
{
	thread = (struct xs_thread){.writer = {.trace = &trace, .thread = 77}};
	return begin_trace(&trace);
}

static void ask(uint32_t site, uint64_t at_ns, bool yes)
{
	const struct xs_poll poll = {.site = site,
				     .polls = 1,
				     .ready = yes,
				     .start_ns = START + at_ns,
				     .end_ns = START + at_ns + 1000,
				     .stream = at_ns,
				     .event = site,
				     .error = yes ? 0 : 600};

	assert_int_equal(xs_poll_add(&thread, &poll), 0);
}

static void close_and_read(void)
{
	assert_int_equal(xs_poll_write(&thread), 0);
	xs_writer_close(&thread.writer);
	xs_poll_drop(thread.poll);
	end_trace(&trace);
}

static void expect(size_t n, uint32_t polls, uint32_t ready, uint64_t start_ns,
		   uint64_t end_ns)
{
	const struct record *record = records_get(&r, XS_REC_pollcall, n);
	struct xs_rec_pollcall poll;

	assert_non_null(record);
	memcpy(&poll, record->at, sizeof(poll));
	assert_int_equal(poll.polls, polls);
	assert_int_equal(poll.ready, ready);
	assert_int_equal(record->start_ns, START + start_ns);
	assert_int_equal(record->end_ns, START + end_ns);
}

/* The stream, event and error of a record are those of its last poll. */
static void expect_last(size_t n, uint64_t stream, uint64_t event,
			uint16_t error)
{
	struct xs_rec_pollcall poll;

	memcpy(&poll, records_get(&r, XS_REC_pollcall, n)->at, sizeof(poll));
	assert_true(poll.stream == stream);
	assert_true(poll.event == event);
	assert_int_equal(poll.error, error);
}

TEST(a_loop_is_one_record)
{
	for (uint64_t i = 0; i < 1000; i++)
		ask(1 + (i & 1), i * 2000, i == 999);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_pollcall), 1);
	assert_int_equal(records_get(&r, XS_REC_pollcall, 0)->place, 1);
	expect(0, 1000, 1, 0, 999 * 2000 + 1000);
	expect_last(0, 999 * 2000, 2, 0);
}

TEST(a_pause_ends_the_record)
{
	ask(1, 0, false);
	ask(1, 50 * MS, false);
	ask(1, 200 * MS, true);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_pollcall), 2);
	expect(0, 2, 0, 0, 50 * MS + 1000);
	expect_last(0, 50 * MS, 1, 600);
	expect(1, 1, 1, 200 * MS, 200 * MS + 1000);
}

/* A killed process must not lose much. */
TEST(a_long_loop_has_several_records)
{
	for (uint64_t i = 0; i < 2500; i++)
		ask(1, i * MS, false);
	close_and_read();
	assert_int_equal(records_of(&r, XS_REC_pollcall), 3);
}

RUN_TESTS(open_thread, drop_records)
