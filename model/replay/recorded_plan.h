/* SPDX-License-Identifier: MIT */
/* The plan of a phase as recorded. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/replay/plan.h"

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
 * changes reproduces the recorded times. Returns 0 or -ENOMEM. Caller frees the
 * plan.
 */
int xs_recorded_plan_build(const struct xs_phase *phase,
			   const struct xs_machine *machine,
			   const struct xs_recorded_plan_change *change,
			   struct xs_plan *plan);

/* Returns whether the step is a copy between the device and pageable memory. */
bool xs_step_is_pageable(const struct xs_step *step);

/* A call copies so many bytes of pageable memory itself, to or from the
 * driver's memory: what it takes is host time, and hardly depends on pages. */
#define XS_COPIED_BY_CALL_BYTES 65536.0

/* Copies below this, and below this part of a round's bytes, are small: their
 * buffers are none of those that a step names. */
#define XS_SMALL_COPY_BYTES (64 << 10)
#define XS_SMALL_COPY_PART  100

/* Returns the part, 0 to 1, of the phase's long launches in which another
 * thread may hold the context while it stages a pageable copy: rounds side by
 * side stage as long as this one. Rounds that allocate or free wait for each
 * other in any case. */
double xs_launches_await_staging(const struct xs_phase *phase);

/* Returns whether the step is a launch that is too long to have waited for
 * nothing: without waits they take 2 to 5 us, traced up to 15. */
bool xs_step_is_long_launch(const struct xs_step *step);
