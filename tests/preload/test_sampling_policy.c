/* SPDX-License-Identifier: MIT */
/* Tests when a run is recorded and when it is only counted. */
#include "tests/unit.h"

#include "preload/sampling/sampling_policy.h"

#define SECOND_NS 1000000000u

static struct xs_sampling_input at(uint64_t ms)
{
	return (struct xs_sampling_input){.elapsed_ns = ms * 1000000u,
					  .in_range = true};
}

TEST(all_open_without_bounds)
{
	struct xs_sampling_policy policy = {0};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	in.taken_calls = 1000000;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until == XS_CAPTURE_MODE_NO_LIMIT);
	in.in_range = false;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
}

/* Returns whether calls are still recorded after `taken` of them, if the last
 * new kind was among the first `new_kind`. */
static bool records(struct xs_sampling_policy *policy, uint64_t taken,
		    uint64_t new_kind)
{
	struct xs_sampling_input in = at(taken / 100);
	uint64_t until = 0;

	in.taken_calls = taken;
	in.new_kind_calls = new_kind;
	return xs_sampling_policy_decide(policy, &in, &until);
}

TEST(light_records_enough_calls)
{
	struct xs_sampling_policy policy = {.light = true};

	assert_true(records(&policy, 0, 0));
	assert_true(records(&policy, XS_SAMPLING_LIGHT_LEAST_CALLS - 1, 10));
	assert_false(records(&policy, XS_SAMPLING_LIGHT_LEAST_CALLS, 10));
}

/* After a new kind as many calls again are recorded. */
TEST(light_records_until_nothing_new_comes)
{
	struct xs_sampling_policy policy = {.light = true};

	assert_true(records(&policy, 9000, 8000));
	assert_true(records(&policy, 15999, 8000));
	assert_true(records(&policy, 16000, 15990));
	assert_true(records(&policy, 31979, 15990));
	assert_false(records(&policy, 31980, 15990));
}

/* Ends even if new kinds never end. */
TEST(light_ends)
{
	const uint64_t most = XS_SAMPLING_LIGHT_MOST_CALLS;
	struct xs_sampling_policy policy = {.light = true};

	for (uint64_t taken = 0; taken < most; taken += 1000)
		assert_true(records(&policy, taken, taken));
	assert_false(records(&policy, most, most));
}

/* Permanently, whatever comes later. */
TEST(light_ends_for_good)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(0);
	uint64_t until;

	assert_false(records(&policy, 20000, 100));
	in.taken_calls = in.new_kind_calls = 20000;
	in.unseen = true;
	for (; in.elapsed_ns < 3600ull * SECOND_NS; in.elapsed_ns += SECOND_NS)
		assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(policy.light_over);
}

/* Only calls recorded in the range count, and hooks continue. */
TEST(light_begins_with_the_range)
{
	struct xs_sampling_policy policy = {.light = true};
	struct xs_sampling_input in = at(100);
	uint64_t until = 0;

	in.in_range = false;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	in.in_range = true;
	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until == XS_CAPTURE_MODE_NO_LIMIT);
	assert_false(policy.light_over);
}

/* A limit of the trace holds in light mode, too. */
TEST(light_keeps_within_the_bound)
{
	struct xs_sampling_policy policy = {.light = true,
					    .max_bytes = 2u << 20};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

	assert_true(xs_sampling_policy_decide(&policy, &in, &until));
	assert_true(until * 64 < 1u << 20);
	in.used_bytes = 1u << 20;
	in.taken_calls = in.new_kind_calls = 5000;
	assert_false(xs_sampling_policy_decide(&policy, &in, &until));
	assert_false(policy.light_over);
}

/* Threads that fill the file before the next decision stop by themselves, and
 * leave space for their ops. */
TEST(size_ends_by_calls)
{
	struct xs_sampling_policy policy = {.max_bytes = 2u << 20};
	struct xs_sampling_input in = at(0);
	uint64_t until = 0;

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

TEST(two_weeks_stay_within_the_bound)
{
	static const double rates[] = {1e3, 1e5, 1e6};
	const uint64_t most = 64u << 20;
	unsigned windows;

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		uint64_t used = long_run(rates[i], most, &windows);

		assert_true(used > most / 2);
		assert_true(used < most);
		assert_true(windows > 20);
		assert_true(windows < 200);
	}
}

/* A small run is recorded completely. */
TEST(small_run_is_whole)
{
	unsigned windows;

	long_run(20, 64u << 20, &windows);
	assert_int_equal(windows, 1);
}
