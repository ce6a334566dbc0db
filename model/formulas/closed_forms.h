/* SPDX-License-Identifier: MIT */
/* All closed forms. */
#pragma once

#include "model/formulas/atgpu.h"
#include "model/formulas/closed_form.h"

/* The rows of the table, closed_form_*.c. */
extern const struct xs_closed_form_kind xs_closed_form_explicit,
    xs_closed_form_streams, xs_closed_form_both, xs_closed_form_cocopelia,
    xs_closed_form_gomezluna, xs_closed_form_mapped, xs_closed_form_hybrid;

/* All closed forms but those of ATGPU, in the order of their rows; the last one
 * is NULL. */
extern const struct xs_closed_form_kind *const xs_closed_forms[];

/* Appends the rows of all closed forms of a strategy. */
void xs_closed_form_add(const struct xs_closed_form *c, const char *strategy,
			unsigned n, struct xs_estimates *out);

/*
 * Carroll and Wong 2017: one round with one kernel and the copies of strategy
 * "pinned". Adds rows `atgpu-cost`, `atgpu-gpu-cost` and `swgpu-cost`.
 */
void xs_closed_form_atgpu(const struct xs_closed_form *c,
			  const struct xs_atgpu_launch *launch,
			  struct xs_estimates *out);

/* Returns the kernel's part of `atgpu-gpu-cost`. NAN if the machine lacks a
 * parameter, whose name is then stored in *unknown. */
double xs_closed_form_atgpu_kernel_ns(const struct xs_machine *machine,
				      const struct xs_atgpu_launch *launch,
				      const char **unknown);
