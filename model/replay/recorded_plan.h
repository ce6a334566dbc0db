/* SPDX-License-Identifier: MIT */
/* The plan of a phase as it was recorded. */
#ifndef XS_MODEL_REPLAY_RECORDED_PLAN_H
#define XS_MODEL_REPLAY_RECORDED_PLAN_H

#include "analyzer/rounds/phase.h"
#include "model/replay/plan.h"

/* What differs from the record. */
struct xs_recorded_plan_change {
	bool pin;	     /* pageable copies become pinned ones */
	double kernel_scale; /* times of kernels, 1: as measured */
	double host_scale;   /* host time between calls, 1: as measured */
};

/*
 * Act i of the plan is step i of the phase. Ops keep their measured times and
 * their measured delay after what they waited for, calls their measured cost;
 * ops that followed one another on a unit go on doing so. Replayed without a
 * change, it gives the recorded times back. 0 or -ENOMEM; the caller frees
 * the plan.
 */
int xs_recorded_plan_build(const struct xs_phase *phase,
			   const struct xs_machine *machine,
			   const struct xs_recorded_plan_change *change,
			   struct xs_plan *plan);

/* A copy between the device and pageable host memory. */
bool xs_step_is_pageable(const struct xs_step *step);

#endif
