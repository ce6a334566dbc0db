/* SPDX-License-Identifier: MIT */
/* Converts CUPTI's times if another profiler has set CUPTI's clock. */
#include "tests/unit.h"

#include "preload/cupti/cupti_clock.h"
#include "preload/util/clock.h"

#define START_NS   1795262540000000000u
#define START_TICK 655000000000u
#define SECOND_NS  1000000000u
#define HOUR_NS	   3600000000000u

/* 2.1 ticks per ns. */
static struct xs_clock_pair at(uint64_t ns)
{
	return (struct xs_clock_pair){START_TICK + ns / 10 * 21, START_NS + ns};
}

static struct xs_clock_line line_of(uint64_t ns)
{
	struct xs_clock_line line;

	xs_clock_line_begin(&line, at(0));
	assert_true(xs_clock_line_add(&line, at(ns)));
	return line;
}

static void assert_near(uint64_t got, uint64_t want, uint64_t most)
{
	assert_in_range(got, want - most, want + most);
}

TEST(other_origin_and_rate)
{
	struct xs_clock_line line = line_of(2 * SECOND_NS);

	for (uint64_t ns = 0; ns < 4 * SECOND_NS; ns += 12345670)
		assert_near(xs_clock_line_ns(&line, at(ns).ticks),
			    START_NS + ns, 1);
	/* started before the clock was set */
	assert_near(xs_clock_line_ns(&line, START_TICK - 21000),
		    START_NS - 10000, 1);
}

TEST(earlier_times_stay)
{
	struct xs_clock_line line = line_of(2 * SECOND_NS);

	assert_int_equal(xs_clock_line_ns(&line, START_NS - 5 * SECOND_NS),
			 START_NS - 5 * SECOND_NS);
	assert_int_equal(xs_clock_line_ns(&line, START_NS + SECOND_NS),
			 START_NS + SECOND_NS);
}

TEST(zero_time_stays_zero)
{
	struct xs_clock_line line = line_of(2 * SECOND_NS);

	assert_int_equal(xs_clock_line_ns(&line, 0), 0);
	assert_int_equal(xs_clock_line_ns(&line, START_NS - 2 * HOUR_NS), 0);
	assert_int_equal(xs_clock_line_ns(&line, START_NS / 2), 0);
	assert_int_equal(
	    xs_clock_line_ns(&line, START_TICK + 2 * HOUR_NS / 10 * 21), 0);
	/* also for a clock that starts at 0 */
	xs_clock_line_begin(&line, (struct xs_clock_pair){0, START_NS});
	assert_true(xs_clock_line_add(
	    &line, (struct xs_clock_pair){SECOND_NS, START_NS + SECOND_NS}));
	assert_int_equal(xs_clock_line_ns(&line, 0), 0);
	assert_int_equal(xs_clock_line_ns(&line, 5), START_NS + 5);
}

/* A clock with the same rate, 37 s ahead, is not mistaken for ours. */
TEST(clock_with_an_offset)
{
	const uint64_t ahead_ns = 37 * (uint64_t)SECOND_NS;
	struct xs_clock_line line;

	xs_clock_line_begin(
	    &line, (struct xs_clock_pair){START_NS + ahead_ns, START_NS});
	for (uint64_t ns = SECOND_NS; ns < 100 * (uint64_t)SECOND_NS;
	     ns += SECOND_NS) {
		const uint64_t now_ns = START_NS + ns;

		assert_true(xs_clock_line_add(
		    &line, (struct xs_clock_pair){now_ns + ahead_ns, now_ns}));
		assert_near(xs_clock_line_ns(&line, now_ns + ahead_ns - 100),
			    now_ns - 100, 1);
	}
	assert_int_equal(xs_clock_line_ns(&line, START_NS - SECOND_NS),
			 START_NS - SECOND_NS);
	xs_clock_line_begin(&line, (struct xs_clock_pair){START_NS, START_NS});
	assert_true(xs_clock_line_add(
	    &line, (struct xs_clock_pair){START_NS + SECOND_NS,
					  START_NS + SECOND_NS}));
	assert_near(xs_clock_line_ns(&line, START_NS + 77), START_NS + 77, 1);
}

TEST(short_baseline_is_ignored)
{
	struct xs_clock_line line;

	xs_clock_line_begin(&line, at(0));
	assert_false(xs_clock_line_add(&line, at(0)));
	assert_false(xs_clock_line_add(&line, at(XS_CLOCK_BASELINE_NS - 1000)));
	assert_int_equal(xs_clock_line_ns(&line, at(500).ticks), 0);
	assert_int_equal(xs_clock_line_ns(&line, START_NS - 1), START_NS - 1);
	assert_true(xs_clock_line_add(&line, at(XS_CLOCK_BASELINE_NS)));
	assert_near(xs_clock_line_ns(&line, at(500).ticks), START_NS + 500, 1);
	/* a clock that does not advance */
	xs_clock_line_begin(&line, (struct xs_clock_pair){5, START_NS});
	assert_false(xs_clock_line_add(
	    &line, (struct xs_clock_pair){5, START_NS + SECOND_NS}));
	assert_int_equal(xs_clock_line_ns(&line, 5), 0);
}

TEST(old_pairs_are_dropped)
{
	struct xs_clock_line line = line_of(2 * SECOND_NS);

	assert_true(xs_clock_line_add(&line, at(SECOND_NS)));
	assert_int_equal(line.last.ns, START_NS + 2 * (uint64_t)SECOND_NS);
}

/* 100 ppm slower, then slower again, like a clock under correction. */
TEST(follows_drift)
{
	struct xs_clock_pair now = at(0);
	struct xs_clock_line line;

	xs_clock_line_begin(&line, now);
	for (int second = 0; second < 1000; second++) {
		const uint64_t ticks = 2100000000u - 210u * (unsigned)second;

		now.ns += SECOND_NS;
		now.ticks += ticks;
		assert_true(xs_clock_line_add(&line, now));
		assert_near(xs_clock_line_ns(&line, now.ticks - ticks / 2),
			    now.ns - SECOND_NS / 2, 2000);
	}
	assert_true(line.kept[0].ns > line.first.ns);
	/* a very late record, from a buffer that was not full */
	assert_near(xs_clock_line_ns(&line, at(5 * (uint64_t)SECOND_NS).ticks),
		    START_NS + 5 * (uint64_t)SECOND_NS, 1000000);
}

/* 500 ppm faster at once, as when a service corrects the time: times before and
 * after the change are both right. */
TEST(follows_a_slew)
{
	struct xs_clock_pair now = at(0), half = now;
	struct xs_clock_line line;

	xs_clock_line_begin(&line, now);
	for (int round = 0; round < 20; round++) {
		now.ns += SECOND_NS / 5;
		now.ticks += 420000000u - (round < 10 ? 0 : 210000u);
		assert_true(xs_clock_line_add(&line, now));
		if (round == 4)
			half = now;
	}
	assert_near(xs_clock_line_ns(&line, half.ticks + 210000000),
		    half.ns + SECOND_NS / 10, 1);
	assert_near(xs_clock_line_ns(&line, now.ticks - 209895000),
		    now.ns - SECOND_NS / 10, 1);
}

/* The system time is set: durations stay the same. */
TEST(restarts_after_a_jump)
{
	const int64_t jumps_ns[] = {-40 * (int64_t)SECOND_NS,
				    40 * (int64_t)SECOND_NS, 200000000};

	for (size_t i = 0; i < sizeof(jumps_ns) / sizeof(*jumps_ns); i++) {
		struct xs_clock_line line = line_of(2 * SECOND_NS);
		struct xs_clock_pair now = at(3 * (uint64_t)SECOND_NS);
		struct xs_clock_pair later = at(4 * (uint64_t)SECOND_NS);

		now.ns += (uint64_t)jumps_ns[i];
		later.ns += (uint64_t)jumps_ns[i];
		assert_false(xs_clock_line_add(&line, now));
		assert_true(xs_clock_line_add(&line, later));
		assert_near(xs_clock_line_ns(&line, later.ticks - 2100000),
			    later.ns - 1000000, 1);
	}
}

static uint64_t shift;

static uint64_t ticks_now(void)
{
	return xs_clock_ns(CLOCK_MONOTONIC) / 10 * 21 + shift;
}

static uint64_t milliseconds_ago(void)
{
	return xs_clock_realtime_ns() - 3000000;
}

/* Within the delay that a busy machine may add between two lines. */
static void assert_is_now(uint64_t stamp)
{
	uint64_t before_ns = xs_clock_realtime_ns();

	xs_cupti_clock_look();
	assert_near(xs_cupti_clock_ns(stamp), before_ns, 100000000);
}

TEST(clock_of_the_process)
{
	const uint64_t early_ns = xs_clock_realtime_ns();

	assert_int_equal(xs_cupti_clock_ns(12345), 12345);
	assert_true(xs_cupti_clock_is(NULL));
	assert_null(xs_cupti_clock_set(ticks_now));
	assert_true(xs_cupti_clock_is(ticks_now));
	assert_is_now(ticks_now());
	assert_int_equal(xs_cupti_clock_ns(early_ns), early_ns);

	/* its origin changes, with the same callback */
	shift = (uint64_t)HOUR_NS * 100;
	assert_is_now(ticks_now());

	assert_ptr_equal(xs_cupti_clock_set(milliseconds_ago), ticks_now);
	assert_false(xs_cupti_clock_is(ticks_now));
	uint64_t stamp = milliseconds_ago();
	xs_cupti_clock_look();
	assert_near(xs_cupti_clock_ns(stamp), stamp + 3000000, 1000000);

	assert_ptr_equal(xs_cupti_clock_set(NULL), milliseconds_ago);
	assert_int_equal(xs_cupti_clock_ns(12345), 12345);
}
