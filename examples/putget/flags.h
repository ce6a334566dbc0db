/* SPDX-License-Identifier: MIT */
/* Flags that a kernel polls or sets. Every poll has a deadline. */
#ifndef XS_EXAMPLES_PUTGET_FLAGS_H
#define XS_EXAMPLES_PUTGET_FLAGS_H

#include "../measure.h"
#include "ends.h"

#define GPU_DEADLINE_NS	 2000000000ULL
#define HOST_DEADLINE_NS 3e9
#define POLLS_A_DEADLINE 256 /* polls between two looks at the clock */

static __device__ inline unsigned load_flag(const unsigned *flag)
{
	unsigned value;

	asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
		     : "=r"(value)
		     : "l"(flag)
		     : "memory");
	return value;
}

static __device__ inline void store_flag(unsigned *flag, unsigned value)
{
	asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag),
		     "r"(value)
		     : "memory");
}

static __device__ inline unsigned long long gpu_ns()
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

/* Returns false after the deadline, and sets *late. */
static __device__ inline bool wait_for(const unsigned *flag, unsigned value,
				       unsigned *late)
{
	const unsigned long long start = gpu_ns();

	for (unsigned polls = 1;; polls++) {
		if (load_flag(flag) >= value)
			return true;
		if (polls % POLLS_A_DEADLINE == 0 &&
		    gpu_ns() - start > GPU_DEADLINE_NS) {
			store_flag(late, 1);
			return false;
		}
	}
}

#endif
