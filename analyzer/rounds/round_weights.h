/* SPDX-License-Identifier: MIT */
/* How many rounds of the run each recorded one stands for. */
#ifndef XS_ANALYZER_ROUNDS_ROUND_WEIGHTS_H
#define XS_ANALYZER_ROUNDS_ROUND_WEIGHTS_H

#include "analyzer/rounds/rounds.h"
#include "analyzer/sampling/sampling.h"

/*
 * By round, for those that `used` has. A round is one for all that it does, but
 * the calls in it may stand for more of the run than the round: a launch that
 * two kinds of round have, or a copy that both share. The rounds' weights are
 * those that agree best with what was counted of each kind of call. 0 or
 * -ENOMEM.
 */
int xs_round_weights_build(const struct xs_trace *trace,
			   const struct xs_rounds *rounds, const bool *used,
			   const struct xs_weights *weights, double *by_round);

#endif
