/* SPDX-License-Identifier: MIT */
#pragma once

#include "report/plan/phase_step.h"
#include "report/result/result.h"

/*
 * Divides the last step, if a part of it takes less effort and brings most of
 * what all steps gain; of rewritten kernels any part, which replaces them if
 * they do not add as much again. How uncertain the part is by itself does not
 * matter: the step contains it, and is certain.
 */
void xs_divide_last_step(const struct xs_result *result,
			 struct xs_phase_steps *steps);
