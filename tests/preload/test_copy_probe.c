/* SPDX-License-Identifier: MIT */
/* The time of hashing: of a clock that is not set back, and without a wrap. */
#include "tests/unit.h"

#include "preload/api/arguments.h"
#include "preload/record/copy_probe.h"

#include <time.h>

static time_t step_s; /* from one reading of the clock to the next */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	static time_t monotonic_s = 1000, realtime_s = 1000000;

	monotonic_s += step_s;
	realtime_s--; /* somebody sets it back */
	*now = (struct timespec){
	    .tv_sec = clock == CLOCK_MONOTONIC ? monotonic_s : realtime_s};
	return 0;
}

/* Returns the time that hashing takes if the clock reads seconds more at its
 * end. */
static uint32_t hash_ns(time_t seconds)
{
	char from[64] = "content", to[64];
	const struct xs_args_cudaMemcpy copy = {.dst = to,
						.src = from,
						.count = sizeof(from),
						.kind = cudaMemcpyHostToDevice};
	struct xs_copy_probe probe = {0};

	step_s = seconds;
	atomic_store(&xs_hash_mode, XS_HASH_FULL);
	xs_copy_probe_begin(&probe, XS_FN_cudaMemcpy, &copy);
	assert_int_equal(probe.hashed_bytes, sizeof(from));
	return probe.hash_ns;
}

TEST(hashing_has_its_time)
{
	assert_int_equal(hash_ns(0), 0);
	assert_int_equal(hash_ns(2), 2000000000u);
}

TEST(long_hashing_does_not_wrap)
{
	assert_int_equal(hash_ns(5), UINT32_MAX);
}
