/* SPDX-License-Identifier: MIT */
/* Removes the tracer's overhead from a recorded plan. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/replay/plan.h"

/*
 * Returns the tracer's part, in ns, of the host's gap_ns before the call of
 * step i: after the thread's launch whose pointers were recorded, and after its
 * call that copies in from pageable memory, allocates or frees. 0 in other gaps
 * and in traces without pointers.
 */
double xs_tracer_gap_ns(const struct xs_phase *phase, size_t i, double gap_ns);

/*
 * Limits launches and waits of a phase's plan (action i is step i) to the costs
 * of the profile, and likewise the time from a launch to its kernel's start on
 * an idle device, and the gap between two kernels of one queue: recording a
 * kernel delays the next one. Any longer time is due to the tracer or to a
 * disturbance. A launch that follows another one after much of the host's own
 * code is longer by itself. Copies of pinned memory that do not block come
 * nearer to these costs by XS_TRACER_COPY_NS at most: their calls may wait,
 * too. So does the time from such a copy to the next one, and g. Other copies
 * and frees keep their times. Hashing contents takes none. What another tool
 * took is unknown: a phase of its trace keeps all times.
 */
void xs_tracer_overhead_remove(struct xs_plan *plan,
			       const struct xs_phase *phase,
			       const struct xs_machine *machine);
