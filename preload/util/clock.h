/* SPDX-License-Identifier: MIT */
/* CLOCK_REALTIME is what CUPTI stamps GPU records with by default, so calls
 * are stamped with it too: no conversion, no drift between the two. */
#ifndef XS_PRELOAD_UTIL_CLOCK_H
#define XS_PRELOAD_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t xs_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t xs_clock_realtime_ns(void)
{
	return xs_clock_ns(CLOCK_REALTIME);
}

#endif
