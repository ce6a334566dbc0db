/* SPDX-License-Identifier: MIT */
/* The progress of a program before it was killed, in a shared file. */
#pragma once

#include <stdint.h>

#define STORM_THREADS	  4
#define STORM_MOST_ROUNDS 8192

struct storm_thread {
	uint32_t tid;
	uint32_t calls;			  /* calls that have returned */
	uint32_t rounds;		  /* rounds that the GPU has finished */
	uint64_t done[STORM_MOST_ROUNDS]; /* their ends, CLOCK_REALTIME ns */
};

struct storm_progress {
	uint64_t flushed_ns; /* start of CUPTI's last flush; CLOCK_REALTIME */
	struct storm_thread threads[STORM_THREADS];
};
