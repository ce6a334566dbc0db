/* SPDX-License-Identifier: MIT */
/* One round of a phase as amounts of work, for strategies that arrange the
 * work anew. */
#ifndef XS_MODEL_REPLAY_ROUND_WORK_H
#define XS_MODEL_REPLAY_ROUND_WORK_H

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/* Stages that are told apart: of longer chains, neighbours are put together. */
#define XS_STAGES_MAX 32

/*
 * Kernels that stand at the same place behind a copy in: the first of each
 * piece of the round, the second, which may work on its results, and so on.
 */
struct xs_kernel_stage {
	double kernel_ns;
	unsigned kernels; /* one after the other in each piece: more than one
			   * where stages were put together */
	double blocks;	  /* of all its kernels */
	uint32_t block_threads, registers, shared_bytes;
	double read_bytes, written_bytes; /* beyond the SMs' own caches; NAN:
					   * not counted */
};

struct xs_round_work {
	double in_bytes, out_bytes;
	unsigned in_copies, out_copies; /* for one piece of the kernel */
	double kernel_ns;
	unsigned kernels; /* launches that the phase makes now */
	unsigned queues;  /* that its copies use */
	unsigned kernel_hw_queues, copy_hw_queues; /* as the phase has them */
	double other_ns;     /* device copies, sets, other calls: they stay */
	double host_ns;	     /* host time between calls: it stays */
	double pinned_bytes; /* pageable memory that pinning would lock */
	unsigned pinned_buffers;
	bool managed, pageable; /* some copy's host memory is */
	bool unseen;		/* copies or kernels whose op was not seen */

	/* What the SMs of all kernels read and write beyond their own caches,
	 * in requests and in sectors of 32 bytes; instructions of their warps.
	 * NAN: not counted. */
	double read_sectors, read_requests;
	double write_sectors, write_requests;
	double instructions;

	double blocks; /* of all kernels */
	uint32_t block_threads, block_x, registers, shared_bytes;

	struct xs_kernel_stage stages[XS_STAGES_MAX];
	unsigned stage_count; /* 0: no kernels; 1: none works on another's
			       * results */
	bool in_pieces;	      /* the program cuts every stage into pieces
			       * itself, each behind copies of its own */
};

/* 0 or -ENOMEM. */
int xs_round_work_build(const struct xs_phase *phase,
			struct xs_round_work *work);

/*
 * The kernels' part of it: stages, and the copies of one piece where several
 * pieces have kernels. Of a kernel, what it follows is what its queue had
 * before, or waited for: a copy in (it is the first of a piece) or a kernel. 0
 * or -ENOMEM.
 */
int xs_kernel_stages_add(const struct xs_phase *phase,
			 struct xs_round_work *work);

/*
 * Occupancy: blocks of the kernel (block_threads, registers, shared_bytes)
 * that fit on one SM at a time; 0 when the machine's limits are not known.
 * Registers and shared memory as asked, without their granularity.
 */
double xs_round_work_blocks_per_sm(const struct xs_round_work *work,
				   const struct xs_machine *machine);

/*
 * The least share of kernel_ns that a piece of the stage takes, however small:
 * a quarter of a wave of blocks, where the grid has two waves or more
 * (section VI of van Werkhoven 2014 leaves t_E / n to the programmer). 0 where
 * the grid or the machine's limits are not known, or the grid fits at once.
 */
double xs_kernel_stage_min_share(const struct xs_kernel_stage *stage,
				 const struct xs_machine *machine);

#endif
