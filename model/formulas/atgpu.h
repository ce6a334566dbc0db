/* SPDX-License-Identifier: MIT */
/*
 * T. C. Carroll, P. W. H. Wong: An Improved Abstract GPU Model with Data
 * Transfer, 2017. The cost of an algorithm in rounds on a device that runs all
 * thread blocks at once (expression 1), and its cost on a device with a limited
 * number of multiprocessors (expression 2), as printed. docs/models.md lists
 * known errors of each.
 *
 * Times are ns, sizes are words. The paper has one alpha and one beta; here
 * each direction has its own. With equal values the result is that of the
 * printed form.
 */
#pragma once

#include "model/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>

/* A word is an int, as in the paper's examples. A memory block has b words, one
 * for each core of a multiprocessor that runs one warp: 32 words of 32 bits, a
 * cache line. */
#define XS_ATGPU_WORD_BYTES  4
#define XS_ATGPU_BLOCK_WORDS 32
#define XS_ATGPU_BLOCK_BYTES (XS_ATGPU_BLOCK_WORDS * XS_ATGPU_WORD_BYTES)

struct xs_atgpu_machine {
	double alpha_in_ns, alpha_out_ns; /* per transfer transaction */
	double beta_in_ns, beta_out_ns;	  /* per word of it */
	double gamma;		/* operations per ns: the clock in GHz */
	double lambda;		/* cycles per access to a memory block */
	double sigma_ns;	/* synchronisation, once per round */
	double multiprocessors; /* k' */
	double block_limit;	/* H: blocks per multiprocessor */
	double shared_words;	/* M: per multiprocessor */
};

/*
 * Returns the model's parameters of a machine; NAN where unknown. alpha is L+o
 * and beta is G of pinned copies; lambda is the time of a memory block at full
 * memory bandwidth. See docs/models.md.
 */
struct xs_atgpu_machine xs_atgpu_machine_of(const struct xs_machine *machine);

/* Returns a parameter that the costs need and the machine lacks, in terms of
 * the paper and of the profile; NULL if it has all. */
const char *xs_atgpu_unknown(const struct xs_atgpu_machine *machine);

/* The demands of one kernel of a round. */
struct xs_atgpu_launch {
	double blocks;	     /* k: thread blocks; one multiprocessor each in
			      * expression 1 */
	double shared_words; /* m: per block; 0: none */
	double block_limit;  /* H of this kernel; 0: that of the machine */
	double operations;   /* t_i: maximum over the blocks */
	double accesses;     /* q_i: memory blocks accessed by all thread blocks
			      */
};

/* One round. The paper's round has one kernel; costs of several kernels add up,
 * because no data is transferred between them. */
struct xs_atgpu_round {
	double in_words, out_words;		  /* I_i, O_i */
	double in_transactions, out_transactions; /* with hats in the paper */
	const struct xs_atgpu_launch *launches;
	size_t launch_count;
};

/* T_I(i) and T_O(i): transactions * alpha + words * beta. */
double xs_atgpu_in_ns(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_round *round);
double xs_atgpu_out_ns(const struct xs_atgpu_machine *machine,
		       const struct xs_atgpu_round *round);

/* l = min(floor(M / m), H): resident blocks per multiprocessor. */
double xs_atgpu_blocks_at_once(const struct xs_atgpu_machine *machine,
			       const struct xs_atgpu_launch *launch);

/* ceil(k / (k' l)): the number of waves of blocks. */
double xs_atgpu_waves(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_launch *launch);

/* Expression 1, `atgpu-cost`. */
double xs_atgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count);

/*
 * Expression 2, `atgpu-gpu-cost`, as printed: the ceiling multiplies t_i only.
 * (The vector addition of section IV-A has it before lambda q_i as well, which
 * would count each access once per wave.)
 */
double xs_atgpu_gpu_cost_ns(const struct xs_atgpu_machine *machine,
			    const struct xs_atgpu_round *rounds, size_t count);

/* `swgpu-cost`: expression 2 without the transfers, as in section IV. */
double xs_swgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count);
