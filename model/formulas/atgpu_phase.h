/* SPDX-License-Identifier: MIT */
/*
 * A phase as an algorithm on ATGPU (Carroll and Wong 2017): its metrics, and
 * what the model says of one of its rounds. All figures are of one round
 * (median) but for the number of rounds; NAN is not known. Times are ns.
 */
#ifndef XS_MODEL_FORMULAS_ATGPU_PHASE_H
#define XS_MODEL_FORMULAS_ATGPU_PHASE_H

#include "analyzer/rounds/phase.h"
#include "model/formulas/atgpu.h"
#include "model/machine/machine.h"

struct xs_atgpu_phase {
	double rounds;				  /* R */
	double in_words, out_words;		  /* I_i, O_i */
	double in_transactions, out_transactions; /* with hats */
	double global_words;
	double shared_words;   /* of a block, the most of all kernels */
	double thread_blocks;  /* k, of all kernels together */
	double blocks_at_once; /* l, of the kernel that takes longest */
	double operations;     /* t_i: the mean of the blocks */
	double accesses;       /* q_i */
	double in_ns, out_ns;  /* T_I, T_O */
	double cost_ns;	       /* expression 1, one round */
	double gpu_cost_ns;    /* expression 2, one round */
	double swgpu_cost_ns;  /* the same without transfers */
	double share;	       /* of transfers in gpu_cost_ns */
	double share_observed; /* of copies in the time of copies and kernels */
	char why[200];	       /* why there is no cost; else empty */
};

/*
 * t_i and q_i are what was counted of the kernels' instructions and sectors.
 * global_bytes: device memory in use at its peak, NAN where it is not known.
 * alpha and beta are those of the memory that the phase copies from and to:
 * pinned memory's, or for pageable memory the line through the curve's
 * smallest copy and the phase's mean one. 0 or -ENOMEM.
 */
int xs_atgpu_of_phase(const struct xs_phase *phase,
		      const struct xs_machine *machine, double global_bytes,
		      struct xs_atgpu_phase *out);

#endif
