/* SPDX-License-Identifier: MIT */
/* The plan of a phase as recorded. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/replay/plan.h"
#include "model/replay/staging.h"

/* Changes against the record. */
struct xs_recorded_plan_change {
	bool pin;	     /* pageable copies become pinned */
	double kernel_scale; /* factor of kernel times; 1: as measured */
	double host_scale;   /* factor of host time between calls; 1: as
			      * measured */
};

/*
 * Builds the plan of a phase: action i is step i. Ops keep their measured times
 * and their measured delay after what they waited for; calls keep their
 * measured cost; the order of ops on a unit is kept. Replay of a plan without
 * changes reproduces the recorded times. Caller frees the
 * plan.
 */
void xs_recorded_plan_build(const struct xs_phase *phase,
			    const struct xs_machine *machine,
			    const struct xs_recorded_plan_change *change,
			    struct xs_plan *plan);

/* Returns what launches and copies that do not block take of the driver in one
 * round of a plan, in ns: the time of each call, at most that of the profile.
 */
double xs_plan_calls_ns(const struct xs_plan *plan,
			const struct xs_phase *phase,
			const struct xs_machine *machine);

/* Copies below this, and below this part of a round's bytes, are small: their
 * buffers are none of those that a step names. */
#define XS_SMALL_COPY_BYTES (64 << 10)
#define XS_SMALL_COPY_PART  100
