/* SPDX-License-Identifier: MIT */
/* Tests when a run is recorded and when it is only counted. */
#include "unit.h"

#include "preload/sampling/sampling_policy.h"

#include <stdlib.h>

#define SECOND_NS 1000000000u

static struct xs_sampling_input at(uint64_t ms)
{
	return (struct xs_sampling_input){.elapsed_ns = ms * 1000000u,
					  .in_range = true};
}

static void all_open_without_bounds(void **state)
{
	struct xs_sampling_policy policy = {0};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	(void)state;
	in.taken_calls = 1000000;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until == XS_CAPTURE_MODE_NO_LIMIT);
	in.in_range = false;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
}

/* The window closes after a number of calls and opens for new kinds of calls,
 * but not at once. */
static void light_opens_for_what_is_new(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_int_equal(until, XS_SAMPLING_LIGHT_FIRST_CALLS);
	in.taken_calls = until - 1;
	in.elapsed_ns = SECOND_NS / 10;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	in.taken_calls++;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	in.unseen = true;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	in.elapsed_ns += SECOND_NS;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_int_equal(until, in.taken_calls + XS_SAMPLING_LIGHT_NEXT_CALLS);
}

/* Times may change when nothing else does: some dozens of short windows in an
 * hour, none in the first second, at least half a second apart. */
static void light_looks_again_now_and_then(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	unsigned windows = 0;
	uint64_t until, last_ms = 0;

	(void)state;
	for (uint64_t ms = 0; ms < 3600000; ms += 100) {
		bool was_open = policy.open;

		in.elapsed_ns = ms * 1000000u;
		if (!xs_sampling_policy_decide(&policy, &in, &until))
			continue;
		if (ms > 0 && !was_open) {
			assert_true(ms >= 1000 && ms >= last_ms + 500);
			last_ms = ms;
			assert_int_equal(until,
					 in.taken_calls +
					     XS_SAMPLING_LIGHT_PERIODIC_CALLS);
			windows++;
		}
		in.taken_calls = until;
	}
	assert_true(windows > 30);
	assert_true(windows < 100);
}

/* For a program that only launches: until its call rate is lower, or another
 * window is due for another reason. */
static void light_leaves_alone_what_rushes(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;
	unsigned ms = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	in.taken_calls = until;
	for (; ms < 60000; ms += 100) {
		in.elapsed_ns = ms * 1000000ull;
		in.counted_calls = ms * 300ull;
		assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	}
	for (; ms < 120000 && !xs_sampling_policy_decide(&policy, &in, &until);
	     ms += 100) {
		in.elapsed_ns = ms * 1000000ull;
		in.counted_calls += 1000;
	}
	assert_in_range(ms, 60000, 80000);
	assert_int_equal(until,
			 in.taken_calls + XS_SAMPLING_LIGHT_PERIODIC_CALLS);
	in.taken_calls = until;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	for (; ms < 180000 && !xs_sampling_policy_decide(&policy, &in, &until);
	     ms += 100) {
		in.elapsed_ns = ms * 1000000ull;
		in.counted_calls += 30000;
	}
	assert_true(ms < 100000);
}

/* CUPTI is detached and attached anew for each window, so no window leaves a
 * cost behind. */
static void light_looks_at_what_rushes_where_it_is_detached(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;
	unsigned windows = 0, before_ms = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_false(xs_sampling_policy_is_high_rate(&policy, &in));
	in.taken_calls = until;
	for (unsigned ms = 0; ms < 200000; ms += 10) {
		in.elapsed_ns = ms * 1000000ull;
		in.counted_calls = ms * 300ull;
		if (xs_sampling_policy_decide(&policy, &in, &until)) {
			windows++;
			assert_true(ms >= before_ms + 8000);
			assert_true(ms <= before_ms + 8100 ||
				    ms <= before_ms + ms / 10 + 100);
			before_ms = ms;
			assert_false(
			    xs_sampling_policy_is_high_rate(&policy, &in));
			in.taken_calls = until;
			in.detached = false;
		} else if (xs_sampling_policy_is_high_rate(&policy, &in)) {
			in.detached = true;
		}
	}
	assert_in_range(windows, 17, 20);
	in.counted_calls += 1000;
	in.elapsed_ns += SECOND_NS;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	xs_sampling_policy_end_light(&policy);
	in.elapsed_ns += 10ull * SECOND_NS;
	in.unseen = true;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
}

/* The call rate at a window's end is measured in the window, if it is long
 * enough. */
static void light_knows_at_once_what_rushed(void **state)
{
	static const struct {
		unsigned calls_per_ms, slow_ms;
		bool high_rate;
	} runs[] = {{200, 0, true},
		    {200, 500, true},
		    {60, 0, false},
		    {1000, 0, false},
		    {1000, 500, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct xs_sampling_policy policy = {.light = true};
		struct xs_sampling_input in = at(0);
		uint64_t until = 0, ms = 0;

		while (xs_sampling_policy_decide(&policy, &in, &until)) {
			ms++;
			in.elapsed_ns = ms * 1000000;
			if (ms > runs[i].slow_ms)
				in.taken_calls += runs[i].calls_per_ms;
		}
		assert_int_equal(xs_sampling_policy_is_high_rate(&policy, &in),
				 runs[i].high_rate);
		in.elapsed_ns += 20000000;
		in.counted_calls += 20ull * runs[i].calls_per_ms;
		assert_false(xs_sampling_policy_decide(&policy, &in, &until));
		assert_int_equal(xs_sampling_policy_is_high_rate(&policy, &in),
				 runs[i].calls_per_ms > 80);
	}
}

/* Calls wait while CUPTI is attached: that time is not part of the call
 * rate. */
static void light_leaves_out_of_the_rate_what_attaching_takes(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	in.taken_calls = until;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	in.detached = true;
	do {
		in.elapsed_ns += 10000000;
		in.counted_calls += 900;
	} while (!xs_sampling_policy_decide(&policy, &in, &until));
	in.detached = false;
	in.elapsed_ns += 40000000;
	in.taken_calls = until;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	assert_false(xs_sampling_policy_is_high_rate(&policy, &in));
	in.elapsed_ns += 20000000;
	in.counted_calls += 1800;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(xs_sampling_policy_is_high_rate(&policy, &in));
}

/* Attaching and detaching CUPTI takes as long for slow calls, but their
 * behaviour has to be recorded. */
static void light_seldom_attaches(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;
	unsigned windows = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	in.taken_calls = until;
	for (unsigned ms = 10; ms < 30000; ms += 10) {
		in.elapsed_ns = ms * 1000000ull;
		in.counted_calls += 10;
		in.detached = true;
		if (xs_sampling_policy_decide(&policy, &in, &until)) {
			assert_true(windows < 2 || ms >= 2000);
			windows++;
			in.taken_calls = until;
		}
	}
	assert_in_range(windows, 5, 7);
}

/* The unused part of the first window is available when the range starts. */
static void light_begins_with_the_range(void **state)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(100);
	uint64_t until = 0;

	(void)state;
	in.in_range = false;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	in.in_range = true;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_int_equal(until, XS_SAMPLING_LIGHT_FIRST_CALLS);
}

/* Threads that fill the file before the next decision stop by themselves, and
 * leave space for their ops. */
static void size_ends_by_calls(void **state)
{
	struct xs_sampling_policy policy = {.max_bytes = 2u << 20};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	(void)state;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until > 10000);
	assert_true(until * 64 < 1u << 20);
	in.used_bytes = 300000;
	in.taken_calls = until - 1;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until > in.taken_calls + 8000);
	in.used_bytes = 600000;
	in.taken_calls = until;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
}

/* Simulates two weeks at bytes_per_s while open: returns the trace's size and
 * the number of windows. */
static uint64_t long_run(double bytes_per_s, uint64_t max_bytes,
			 unsigned *windows)
{
	const uint64_t step_ns = 200000000u, end_ns = 1209600ull * SECOND_NS;
	struct xs_sampling_policy policy = {.max_bytes = max_bytes};
	struct xs_sampling_input in = at(0);
	double used = 4096;
	uint64_t until;

	*windows = 0;
	for (; in.elapsed_ns < end_ns; in.elapsed_ns += step_ns) {
		bool was_open = policy.open;

		in.used_bytes = (uint64_t)used;
		if (xs_sampling_policy_decide(&policy, &in, &until)) {
			used += bytes_per_s * step_ns / SECOND_NS;
			*windows += !was_open;
		}
	}
	return (uint64_t)used;
}

static void two_weeks_stay_within_the_bound(void **state)
{
	static const double rates[] = {1e3, 1e5, 1e6};
	const uint64_t most = 64u << 20;
	unsigned windows;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		uint64_t used = long_run(rates[i], most, &windows);

		assert_true(used > most / 2);
		assert_true(used < most);
		assert_true(windows > 20);
		assert_true(windows < 200);
	}
}

/* A small run is recorded completely. */
static void small_run_is_whole(void **state)
{
	unsigned windows;

	(void)state;
	long_run(20, 64u << 20, &windows);
	assert_int_equal(windows, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_open_without_bounds),
	    cmocka_unit_test(light_opens_for_what_is_new),
	    cmocka_unit_test(light_looks_again_now_and_then),
	    cmocka_unit_test(light_leaves_alone_what_rushes),
	    cmocka_unit_test(light_looks_at_what_rushes_where_it_is_detached),
	    cmocka_unit_test(light_knows_at_once_what_rushed),
	    cmocka_unit_test(light_leaves_out_of_the_rate_what_attaching_takes),
	    cmocka_unit_test(light_seldom_attaches),
	    cmocka_unit_test(light_begins_with_the_range),
	    cmocka_unit_test(size_ends_by_calls),
	    cmocka_unit_test(two_weeks_stay_within_the_bound),
	    cmocka_unit_test(small_run_is_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
