/* SPDX-License-Identifier: MIT */
/* When a run is recorded, and when it is only counted. */
#include "unit.h"

#include "preload/gates.h"

#include <stdlib.h>

#define SECOND_NS 1000000000u

static struct xs_gates_input at(uint64_t ms)
{
	return (struct xs_gates_input){
	    .elapsed_ns = ms * 1000000u, .calls_left = 1, .in_range = true};
}

static void all_open_without_bounds(void **state)
{
	struct xs_gates gates = {0};
	struct xs_gates_input in = at(0);
	int64_t allowed = 0;

	(void)state;
	in.calls_left = 0;
	assert_true(xs_gates_decide(&gates, &in, &allowed));
	assert_true(allowed == XS_GATES_NO_LIMIT);
	in.in_range = false;
	assert_false(xs_gates_decide(&gates, &in, &allowed));
}

/* Shut by the calls, opened by what is new, and not at once. */
static void light_opens_for_what_is_new(void **state)
{
	struct xs_gates gates = {.light = true, .open = true};
	struct xs_gates_input in = at(100);
	int64_t allowed = 0;

	(void)state;
	assert_true(xs_gates_decide(&gates, &in, &allowed));
	in.calls_left = 0;
	assert_false(xs_gates_decide(&gates, &in, &allowed));
	for (uint64_t ms = 200; ms < 100000; ms += 100) {
		in.elapsed_ns = ms * 1000000u;
		assert_false(xs_gates_decide(&gates, &in, &allowed));
	}
	in.novel = true;
	assert_true(xs_gates_decide(&gates, &in, &allowed));
	assert_int_equal(allowed, XS_GATES_LIGHT_NEXT_CALLS);
	in.novel = false;
	in.calls_left = -5;
	assert_false(xs_gates_decide(&gates, &in, &allowed));
	in.novel = true;
	in.elapsed_ns += SECOND_NS / 10;
	assert_false(xs_gates_decide(&gates, &in, &allowed));
	in.elapsed_ns += SECOND_NS;
	assert_true(xs_gates_decide(&gates, &in, &allowed));
}

/* What the first window was not used up by is there when the range begins. */
static void light_begins_with_the_range(void **state)
{
	struct xs_gates gates = {.light = true};
	struct xs_gates_input in = at(100);
	int64_t allowed = 0;

	(void)state;
	in.in_range = false;
	in.calls_left = XS_GATES_LIGHT_FIRST_CALLS;
	assert_false(xs_gates_decide(&gates, &in, &allowed));
	in.in_range = true;
	assert_true(xs_gates_decide(&gates, &in, &allowed));
	assert_int_equal(allowed, XS_GATES_LIGHT_FIRST_CALLS);
}

/* Two weeks at bytes_per_s while open: what the trace grows to, in how many
 * windows. */
static uint64_t long_run(double bytes_per_s, uint64_t max_bytes,
			 unsigned *windows)
{
	const uint64_t step_ns = 200000000u, end_ns = 1209600ull * SECOND_NS;
	struct xs_gates gates = {.max_bytes = max_bytes, .open = true};
	struct xs_gates_input in = at(0);
	double used = 4096;
	int64_t allowed;

	*windows = 1;
	for (; in.elapsed_ns < end_ns; in.elapsed_ns += step_ns) {
		bool was_open = gates.open;

		in.used_bytes = (uint64_t)used;
		if (xs_gates_decide(&gates, &in, &allowed)) {
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

/* A run that stays small is recorded whole. */
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
	    cmocka_unit_test(light_begins_with_the_range),
	    cmocka_unit_test(two_weeks_stay_within_the_bound),
	    cmocka_unit_test(small_run_is_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
