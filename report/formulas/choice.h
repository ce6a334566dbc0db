/* SPDX-License-Identifier: MIT */
/* From the rows of all equations to the times that one has to choose between.
 */
#ifndef XS_REPORT_FORMULAS_CHOICE_H
#define XS_REPORT_FORMULAS_CHOICE_H

#include "report/formulas/formulas.h"

/* The choice for a workload on a machine, with n streams (0: the best); what
 * the equations do not say is XS_UNKNOWN. 0 or -errno of xs_model_workload. */
int xs_formulas_choose(const struct xs_workload *work,
		       const struct xs_machine *machine, unsigned n,
		       struct xs_formulas_choice *out);

/* Fills few_streams, faster_link_ns and faster_gpu_ns, from choice and machine.
 * 0 or -errno of xs_model_workload. */
int xs_formulas_try_faster(const struct xs_workload *work,
			   struct xs_formulas_result *out);

#endif
