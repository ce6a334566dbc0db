/* SPDX-License-Identifier: MIT */
/* One round of a phase as amounts of work, for strategies that arrange the
 * work anew. */
#ifndef XS_WORK_H
#define XS_WORK_H

#include "analyzer/phase.h"
#include "model/machine.h"

struct xs_work {
	double in_bytes, out_bytes;
	unsigned in_copies, out_copies; /* for one piece of the kernel */
	double kernel_ns;
	unsigned kernels;    /* launches that the phase makes now */
	unsigned queues;     /* that its copies use */
	bool dependent;	     /* a kernel follows another without a copy */
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
};

void xs_work_of_phase(const struct xs_phase *phase, struct xs_work *work);

/*
 * Occupancy: blocks of the kernel (block_threads, registers, shared_bytes)
 * that fit on one SM at a time; 0 when the machine's limits are not known.
 * Registers and shared memory as asked, without their granularity.
 */
double xs_work_blocks_per_sm(const struct xs_work *work,
			     const struct xs_machine *machine);

/*
 * The least share of kernel_ns that a piece of the kernel takes, however
 * small: one wave of blocks, where the grid has two or more (models.md of van
 * Werkhoven's section VI leaves t_E / n to the programmer). 0 where the grid
 * or the machine's limits are not known, or the grid fits at once.
 */
double xs_work_least_share(const struct xs_work *work,
			   const struct xs_machine *machine);

#endif
