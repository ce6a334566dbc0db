/* SPDX-License-Identifier: MIT */
/* Clocks. Calls are stamped with CLOCK_REALTIME because CUPTI stamps GPU
 * records with it by default: no conversion, no drift between the two. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Returns the time of a clock in nanoseconds. */
static inline uint64_t xs_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t xs_clock_monotonic_ns(void)
{
	return xs_clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t xs_clock_realtime_ns(void)
{
	return xs_clock_ns(CLOCK_REALTIME);
}
