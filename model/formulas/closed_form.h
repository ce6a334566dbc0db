/* SPDX-License-Identifier: MIT */
/*
 * Rows of estimates by closed forms: selects the equation and its parameters,
 * and abstains where a parameter is missing. vanwerkhoven.c, gomezluna.c and
 * atgpu.c contain the equations.
 */
#ifndef XS_MODEL_FORMULAS_CLOSED_FORM_H
#define XS_MODEL_FORMULAS_CLOSED_FORM_H

#include "model/formulas/atgpu.h"
#include "model/formulas/estimates.h"
#include "model/machine/machine.h"

/* One round in numbers. h2d_ns, d2h_ns: NAN to compute them from the bytes. */
struct xs_workload {
	double h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
};

/* A round for the closed forms, with the time that the equations leave out. */
struct xs_closed_form {
	const struct xs_machine *machine;
	struct xs_workload work;
	double in_ops, out_ops; /* number of copies, for the explicit form; at
				 * least 1 */
	double extra_ns; /* added to every row: host time and other ops that no
			  * strategy changes; 0 for the paper's equation alone
			  */
};

/* Strategy "pinned", model "vanwerkhoven2014-explicit". Returns 0 or -ENOMEM.
 */
int xs_closed_form_explicit(const struct xs_closed_form *c,
			    struct xs_estimates *out);

/*
 * Strategy "streams": the equation of the machine's class that holds for n
 * streams; n = 0: the best n. dominated: adds the class's other equation, too,
 * as a row that does not apply. Returns 0 or -ENOMEM.
 */
int xs_closed_form_streams(const struct xs_closed_form *c, unsigned n,
			   bool dominated, struct xs_estimates *out);

/*
 * Strategy "streams" by Gomez-Luna 2011, for the paper's two classes of device:
 * equation 1, 3, 5 or 7 for n streams. n = 0: the best n, as a row of the
 * equation that gives it (2, 4, 6, 8). Adds one row, which abstains if the
 * class, t_sc or the transfers are unknown. Returns 0 or -ENOMEM.
 */
int xs_closed_form_gomezluna(const struct xs_closed_form *c, unsigned n,
			     struct xs_estimates *out);

/* Strategy "mapped", equation 6. Returns 0 or -ENOMEM. */
int xs_closed_form_mapped(const struct xs_closed_form *c,
			  struct xs_estimates *out);

/* Strategy "hybrid", equation 5 on every class; n = 0: the best n. Returns 0 or
 * -ENOMEM. */
int xs_closed_form_hybrid(const struct xs_closed_form *c, unsigned n,
			  struct xs_estimates *out);

/*
 * Carroll and Wong 2017: one round with one kernel and the copies of strategy
 * "pinned". Adds rows `atgpu-cost`, `atgpu-gpu-cost` and `swgpu-cost`. Returns
 * 0 or -ENOMEM.
 */
int xs_closed_form_atgpu(const struct xs_closed_form *c,
			 const struct xs_atgpu_launch *launch,
			 struct xs_estimates *out);

/* Returns the kernel's part of `atgpu-gpu-cost`. NAN if the machine lacks a
 * parameter, whose name is then stored in *unknown. */
double xs_closed_form_atgpu_kernel_ns(const struct xs_machine *machine,
				      const struct xs_atgpu_launch *launch,
				      const char **unknown);

/* Returns a row that does not apply yet: times NAN. Both texts must be static.
 */
struct xs_estimate xs_closed_form_row(const char *strategy, const char *model);

/* Adds the row as an abstention: the machine lacks the parameter. Returns 0 or
 * -ENOMEM. */
int xs_closed_form_abstain(struct xs_estimate *row, const char *parameter,
			   struct xs_estimates *out);

#endif
