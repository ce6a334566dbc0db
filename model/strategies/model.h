/* SPDX-License-Identifier: MIT */
/*
 * From a phase and a machine to estimates. Pure arithmetic.
 */
#ifndef XS_MODEL_STRATEGIES_MODEL_H
#define XS_MODEL_STRATEGIES_MODEL_H

#include "analyzer/rounds/phase.h"
#include "model/formulas/closed_form.h"
#include "model/formulas/estimates.h"
#include "model/machine/machine.h"

/* A machine that a run is moved to, the program unchanged. */
struct xs_other_machine {
	char strategy[80]; /* the id of its rows, "machine:<name>" */
	struct xs_machine machine;
};
void xs_other_machine_set(struct xs_other_machine *elsewhere,
			  const struct xs_machine *machine);

struct xs_model_options {
	/* A phase: rows for this n too, beside 2, 4, 8, ... and the best. A
	 * workload: this n alone. 0: the best. */
	unsigned streams;
	/* The machine that a phase was traced on; NULL: the one that the
	 * estimates are for. */
	const struct xs_machine *traced;
	/* Further machines to replay a phase on. Rows point to their ids, so
	 * that they have to stand as long as the rows do. */
	const struct xs_other_machine *elsewhere;
	size_t elsewhere_count;
};

/*
 * Every strategy and every model on one phase. The rows of each strategy are
 * together, the replay's first. 0 or -ENOMEM.
 */
int xs_model_phase(const struct xs_phase *phase,
		   const struct xs_machine *machine,
		   const struct xs_model_options *options,
		   struct xs_estimates *out);

/*
 * The closed forms alone, from numbers. h2d_ns, d2h_ns: NAN to work them out
 * from the bytes. 0, -ENOMEM, or -EINVAL when neither bytes nor times are
 * there.
 */
int xs_model_workload(const struct xs_workload *workload,
		      const struct xs_machine *machine,
		      const struct xs_model_options *options,
		      struct xs_estimates *out);

#endif
