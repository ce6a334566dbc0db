/* SPDX-License-Identifier: MIT */
/* Copies of pageable memory, which the driver stages, and launches that wait
 * for those of other threads. */
#pragma once

#include "analyzer/rounds/phase.h"

/* Returns whether the step is a copy between the device and pageable memory. */
bool xs_step_is_pageable(const struct xs_step *step);

/* A call copies so many bytes of pageable memory itself, to or from the
 * driver's memory: what it takes is host time, and hardly depends on pages. */
#define XS_COPIED_BY_CALL_BYTES 65536.0

/* Returns the part, 0 to 1, of the phase's long launches in which another
 * thread may hold the context while it stages a pageable copy: rounds side by
 * side stage as long as this one. Rounds that allocate or free wait for each
 * other in any case. */
double xs_launches_await_staging(const struct xs_phase *phase);

/* Returns whether the step is a launch that is too long to have waited for
 * nothing: without waits they take 2 to 5 us, traced up to 15. */
bool xs_step_is_long_launch(const struct xs_step *step);
