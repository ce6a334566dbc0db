/* SPDX-License-Identifier: MIT */
/* What the copies of a phase's round are needed by, and need, and what of their
 * memory its kernels are given. */
#pragma once

#include "analyzer/rounds/phase.h"

/*
 * Fills flow_known, task_class, least_ns, and the partners of the phase's steps
 * and what its kernels are given, from the dataflow of its sample rounds: those
 * among them with the ops of the steps, in their order. It stays unknown if
 * there is none, or if there are too many ops. *steps: those that the search
 * may take, less those taken.
 */
void xs_phase_flow(const struct xs_trace *trace, struct xs_phase *phase,
		   uint64_t *steps);
