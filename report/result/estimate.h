/* SPDX-License-Identifier: MIT */
/* Converts an estimate of the model to a row of the result. */
#pragma once

#include "model/formulas/estimates.h"
#include "report/result/result.h"

/* Fills out from in, except what it saves. */
void xs_result_set_estimate(struct xs_arena *arena,
			    const struct xs_estimate *in,
			    struct xs_result_estimate *out);

void xs_result_set_effort(struct xs_result_estimate *out,
			  enum xs_effort effort);
