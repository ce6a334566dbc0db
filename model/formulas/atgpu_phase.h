/* SPDX-License-Identifier: MIT */
/*
 * A phase as an algorithm on ATGPU (Carroll and Wong 2017): its metrics and the
 * model's cost of one round. All values are of one round (median), except the
 * number of rounds; NAN: unknown. Times are ns.
 */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/formulas/atgpu.h"
#include "model/machine/machine.h"

struct xs_atgpu_phase {
	double rounds;				  /* R */
	double in_words, out_words;		  /* I_i, O_i */
	double in_transactions, out_transactions; /* with hats in the paper */
	double global_words;
	double shared_words;   /* per block: maximum over the kernels */
	double thread_blocks;  /* k: sum over the kernels */
	double blocks_at_once; /* l: of the longest kernel */
	double operations;     /* t_i: mean over the blocks */
	double accesses;       /* q_i */
	double in_ns, out_ns;  /* T_I, T_O */
	double cost_ns;	       /* expression 1 */
	double gpu_cost_ns;    /* expression 2 */
	double swgpu_cost_ns;  /* expression 2 without transfers */
	double share;	       /* of transfers in gpu_cost_ns */
	double share_observed; /* measured: copies in copies and kernels */
	char why[200];	       /* why there is no cost; else empty */
};

/*
 * t_i and q_i come from the counted instructions and sectors of the kernels.
 * global_bytes: peak of device memory in use; NAN: unknown. alpha and beta are
 * those of the phase's memory: of pinned copies, or for pageable memory those
 * of the line through the smallest copy of the curve and the phase's mean copy.
 */
void xs_atgpu_of_phase(const struct xs_phase *phase,
		       const struct xs_machine *machine, double global_bytes,
		       struct xs_atgpu_phase *out);
