/* SPDX-License-Identifier: MIT */
/*
 * The closed forms as rows of estimates: which equation, which parameters,
 * when it abstains. The equations themselves are in vanwerkhoven.c and
 * gomezluna.c.
 */
#ifndef XS_MODEL_FORMULAS_CLOSED_FORM_H
#define XS_MODEL_FORMULAS_CLOSED_FORM_H

#include "model/formulas/atgpu.h"
#include "model/formulas/estimates.h"
#include "model/machine/machine.h"

/* One round in numbers. h2d_ns, d2h_ns: NAN to work them out from the bytes. */
struct xs_workload {
	double h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
};

/* The same, and what the equations leave out of it. */
struct xs_closed_form {
	const struct xs_machine *machine;
	struct xs_workload work;
	double in_ops, out_ops; /* copies, for the explicit form; 1 at least */
	double extra_ns; /* added to every row: host time and other ops that
			  * stay whatever the strategy; 0 for the bare paper */
};

/* strategy "pinned", model "vanwerkhoven2014-explicit". 0 or -ENOMEM. */
int xs_closed_form_explicit(const struct xs_closed_form *c,
			    struct xs_estimates *out);

/*
 * Strategy "streams": the equation of the machine's class that holds for n
 * streams; n = 0 is the best n. With dominated, the class's other equation
 * too, as a row that does not apply. 0 or -ENOMEM.
 */
int xs_closed_form_streams(const struct xs_closed_form *c, unsigned n,
			   bool dominated, struct xs_estimates *out);

/*
 * Strategy "streams" by Gomez-Luna 2011: equation 1, 3, 5 or 7 for n streams,
 * on devices of the paper's two classes. n = 0: the best n, as a row of the
 * equation that gives it (2, 4, 6, 8). One row, which abstains where a class,
 * t_sc or the transfers are not known. 0 or -ENOMEM.
 */
int xs_closed_form_gomezluna(const struct xs_closed_form *c, unsigned n,
			     struct xs_estimates *out);

/* Strategy "mapped", equation 6. 0 or -ENOMEM. */
int xs_closed_form_mapped(const struct xs_closed_form *c,
			  struct xs_estimates *out);

/* Strategy "hybrid", equation 5 on every class; n = 0 is the best n. 0 or
 * -ENOMEM. */
int xs_closed_form_hybrid(const struct xs_closed_form *c, unsigned n,
			  struct xs_estimates *out);

/*
 * Carroll and Wong 2017, one round with one kernel, copies as strategy
 * "pinned" has them: rows `atgpu-cost`, `atgpu-gpu-cost` and `swgpu-cost`. 0 or
 * -ENOMEM.
 */
int xs_closed_form_atgpu(const struct xs_closed_form *c,
			 const struct xs_atgpu_launch *launch,
			 struct xs_estimates *out);

/* The kernel's part of `atgpu-gpu-cost`. NAN where the machine lacks a
 * parameter, whose name is then in *unknown. */
double xs_closed_form_atgpu_kernel_ns(const struct xs_machine *machine,
				      const struct xs_atgpu_launch *launch,
				      const char **unknown);

/* A row that does not apply yet: times NAN. Both texts are static. */
struct xs_estimate xs_closed_form_row(const char *strategy, const char *model);

/* Adds the row, which lacks a parameter of the machine. 0 or -ENOMEM. */
int xs_closed_form_abstain(struct xs_estimate *row, const char *parameter,
			   struct xs_estimates *out);

#endif
