/* SPDX-License-Identifier: MIT */
/* The kernel of a piece: how long it takes, and what it leaves of the SMs. */
#pragma once

#include "model/strategies/strategy.h"

struct xs_piece_cut {
	double n;	  /* pieces of the stage; 1: it stays whole */
	double launches;  /* of a piece; kernels of merged stages follow each
			   * other immediately */
	bool behind_copy; /* the kernel waits for a copy */
	bool one_kernel;  /* the SMs run one kernel at a time */
};

/*
 * Returns the kernel of a piece. Its time is that of the stage's kernel over n,
 * but at least what xs_kernel_stage_min_share() says; what that adds follows
 * the time on the SMs. If the stage's kernel leaves SMs idle, other kernels run
 * beside the piece, and if its threads have an item each, a piece takes as long
 * as the whole.
 */
struct xs_action xs_piece_kernel(const struct xs_kernel_stage *stage,
				 const struct xs_scenario *scenario,
				 const struct xs_piece_cut *cut);

/* Adds the assumption on how long pieces of the kernels take. */
void xs_piece_kernel_assume(const struct xs_strategy_case *c,
			    struct xs_estimate *row);
