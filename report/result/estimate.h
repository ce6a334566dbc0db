/* SPDX-License-Identifier: MIT */
/* Converts an estimate of the model to a row of the result. */
#ifndef XS_REPORT_RESULT_ESTIMATE_H
#define XS_REPORT_RESULT_ESTIMATE_H

#include "model/strategies/model.h"
#include "report/result/result.h"

/* Fills out from in. phase: NULL, or the phase for the figures of the whole
 * run. */
void xs_result_set_estimate(struct xs_result *result,
			    const struct xs_result_phase *phase,
			    const struct xs_estimate *in,
			    struct xs_result_estimate *out);

/* Returns whether the round already works in pieces on several streams, so that
 * the row is only another number of them. */
bool xs_result_is_in_pieces(const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row);

#endif
