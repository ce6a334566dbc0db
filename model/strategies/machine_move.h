/* SPDX-License-Identifier: MIT */
/* The times of a recorded step on another machine. */
#pragma once

#include "model/strategies/strategy.h"

/* The case on the other machine; it comes first, so that the plan function can
 * cast back. */
struct xs_machine_move {
	struct xs_strategy_case c;
	const struct xs_machine *from; /* where the trace was recorded */
	double memory_ratio;	       /* factor of times bound by device memory
					*/
	double flops_ratio;	       /* factor of times bound by arithmetic;
					* NAN: unknown */
	double kernel_ratio, other_ratio; /* factors of kernels: the likely one
					   * and the alternative */
	bool all_pinned; /* pageable copies without times in the profile are
			  * taken as pinned */
};

/* The source of a copy's time on the other machine. */
enum xs_copy_source {
	XS_COPY_FROM_PINNED,
	XS_COPY_FROM_CURVE,
	XS_COPY_FROM_RATES
};

enum xs_copy_source xs_machine_move_source(const struct xs_machine *to,
					   const struct xs_step *step);

/* Returns G of the step's direction. */
double xs_machine_move_G(const struct xs_machine *machine,
			 const struct xs_step *step);

/* Changes the action of a recorded step to what it takes on the machine `to`:
 * that of the move, or one end of its interval. */
void xs_machine_move_act(const struct xs_machine_move *move,
			 const struct xs_machine *to,
			 const struct xs_step *step, struct xs_action *action);
