/* SPDX-License-Identifier: MIT */
/*
 * Rounds and phases: what the model works on.
 *
 * A round is host-to-device copies, kernels, device-to-host copies, up to the
 * host's synchronisation (Carroll and Wong 2017, section III). Where a
 * program already overlaps, all between two points where host and device meet
 * is one round with several chunks. Rounds of equal signature (call sites,
 * kernels, sizes within a tolerance) are one phase.
 *
 * This header is the whole of what model/ knows about a run: no trace, no
 * files.
 */
#ifndef XS_ANALYZER_ROUNDS_PHASE_H
#define XS_ANALYZER_ROUNDS_PHASE_H

#include "analyzer/read/trace.h"

enum xs_step_kind {
	XS_STEP_H2D,
	XS_STEP_D2H,
	XS_STEP_D2D,
	XS_STEP_H2H,
	XS_STEP_SET,
	XS_STEP_KERNEL,
	XS_STEP_SYNC_DEVICE, /* from here on: calls without an op */
	XS_STEP_SYNC_STREAM,
	XS_STEP_SYNC_EVENT,
	XS_STEP_EVENT_RECORD,
	XS_STEP_STREAM_WAIT,
	XS_STEP_HOST, /* any other call: allocation, free, ... */
	XS_STEP_KINDS
};

/*
 * What one launch of a kernel does, as counted; NAN: not counted. Sectors (32
 * bytes) and requests are from the SMs to the L2: reads and writes that the
 * cache of the SM did not have. The host_ ones of them were of host memory.
 */
struct xs_counts {
	double sectors_read, sectors_written;
	double requests_read, requests_written;
	double host_sectors_read, host_sectors_written;
	double instructions; /* of warps */
};

/*
 * Copies in whose contents were hashed and could be compared with what was
 * copied before, over all rounds of a phase, and how many of them brought the
 * same bytes: as the last copy in to the same device memory, or as had been
 * copied out to the same host memory (back).
 */
struct xs_repeat_counts {
	uint64_t compared, same, back;
	bool sampled; /* samples of the bytes were compared, not all */
};

/*
 * One step of a round, in the order that the host issued them. Times are ns
 * after the round's start; a GPU time of a step without an op is 0. Of
 * several ops of one call (a graph, a copy in parts) the first has the call's
 * times; for the others call_ns is return_ns, for they cost the host no more.
 */
struct xs_step {
	uint8_t kind;			/* enum xs_step_kind */
	uint8_t src_memory, dst_memory; /* enum xs_memory */
	bool blocking;	 /* the call returned after the op was done */
	bool async;	 /* asked for by an asynchronous call; with
			  * pageable memory it may block all the same */
	uint32_t queue;	 /* index into the trace's queues; XS_NONE */
	uint32_t thread; /* 0: unknown */
	uint32_t site;	 /* index into the trace's sites; XS_NONE */
	uint32_t shape;	 /* kernels; else XS_NONE */
	uint64_t bytes;	 /* copies and sets */
	uint64_t blocks; /* kernels: blocks of the grid */
	uint32_t block_threads, block_x; /* kernels */
	uint32_t registers;		 /* kernels, a thread */
	uint32_t shared_bytes; /* kernels, a block, static and dynamic */
	const struct xs_counts *counts; /* kernels; NULL: not known; owned by
					 * the phases */
	uint64_t event;			/* record, wait, sync: handle */
	uint64_t dst, src;		/* copies: addresses, 0 unknown */
	uint64_t call_ns, return_ns; /* host; both 0 when the call is unknown */
	uint64_t start_ns, end_ns;   /* GPU */
	struct xs_repeat_counts sameness; /* copies in: of all from its site */
};

/* A median with the range that holds 90 % of the rounds. */
struct xs_spread {
	uint64_t median_ns, p5_ns, p95_ns;
};

struct xs_phase_site {
	uint32_t site; /* index into the trace's sites */
	uint8_t step_kind;
	uint64_t calls; /* over all rounds of the phase */
	uint64_t bytes;
	struct xs_repeat_counts sameness;
};

/* Hardware queues (lanes) that streams share: of kernels and of each copy
 * engine by default, and at most. */
#define XS_KERNEL_HW_QUEUES 8u
#define XS_COPY_HW_QUEUES   4u
#define XS_HW_QUEUES_MAX    32u

/* Rounds of one signature. Byte and op counts are of one round (median). */
struct xs_phase {
	uint32_t id;	 /* 1, 2, ... by time spent, the largest first */
	char *signature; /* for people and for diff: stable over runs, without
			  * addresses; owned */
	uint64_t signature_hash;
	uint16_t device;
	unsigned kernel_hw_queues,
	    copy_hw_queues; /* that the program's environment
			     * asked for, those of copies for
			     * each engine; 0: the default */
	uint64_t rounds;
	uint64_t total_ns;	/* sum of the rounds' times */
	uint64_t concurrent_ns; /* part of total_ns: other rounds ran, too */
	uint64_t first_start_ns, last_end_ns; /* CLOCK_REALTIME */

	uint64_t h2d_bytes, d2h_bytes;
	uint64_t h2d_ops, d2h_ops, kernel_ops;
	struct xs_spread round_ns; /* host: first call to the meeting point */
	struct xs_spread h2d_ns, d2h_ns, kernel_ns; /* sums of op times */
	struct xs_spread host_ns; /* part of round_ns with no call in progress
				   * and no op running */
	uint64_t host_blocked_ns; /* median: in blocking copies and syncs */
	uint64_t overlap_ns;	  /* median: two or more kinds of op at once */
	uint8_t src_memory, dst_memory; /* host side of the h2d and d2h copies;
					 * XS_MEM_UNKNOWN when mixed or none */
	uint64_t h2d_buffer_bytes,
	    d2h_buffer_bytes; /* host memory that the
			       * copies of all rounds touch, by distinct
			       * ranges; what pinning would lock. When
			       * addresses are unknown: one round's */

	struct xs_step *steps; /* of the round with the median time; owned */
	size_t step_count;
	struct xs_phase_site *sites; /* by bytes, then calls; owned */
	size_t site_count;
};

struct xs_phases {
	struct xs_phase *items; /* owned, largest total_ns first */
	size_t count;
	uint64_t rounds;
	struct xs_counts *counts; /* by shape of the trace; owned */
	size_t counted_shapes;
};

/* Splits a trace into rounds and phases. 0 or -ENOMEM. */
int xs_phases_build(const struct xs_trace *trace, struct xs_phases *phases);
void xs_phases_free(struct xs_phases *phases);

/*
 * Gives the kernels of the phases what `counted` knows of them: a trace of the
 * same program that counted its kernels, or `trace` itself. They go by name,
 * grid and block. 0 or -ENOMEM.
 */
int xs_phases_count(struct xs_phases *phases, const struct xs_trace *trace,
		    const struct xs_trace *counted);

/* Of all kernels of a round together; NAN where one was not counted. */
void xs_phase_counts(const struct xs_phase *phase, struct xs_counts *sum);

#endif
