/* SPDX-License-Identifier: MIT */
/* Chooses between copies, streams, mapped memory and hybrid. */
#pragma once

#include "report/formulas/formulas.h"

/* Chooses for a workload on a machine, with n streams (0: the best n). Unknown
 * times are XS_UNKNOWN. Returns 0 or -errno of xs_model_workload. */
int xs_formulas_choose(const struct xs_workload *work,
		       const struct xs_machine *machine, unsigned n,
		       struct xs_formulas_choice *out);

/* Fills few_streams, faster_link_ns and faster_gpu_ns. Needs choice and
 * machine. Returns 0 or -errno of xs_model_workload. */
int xs_formulas_try_faster(const struct xs_workload *work,
			   struct xs_formulas_result *out);
