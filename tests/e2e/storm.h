/* SPDX-License-Identifier: MIT */
/* How far a program got before it was killed, in a file that both share. */
#ifndef XS_STORM_H
#define XS_STORM_H

#include <stdint.h>

#define STORM_THREADS	  4
#define STORM_MOST_ROUNDS 8192
#define STORM_CALLS	  4 /* of a round: copy, launch, copy, wait */

struct storm_thread {
	uint32_t tid;
	uint32_t calls;			  /* that have returned */
	uint32_t rounds;		  /* that the GPU is done with */
	uint64_t done[STORM_MOST_ROUNDS]; /* when, CLOCK_REALTIME ns */
};

struct storm_progress {
	struct storm_thread threads[STORM_THREADS];
};

#endif
