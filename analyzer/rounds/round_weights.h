/* SPDX-License-Identifier: MIT */
/* The number of rounds of the run that each recorded round stands for. */
#pragma once

#include "analyzer/rounds/rounds.h"
#include "analyzer/sampling/sampling.h"

/*
 * Fills weights by round, for the rounds in `used`. A round has one weight, but
 * the calls in it may have different ones: two kinds of round may share a
 * launch or a copy. The round weights are those that agree best with the counts
 * of each kind of call. Returns 0 or -ENOMEM.
 */
int xs_round_weights_build(const struct xs_trace *trace,
			   const struct xs_rounds *rounds, const bool *used,
			   const struct xs_weights *weights, double *by_round);
