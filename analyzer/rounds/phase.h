/* SPDX-License-Identifier: MIT */
/*
 * Rounds and phases: the input of the model.
 *
 * A round consists of host-to-device copies, kernels and device-to-host copies
 * up to the host's synchronisation (Carroll and Wong 2017, section III). Where
 * a program already overlaps them, everything between two synchronisations of
 * host and device is one round with several chunks. A phase groups rounds of
 * equal signature: the same call sites, kernels, and sizes within a tolerance.
 *
 * model/ includes no other header of analyzer/.
 */
#pragma once

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
	XS_STEP_ALLOCATE, /* memory or a stream is made, or memory pinned */
	XS_STEP_FREE,	  /* ... and its end */
	XS_STEP_HOST,	  /* any other call */
	XS_STEP_KINDS
};

/*
 * Hardware counters of one launch of a kernel; NAN: not counted. Sectors (32
 * bytes) and requests are those between SMs and L2, so they missed the SM's L1
 * cache. The host_ fields count the part that accessed host memory.
 */
struct xs_counts {
	double sectors_read, sectors_written;
	double requests_read, requests_written;
	double host_sectors_read, host_sectors_written;
	double instructions; /* warp instructions */
	double l1_fills;     /* sectors that reads bring into the L1 */
	/* of all warps on the SMs, and waiting for reads */
	double waiting_cycles, warp_cycles;
	/* instructions of warps, and the sectors that each touches */
	double stores, store_sectors;
};

/*
 * Host-to-device copies whose contents were hashed and compared with earlier
 * copies, over all rounds of a phase. same: they brought the same bytes as the
 * last copy to that device memory, or as a copy that went out to the same host
 * memory; back: the latter only.
 */
struct xs_repeat_counts {
	uint64_t compared, same, back;
	bool sampled; /* only samples of the bytes were hashed */
};

/* What a kernel's parameters can hold: copies of no more bytes are arguments,
 * not data. */
#define XS_ARGUMENT_BYTES 4096

/* A copy of no more bytes is a value, such as a sum or what a runtime of OpenMP
 * passes to a kernel. */
#define XS_VALUE_BYTES 64

/* A round of more steps has none, so nothing is predicted for it. An estimate
 * replays all steps for each cause of its error, in 10 us and 500 bytes a step.
 */
#define XS_STEPS_MOST 400000

/*
 * One step of a round, in the order of issue. Times are ns after the start of
 * the round; GPU times of a step without an op are 0. If one call has several
 * ops (a graph, a copy in parts), only the first has the call's times: the
 * others have call_ns equal to return_ns, since they cost the host nothing
 * more.
 */
struct xs_step {
	uint8_t kind;			/* enum xs_step_kind */
	uint8_t src_memory, dst_memory; /* enum xs_memory; dst also of calls
					 * that allocate or free */
	bool blocking; /* the call returned after the op had ended */
	bool async;    /* issued by an asynchronous call, which may still
			* block with pageable memory */
	bool peer;     /* D2D: between two devices */
	bool staged_in, staged_out; /* D2D: the part of a copy between devices
				     * through the host, into or out of this one
				     */
	uint32_t queue;		    /* index into the trace's queues; XS_NONE */
	uint32_t thread;	    /* 0: unknown */
	uint32_t site;		    /* index into the trace's sites; XS_NONE */
	uint32_t shape;		    /* kernels; else XS_NONE */
	uint64_t bytes;		    /* copies, sets, allocations */
	uint64_t blocks;	    /* kernels: blocks of the grid */
	uint32_t block_threads;	    /* kernels */
	uint32_t registers;	    /* kernels: per thread */
	uint32_t shared_bytes;	    /* kernels: per block, static and dynamic */
	const struct xs_counts *counts; /* kernels; NULL: unknown; owned by
					 * struct xs_phases */
	uint64_t event;			/* handle for record, wait and
					 * synchronise */
	bool same_host;	  /* copies: every round of the phase copies this range
			   * of host memory, too */
	bool staged;	  /* copies to the device: xs_copy_is_staged() */
	uint32_t partner; /* if the phase's flow is known, a step of the round:
			   * the first that may need this copy in, or the last
			   * that this copy out may need; XS_NONE: none */
	/* Kernels, if the phase's flow is known: bytes of the memory that they
	 * are given which the round copies in, and out. */
	uint64_t given_in_bytes, given_out_bytes;
	bool given_known;	     /* what memory the kernel is given */
	bool has_pointers;	     /* xs_trace_has_pointers() of its call */
	uint64_t given_other_bytes;  /* of memory of which nothing is copied */
	bool src_starts, dst_starts; /* copies: the memory is the start of
				      * allocated or registered memory */
	uint64_t dst, src; /* copies: addresses; dst also of what is allocated
			    * or freed; 0: unknown */
	uint64_t call_ns, return_ns; /* host times; both 0 when the call is
				      * unknown */
	uint64_t hash_ns;	     /* part of the time between the thread's
				      * call before and this one, in which
				      * xferspy hashed what was copied */
	uint64_t start_ns, end_ns;   /* GPU times */
	struct xs_repeat_counts repeats; /* host-to-device copies: of all
					  * copies of its site */
};

/* Whether the step is a call that waits on the host. */
static inline bool xs_step_is_wait(const struct xs_step *step)
{
	return step->kind >= XS_STEP_SYNC_DEVICE &&
	       step->kind <= XS_STEP_SYNC_EVENT;
}

/* Whether the step makes or frees something, such as memory. */
static inline bool xs_step_is_allocation(const struct xs_step *step)
{
	return step->kind == XS_STEP_ALLOCATE || step->kind == XS_STEP_FREE;
}

/* Rates at which a host copies from one memory to another, bytes per ns, and
 * how many bytes are worth it. */
#define XS_LEAST_HOST_COPY_RATE	 2
#define XS_MOST_HOST_COPY_RATE	 40
#define XS_LEAST_HOST_COPY_BYTES (1 << 20)

/* Returns whether the time is that of copying the bytes within the host's
 * memory. */
static inline bool xs_is_host_copy(double bytes, double ns)
{
	return bytes >= XS_LEAST_HOST_COPY_BYTES &&
	       bytes >= XS_LEAST_HOST_COPY_RATE * ns &&
	       bytes <= XS_MOST_HOST_COPY_RATE * ns;
}

/* A median and the range of 90 % of the rounds. */
struct xs_spread {
	uint64_t median_ns, p5_ns, p95_ns;
};

/* Whether the step copies between host and device. */
static inline bool xs_step_is_copy(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D || step->kind == XS_STEP_D2H;
}

static inline bool xs_step_is_in(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D;
}

static inline bool xs_step_is_kernel(const struct xs_step *step)
{
	return step->kind == XS_STEP_KERNEL;
}

/* Whether the step's call is known. */
static inline bool xs_step_has_call(const struct xs_step *step)
{
	return step->return_ns > 0;
}

struct xs_phase_site {
	uint32_t site; /* index into the trace's sites */
	uint8_t step_kind;
	uint64_t calls; /* over all rounds of the phase */
	uint64_t bytes;
	struct xs_repeat_counts repeats;
};

/* Hardware queues that streams share: the default for kernels and for each copy
 * engine, and the maximum. */
#define XS_KERNEL_HW_QUEUES 8u
#define XS_COPY_HW_QUEUES   4u
#define XS_HW_QUEUES_MAX    32u

/* The classes of Li et al. 2016 by how tasks depend on each other: a task is
 * copies in, the kernels up to the next copy in, and their copies out. Of
 * several that apply, the last one. */
enum xs_task_class_kind {
	XS_CLASS_UNKNOWN,
	XS_CLASS_INDEPENDENT,	  /* tasks have nothing in common */
	XS_CLASS_FALSE_DEPENDENT, /* they reuse buffers */
	XS_CLASS_SHARED_INPUT,	  /* they share memory that none copies out */
	XS_CLASS_ITERATIVE,	  /* one kernel again and again in each */
	XS_CLASS_TRUE_DEPENDENT,  /* one needs results of another */
};

struct xs_task_class {
	enum xs_task_class_kind kind;
	uint32_t tasks;	   /* looked at */
	uint64_t bytes;	   /* of the memory that decides */
	uint32_t launches; /* of a kernel in a task, each on what the one before
			    * wrote; 1: none does */
	bool returns;	   /* a task copies in what another one copied out */
	bool partly;  /* parts of allocations are copied: what several tasks
		       * use of them is not known */
	bool outside; /* but for memory without a recorded allocation, what
		       * kernels are given is known */
};

/* Rounds of one signature. Byte and op counts are the medians of one round. */
struct xs_phase {
	uint32_t id;	 /* 1, 2, ... by decreasing total_ns */
	char *signature; /* readable, and stable over runs: without addresses;
			  * owned */
	uint64_t signature_hash;
	uint16_t device;
	unsigned kernel_hw_queues,
	    copy_hw_queues; /* number that the program's environment requested,
			     * for copies by engine; 0: the default */
	bool imported; /* recorded by another tool, whose cost is unknown */
	uint64_t rounds;
	uint64_t recorded_rounds; /* the others were only counted */
	uint64_t total_ns;	  /* sum of the times of the rounds */
	uint64_t concurrent_ns; /* part of total_ns in which other rounds ran */
	uint32_t queue; /* of all ops of all rounds, an index into the trace's
			 * queues; XS_NONE: several, or no ops */
	uint32_t copy_queue; /* of all copies in and out of all rounds */
	uint64_t wall_ns;    /* part of the run: while k rounds ran, each has
			      * 1/k of the time; at most what the rounds of the
			      * busiest thread take */
	double at_once; /* its rounds that run at once, on average, in threads
			 * of their own */
	uint64_t first_start_ns, last_end_ns; /* CLOCK_REALTIME */
	uint64_t first_end_ns;		      /* of the first round */

	/* Consecutive rounds that stand for the phase, if possible those whose
	 * launches' pointers are known; 0 if the trace has no pointers. */
	uint32_t sample_rounds;
	size_t sample_ops;
	uint64_t sample_from_ns, sample_to_ns; /* CLOCK_REALTIME */
	bool flow_known; /* the steps' partners are, by xs_phase_flow() */
	struct xs_task_class task_class; /* by xs_phase_flow(), too */
	uint64_t least_ns; /* of a round, if only data orders its copies and
			    * kernels; 0: unknown; by xs_phase_flow(), too */

	uint64_t h2d_bytes, d2h_bytes;
	uint64_t h2d_ops, d2h_ops, kernel_ops;
	uint32_t in_sets; /* destinations that the largest copies in of its
			   * rounds alternate between: 2 is a double buffer;
			   * 0: unknown */
	struct xs_spread round_ns; /* host time: from the first call to the
				    * synchronisation */
	struct xs_spread h2d_ns, d2h_ns, kernel_ns; /* sums of op times */
	struct xs_spread host_ns; /* part of round_ns without a call in progress
				   * or an op running */
	uint64_t beside_ns; /* median time of the host's own code beside ops:
			     * without a call in progress */
	uint64_t behind_ns; /* part of it behind the round's last call */
	struct xs_spread between_ns; /* from the end of a round to the next one
				      * of the phase that directly follows, or
				      * 0 */
	uint64_t mean_between_ns;    /* its mean over all recorded rounds */
	uint64_t host_blocked_ns;    /* median time in blocking copies and
				      * synchronisations */
	uint64_t overlap_ns; /* median time with two or more kinds of op at
			      * once */
	uint8_t src_memory, dst_memory; /* host side of the H2D and D2H copies;
					 * XS_MEM_UNKNOWN when mixed or none */
	uint64_t h2d_buffer_bytes,
	    d2h_buffer_bytes; /* host memory used by the copies of all rounds,
			       * by distinct ranges: the bytes to pin. The bytes
			       * of one round if addresses are unknown. */
	uint64_t h2d_buffers, d2h_buffers; /* ranges of it that are apart; 0 if
					    * addresses are unknown, or without
					    * such copies */
	uint64_t buffer_bytes, buffers;	   /* of both directions, what goes both
					    * ways once */
	uint64_t touched_bytes; /* host memory that the copies of each round
				 * touch first, by page faults: the least of a
				 * round. Memory that is touched once for all
				 * rounds is part of it if there is only one */

	struct xs_step *steps; /* of the round with the median time; owned */
	size_t step_count;
	struct xs_phase_site *sites; /* by decreasing bytes, then calls; those
				      * that allocate or free last; owned
				      */
	size_t site_count;
};

struct xs_phases {
	struct xs_phase *items; /* by decreasing total_ns; owned */
	size_t count;
	uint64_t rounds;
	struct xs_shape_counts *counts; /* by shape of the trace; owned */
	size_t counted_shapes;
};

/* Splits a trace into rounds and phases; one of another tool without calls has
 * none. */
void xs_phases_build(const struct xs_trace *trace, struct xs_phases *phases);
void xs_phases_free(struct xs_phases *phases);

/*
 * Adds hardware counters to the kernels of the phases. `counted` is a trace of
 * the same program with counters, or `trace` itself. Kernels are matched by
 * name, grid and block.
 */
void xs_phases_count(struct xs_phases *phases, const struct xs_trace *trace,
		     const struct xs_trace *counted);

/* Sums the counters of all kernels of a round; NAN if one was not counted. */
void xs_phase_counts(const struct xs_phase *phase, struct xs_counts *sum);
