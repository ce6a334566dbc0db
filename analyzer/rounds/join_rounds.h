/* SPDX-License-Identifier: MIT */
/* Iterations that copy out several times, or wait between their kernels. */
#pragma once

#include "analyzer/rounds/rounds.h"

/*
 * A round that copies in nothing but arguments works on what the round before
 * it left on the device. Joins the two to one round if each round with its ops
 * directly follows, at least twice, a round that copies data in, and rounds
 * with that one's ops are followed by no others. Also joins a round that copies
 * in and not out, those that follow and do neither, and one that copies out, if
 * there is another such sequence of equal rounds. round_of_op is kept in step.
 * Rounds cut by the edge of a sample window do not join.
 */
void xs_rounds_join(const struct xs_trace *trace, struct xs_rounds *rounds,
		    uint32_t *round_of_op);
