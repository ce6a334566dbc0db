/* SPDX-License-Identifier: MIT */
/* What a recorded round takes where no tracer watches. */
#ifndef XS_MODEL_REPLAY_TRACER_OVERHEAD_H
#define XS_MODEL_REPLAY_TRACER_OVERHEAD_H

#include "analyzer/rounds/phase.h"
#include "model/replay/plan.h"

/*
 * Launches and waits of a phase's plan (act i is step i) take at most what the
 * profile says, and so does a kernel from its launch to its start where the
 * device was idle. What they took longer was the tracer, or a disturbance that
 * another run does not have. Copies stay as they are.
 */
void xs_tracer_overhead_remove(struct xs_plan *plan,
			       const struct xs_phase *phase,
			       const struct xs_machine *machine);

#endif
