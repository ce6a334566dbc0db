/* SPDX-License-Identifier: MIT */
/* The amounts of work in one round of a phase, for strategies that rearrange
 * it. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/* Longer chains of kernels are merged to this many stages. */
#define XS_STAGES_MAX 32

/* Loops copy in from, and out to, at most so many buffers in turn: 211 of the
 * 213 and 190 of the 191 in recorded traces that copy at least 1 MiB of
 * pageable memory a round. */
#define XS_MOST_SETS_IN	 4
#define XS_MOST_SETS_OUT 2

/*
 * The kernels at one position of the chain after a copy in: all first kernels
 * of the pieces, all second ones, which may use their results, and so on.
 */
struct xs_kernel_stage {
	double kernel_ns;
	unsigned kernels; /* kernels of a piece: more than one if stages were
			   * merged */
	double blocks;	  /* sum over its kernels */
	uint32_t block_threads, registers, shared_bytes;
	double read_bytes, written_bytes; /* L1 misses; NAN: not counted */
	double read_requests;
};

struct xs_round_work {
	double in_bytes, out_bytes;
	/* Copies of a piece: of the round's pieces, if it is in pieces, or of
	 * each array. An array that is not adjacent in host memory has several
	 * parts, each of which needs its own copy. */
	unsigned in_copies, out_copies;
	unsigned in_parts, out_parts; /* of all arrays; 0: as many copies */
	double kernel_ns;
	unsigned kernels; /* launches of the recorded round */
	unsigned kernel_hw_queues, copy_hw_queues; /* of the phase */
	double other_ns;      /* device copies, sets, other calls: unchanged */
	double allocation_ns; /* part of other_ns: allocations and frees,
			       * without their wait */
	double kept_allocation_ns; /* part of allocation_ns: of what is no
				    * memory of the device, which mapped memory
				    * needs, too */
	double between_ns; /* part of allocation_ns: allocations between copies
			    * in, which do not wait for the device */
	double host_ns;	   /* host time between calls: unchanged */
	double beside_ns;  /* the same, beside GPU work */
	double staging_ns; /* other host time: right before staged copies, whose
			    * data the program could have in pinned memory */
	double pinned_bytes; /* pageable or staged memory to pin */
	double fresh_bytes;  /* part of it that each round touches first */
	double filled_bytes; /* part of it that is copied in */
	double pinned_buffers;
	/* The same of one round, whose buffers may serve all of them. */
	double set_bytes, set_filled_bytes, set_buffers;
	/* By so much these may be more if rounds use further buffers in turn: 0
	 * where addresses are known. */
	double more_buffers, more_bytes, more_filled_bytes;
	bool managed, pageable; /* of some copy's host memory */
	bool unseen;		/* copies or kernels without a recorded op */
	bool in_place;		/* all that is copied out was copied in, too */

	/* Reads and writes of all kernels that miss the L1 caches, in requests
	 * and in sectors of 32 bytes; warp instructions. NAN: not counted. */
	double read_sectors, read_requests;
	double write_sectors, write_requests;
	double l1_fills; /* sectors that reads bring into the L1 caches */
	double waiting_cycles, warp_cycles; /* of warps: for reads; in all */
	/* Instructions of warps, and the sectors that each touches. */
	double stores, store_sectors;
	double instructions;
	double other_bytes; /* that kernels are given and that is never copied;
			     * NAN: unknown */

	double blocks; /* sum over all kernels */
	uint32_t block_threads, registers, shared_bytes;

	struct xs_kernel_stage stages[XS_STAGES_MAX];
	unsigned stage_count; /* 0: no kernels; 1: no kernel uses another one's
			       * results */
	bool in_pieces;	      /* the program itself cuts every stage into
			       * pieces, each after its own copies */
	/* Time of the longest kernel; 0 unless all have one shape and follow
	 * each other. */
	double alike_ns;
	bool slices; /* each kernel works on a part of the data, so pieces share
		      * out the kernels of stage 0 */
};

/* Returns the host time right before step i, if it is a staged copy and the
 * time is that of copying its data within the host's memory; else 0. */
double xs_step_staging_ns(const struct xs_phase *phase, size_t i);

void xs_round_work_build(const struct xs_phase *phase,
			 struct xs_round_work *work);

/*
 * Returns the work of one kernel of a round: it reads and writes the part of
 * the copied data that it is given. It may read results, or write to what was
 * copied in: if it is given data of one direction alone, it does both there.
 */
struct xs_round_work xs_round_work_of_kernel(const struct xs_step *step);

/*
 * Fills the stages, the copies of one piece, and the parts of its arrays. See
 * kernel_stages.c.
 */
void xs_kernel_stages_add(const struct xs_phase *phase,
			  struct xs_round_work *work);

/*
 * Turns a chain of like kernels into one stage of slices, if none of them has
 * the time to read half of the data that is copied in, at twice the bandwidth
 * of the device's memory: they do not work on each other's results.
 */
void xs_kernel_stages_join_slices(const struct xs_machine *machine,
				  struct xs_round_work *work);

/*
 * Occupancy: the number of blocks of the kernel that fit on one SM; 0 if the
 * machine's limits are unknown. Ignores the allocation granularity of registers
 * and shared memory.
 */
double xs_round_work_blocks_per_sm(const struct xs_round_work *work,
				   const struct xs_machine *machine);

/* The same of a kernel's step. */
double xs_step_blocks_per_sm(const struct xs_step *step,
			     const struct xs_machine *machine);

/*
 * Returns the least share of kernel_ns that a piece of the stage takes, however
 * small: a quarter of a wave of blocks, if the grid has at least two waves
 * (section VI of van Werkhoven 2014 leaves t_E / n to the programmer). 0 if the
 * grid or the machine's limits are unknown, or if the grid fits in one wave.
 */
double xs_kernel_stage_min_share(const struct xs_kernel_stage *stage,
				 const struct xs_machine *machine);

/* Returns the share of the SMs' room that a kernel's blocks take: others run
 * beside it until the SMs are full. 1 if the grid or the machine's limits are
 * unknown. */
double xs_step_sm_share(const struct xs_step *step,
			const struct xs_machine *machine);

/*
 * Returns the share of the SMs that each kernel of a stage keeps busy: its
 * threads, of the quarter of all that saturates them, or its blocks, of those
 * that there is room for, if that is more. 1 if the grid or the machine's
 * limits are unknown.
 */
double xs_kernel_stage_sm_share(const struct xs_kernel_stage *stage,
				const struct xs_machine *machine);

/* Returns whether rounds have new buffers, by their page faults: at least half
 * of what a round copies is in pages that it touches first. */
static inline bool xs_buffers_are_new(const struct xs_round_work *work)
{
	return work->fresh_bytes > 0 &&
	       work->fresh_bytes >= 0.5 * work->set_bytes;
}

/* Returns whether a request reads less than two sectors of 32 bytes in the
 * mean: each lane of a warp then reads data of its own. */
static inline bool xs_reads_are_scattered(double bytes, double requests)
{
	return bytes < 64 * requests;
}
