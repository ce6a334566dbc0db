/* SPDX-License-Identifier: MIT */
/* Finds the iterations of loops that nothing synchronises. */
#pragma once

#include "analyzer/rounds/rounds.h"

/*
 * Splits a round that no other one equals into the iterations of a loop, if it
 * is one: most ops are in equal iterations, with kernels, and the GPU had
 * nothing to do when most iterations began, as if the host had waited for it,
 * or each copies in and its kernels are on one queue, of which the host may run
 * ahead. rounds->ops and the calls of the rounds must be known. round_of_op: by
 * op, the index of its round; updated, as are all fields of the rounds but
 * first_op and rounds->ops.
 */
void xs_rounds_split_loops(const struct xs_trace *trace,
			   struct xs_rounds *rounds, uint32_t *round_of_op);
