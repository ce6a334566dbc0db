/* SPDX-License-Identifier: MIT */
/*
 * What a closed form is: rows of estimates by a published equation. A closed
 * form is one file, closed_form_*.c, and one row of the table in
 * closed_forms.c: it selects the equation and its parameters, and abstains
 * where a parameter is missing. vanwerkhoven.c, gomezluna.c and atgpu.c contain
 * the equations.
 */
#pragma once

#include "model/formulas/estimates.h"
#include "model/formulas/vanwerkhoven.h"
#include "model/machine/machine.h"

/* One round in numbers. h2d_ns, d2h_ns: NAN to compute them from the bytes. */
struct xs_workload {
	double h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
	/* How often each byte crosses the link if the kernel accesses it in
	 * mapped memory; 0: not counted. */
	double h2d_crossings, d2h_crossings;
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
	bool dominated;	 /* adds the other equation of a class, too, as a row
			  * that does not apply */
};

/* One closed form. */
struct xs_closed_form_kind {
	const char *strategy;
	/* Appends its rows for n streams; n = 0: its best n. Forms without
	 * streams ignore n. */
	void (*add)(const struct xs_closed_form *c, unsigned n,
		    struct xs_estimates *out);
};

/* Assumptions of several forms. */
extern const char xs_closed_form_split[], xs_closed_form_issue[],
    xs_closed_form_once[];

/* Returns a row that does not apply yet: times NAN. Both texts must be static.
 */
struct xs_estimate xs_closed_form_row(const char *strategy, const char *model);

/* Adds the row as an abstention if the machine lacks a parameter: parameter is
 * its name, else NULL. Returns whether it does. */
bool xs_closed_form_abstains(struct xs_estimate *row, const char *parameter,
			     struct xs_estimates *out);

/* The parameters of the link in an equation, ns per byte and ns. */
struct xs_vw_rates {
	double G_in, G_out, g_in_ns, g_out_ns;
};

/* Returns the rates that a form takes from a machine. */
typedef struct xs_vw_rates (*xs_vw_rates_fn)(const struct xs_machine *machine,
					     const struct xs_workload *work);

/* Those of copies in one direction at a time (Table I). */
struct xs_vw_rates xs_vw_rates_alone(const struct xs_machine *machine,
				     const struct xs_workload *work);

/* The paper's parameters and load for one machine. */
struct xs_vw_instance {
	struct xs_vw_params params;
	struct xs_vw_load load;
};

struct xs_vw_instance xs_vw_instantiate(const struct xs_closed_form *c,
					xs_vw_rates_fn rates);

/* Returns ns if it is known, else the time of the bytes. */
double xs_vw_transfer_ns(double ns, double bytes, double G);

static inline double xs_vw_or_once(double crossings)
{
	return crossings > 0 ? crossings : 1;
}

/* Returns the name of a parameter that the instance lacks, or NULL. gaps: the
 * equation contains g. */
const char *xs_vw_unknown(const struct xs_vw_instance *i, bool gaps);

typedef double (*xs_vw_equation)(const struct xs_vw_params *p,
				 const struct xs_vw_load *w, double n);

/* Adds a row: time at the values, and interval from both ends of the ranges.
 */
void xs_vw_add_row(const struct xs_closed_form *c, struct xs_estimate *row,
		   xs_vw_equation equation, xs_vw_rates_fn rates,
		   struct xs_estimates *out);
