/* SPDX-License-Identifier: MIT */
/*
 * T. C. Carroll, P. W. H. Wong: An Improved Abstract GPU Model with Data
 * Transfer, 2017. The metrics of an algorithm in rounds (section III), its cost
 * on a device that runs every thread block at once (expression 1), and on one
 * with as many multiprocessors as there are (expression 2), as printed;
 * docs/models.md says what is known to be wrong with each.
 *
 * Times are ns, sizes words. The paper has one alpha and one beta; here the
 * inward part of a round takes those of that direction, the outward part the
 * others. With equal values it is the printed form.
 */
#ifndef XS_MODEL_FORMULAS_ATGPU_H
#define XS_MODEL_FORMULAS_ATGPU_H

#include "model/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>

/* A word is an int, of which the paper's examples are made. A memory block is
 * what a device fetches at once: a sector of its L2 cache. */
#define XS_ATGPU_WORD_BYTES  4
#define XS_ATGPU_BLOCK_BYTES 32

struct xs_atgpu_machine {
	double alpha_in_ns, alpha_out_ns; /* a transfer transaction */
	double beta_in_ns, beta_out_ns;	  /* a word of it */
	double gamma;		/* operations a ns: the clock, in GHz */
	double lambda;		/* cycles an access to a memory block */
	double sigma_ns;	/* a synchronisation: one a round */
	double multiprocessors; /* k' */
	double block_limit;	/* H, blocks on a multiprocessor */
	double shared_words;	/* M, of a multiprocessor */
	double global_words;	/* G */
};

/*
 * The model's parameters of a machine, NAN where it does not know them. alpha
 * is L+o and beta G of pinned copies; lambda is what a memory block takes at
 * the memory's full bandwidth: see docs/models.md.
 */
struct xs_atgpu_machine xs_atgpu_machine_of(const struct xs_machine *machine);

/* A parameter that the costs need and the machine lacks, in words of the paper
 * and of the profile; NULL when it has all. */
const char *xs_atgpu_unknown(const struct xs_atgpu_machine *machine);

/* What one kernel of a round asks of the device. */
struct xs_atgpu_launch {
	double blocks; /* k: thread blocks, a multiprocessor each in (1) */
	double shared_words; /* m, of a block; 0 none */
	double block_limit;  /* H of this kernel; 0: the machine's */
	double operations;   /* t_i: the most that a block executes */
	double accesses;     /* q_i: memory blocks, of all thread blocks */
};

/* One round. The paper's has one kernel; of several the costs add up, since
 * no data goes in or out between them. */
struct xs_atgpu_round {
	double in_words, out_words;		  /* I_i, O_i */
	double in_transactions, out_transactions; /* hats on both */
	double global_words;			  /* global memory space used */
	const struct xs_atgpu_launch *launches;
	size_t launch_count;
};

/* The metrics of section III over all rounds. */
struct xs_atgpu_metrics {
	double rounds;	       /* R */
	double operations;     /* the sum of t_i */
	double accesses;       /* the sum of q_i */
	double global_words;   /* the largest of the rounds */
	double shared_words;   /* the most of one block */
	double transfer_words; /* the sum of I_i + O_i */
	double transactions;   /* the same of those with hats */
};

struct xs_atgpu_metrics xs_atgpu_measure(const struct xs_atgpu_round *rounds,
					 size_t count);

/* Whether the model can run it: no more global memory than G, no more shared
 * memory of a block than M. */
bool xs_atgpu_fits(const struct xs_atgpu_machine *machine,
		   const struct xs_atgpu_metrics *metrics);

/* T_I(i) and T_O(i): transactions alpha + words beta. */
double xs_atgpu_in_ns(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_round *round);
double xs_atgpu_out_ns(const struct xs_atgpu_machine *machine,
		       const struct xs_atgpu_round *round);

/* l = min(floor(M / m), H): blocks that a multiprocessor holds at a time. */
double xs_atgpu_blocks_at_once(const struct xs_atgpu_machine *machine,
			       const struct xs_atgpu_launch *launch);

/* ceil(k / (k' l)): how many times the device is filled. */
double xs_atgpu_waves(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_launch *launch);

/* Expression 1, `atgpu-cost`. */
double xs_atgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count);

/*
 * Expression 2, `atgpu-gpu-cost`. As printed there: the ceiling multiplies
 * t_i alone. (The vector addition of section IV-A has it before lambda q_i
 * too, which would count each access once for every wave.)
 */
double xs_atgpu_gpu_cost_ns(const struct xs_atgpu_machine *machine,
			    const struct xs_atgpu_round *rounds, size_t count);

/* `swgpu-cost`: expression 2 without the transfers, as section IV takes it. */
double xs_swgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count);

#endif
