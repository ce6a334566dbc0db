/* SPDX-License-Identifier: MIT */
/* From a phase and a machine to estimates. No I/O. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/formulas/closed_forms.h"
#include "model/formulas/estimates.h"
#include "model/machine/machine.h"
#include "model/strategies/strategies.h"

/* Another machine to run the unchanged program on. */
struct xs_other_machine {
	char strategy[80]; /* id of its rows: "machine:<name>" */
	struct xs_machine machine;
};
void xs_other_machine_set(struct xs_other_machine *other,
			  const struct xs_machine *machine);

struct xs_model_options {
	/* For a phase: an additional n beside 2, 4, 8, ... and the best one.
	 * For a workload: the only n; 0: the best one. */
	unsigned streams;
	/* What the program would pin its memory with: frameworks of Python
	 * allocate it anew. */
	enum xs_language language;
	/* The program has managed or pinned memory, in which the host sees
	 * results without a copy. */
	bool shares_memory;
	/* The machine that the phase was traced on; NULL: the machine of the
	 * estimates. */
	const struct xs_machine *traced;
	/* Further machines to replay a phase on. Must outlive the rows, which
	 * point to their ids. */
	const struct xs_other_machine *other_machines;
	size_t other_machine_count;
};

/*
 * Appends the rows of all strategies and models for one phase. Rows of one
 * strategy are adjacent, replay first.
 */
void xs_model_phase(const struct xs_phase *phase,
		    const struct xs_machine *machine,
		    const struct xs_model_options *options,
		    struct xs_estimates *out);

/* Return the cost of allocating pinned memory, of pinning memory that was
 * touched before, and of what a program does in its language: frameworks
 * allocate pinned memory, CUDA programs do what takes less. In ns; NAN:
 * unknown. */
double xs_pinned_allocation_ns(const struct xs_machine *machine, double buffers,
			       double bytes);
double xs_registering_ns(const struct xs_machine *machine, double buffers,
			 double bytes);
double xs_pinning_ns(const struct xs_machine *machine,
		     enum xs_language language, double buffers, double bytes);

/*
 * Appends the rows of the closed forms for a workload. Returns 0, or -EINVAL if
 * neither bytes nor times are given.
 */
int xs_model_workload(const struct xs_workload *workload,
		      const struct xs_machine *machine,
		      const struct xs_model_options *options,
		      struct xs_estimates *out);
