/* SPDX-License-Identifier: MIT */
#include "model/formulas/closed_form.h"

#include "model/formulas/vanwerkhoven.h"
#include "model/machine/range_end.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char assume_split[] =
    "the kernel and its data split into n independent pieces";
static const char assume_issue[] =
    "the host's calls take no time and are issued breadth first";
static const char assume_once[] = "each byte crosses the bus once";
static const char assume_own_rate[] =
    "copies in both directions at once are as fast as in one direction";

/* The paper's parameters and load, from one end of a machine's ranges. */
struct instance {
	struct xs_vw_params params;
	struct xs_vw_load load;
};

/* Evaluates the equation of a row on one instance. */
typedef double (*equation_fn)(const struct instance *i, double n);

static double or_product(double ns, double bytes, double G)
{
	if (!isnan(ns))
		return ns;
	return bytes > 0 ? bytes * G : 0;
}

/*
 * Returns G of host-to-device copies that collide with mapped writes. The
 * paper's Table II has the mean over transfers of one size. A calibrated rate
 * holds only during the writes, which may nearly stop the copies; the rest of
 * the copy runs alone.
 */
static double colliding_G_in(const struct xs_machine *m,
			     const struct xs_workload *w, double G_out)
{
	const double G = m->h2d_vs_mapped_write.value;
	const double writes_ns = w->d2h_bytes * G_out;
	const double under_bytes = writes_ns / G;

	if (strcmp(m->source, "published") == 0 ||
	    !(under_bytes < w->h2d_bytes))
		return G;
	return (writes_ns + (w->h2d_bytes - under_bytes) * m->G_h2d.value) /
	       w->h2d_bytes;
}

/* hybrid: uses G of host-to-device copies that collide with mapped writes (the
 * paper's Table II) if the machine has it. */
static struct instance instantiate(const struct xs_closed_form *c,
				   enum xs_range_end side, bool hybrid)
{
	const struct xs_machine m = xs_machine_at(c->machine, side);
	const struct xs_workload *w = &c->work;
	struct instance i = {.params = {m.lo_h2d_ns.value, m.lo_d2h_ns.value,
					m.g_h2d_ns.value, m.g_d2h_ns.value},
			     .load.kernel_ns = w->kernel_ns};
	double G_in = m.G_h2d.value, G_out = m.G_d2h.value;

	if (hybrid && !isnan(m.mapped_write_vs_h2d.value))
		G_out = m.mapped_write_vs_h2d.value;
	if (hybrid && !isnan(m.h2d_vs_mapped_write.value))
		G_in = colliding_G_in(&m, w, G_out);
	i.load.in_ns = or_product(w->h2d_ns, w->h2d_bytes, G_in);
	i.load.out_ns = or_product(w->d2h_ns, w->d2h_bytes, G_out);
	return i;
}

static enum xs_vw_class class_of(const struct xs_closed_form *c)
{
	return xs_vw_class_of(c->machine->copy_engines,
			      c->machine->implicit_sync);
}

struct xs_estimate xs_closed_form_row(const char *strategy, const char *model)
{
	return (struct xs_estimate){.strategy = strategy,
				    .model = model,
				    .round_ns = NAN,
				    .low_ns = NAN,
				    .high_ns = NAN,
				    .otherwise_ns = NAN,
				    .breakeven_rounds = NAN};
}

int xs_closed_form_abstain(struct xs_estimate *row, const char *parameter,
			   struct xs_estimates *out)
{
	snprintf(row->why, sizeof(row->why),
		 "%s of this machine is not known; `xferspy calibrate` "
		 "measures it",
		 parameter);
	return xs_estimates_add(out, row);
}

/* Returns the name of a parameter that the instance lacks, or NULL. */
static const char *unknown(const struct instance *i, bool gaps)
{
	if (isnan(i->params.lo_in_ns) || isnan(i->params.lo_out_ns))
		return "L+o";
	if (isnan(i->load.in_ns) || isnan(i->load.out_ns))
		return "G";
	if (gaps && (isnan(i->params.g_in_ns) || isnan(i->params.g_out_ns)))
		return "g";
	return NULL;
}

/* Adds a row: time at the values, and interval from both ends of the ranges. */
static int add_row(const struct xs_closed_form *c, struct xs_estimate *row,
		   equation_fn f, bool hybrid, struct xs_estimates *out)
{
	const double n = row->n_streams ? row->n_streams : 1;
	struct instance i = instantiate(c, XS_RANGE_LOW, hybrid);

	row->low_ns = f(&i, n) + c->extra_ns;
	i = instantiate(c, XS_RANGE_HIGH, hybrid);
	row->high_ns = f(&i, n) + c->extra_ns;
	i = instantiate(c, XS_RANGE_VALUE, hybrid);
	row->round_ns = f(&i, n) + c->extra_ns;
	row->applies = true;
	return xs_estimates_add(out, row);
}

static double eq1(const struct instance *i, double n)
{
	return xs_vw_eq1_ns(&i->params, &i->load, n);
}

static double eq2(const struct instance *i, double n)
{
	return xs_vw_eq2_ns(&i->params, &i->load, n);
}

static double eq3(const struct instance *i, double n)
{
	return xs_vw_eq3_ns(&i->params, &i->load, n);
}

static double eq4(const struct instance *i, double n)
{
	return xs_vw_eq4_ns(&i->params, &i->load, n);
}

static double eq5(const struct instance *i, double n)
{
	return xs_vw_eq5_ns(&i->params, &i->load, n);
}

static double eq6(const struct instance *i, double n)
{
	(void)n;
	return xs_vw_eq6_ns(&i->params, &i->load);
}

static double explicit_copies(const struct instance *i, double n)
{
	(void)n;
	return xs_vw_explicit_ns(&i->params, &i->load);
}

int xs_closed_form_explicit(const struct xs_closed_form *c,
			    struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("pinned", "vanwerkhoven2014-explicit");
	const struct instance i = instantiate(c, XS_RANGE_VALUE, false);
	struct xs_closed_form more = *c;

	row.effort = XS_EFFORT_HOST;
	row.assumes[0] = "copies, kernel, copies, one after the other";
	if (unknown(&i, false))
		return xs_closed_form_abstain(&row, unknown(&i, false), out);
	/* Each further blocking copy pays its own L+o. */
	more.extra_ns += fmax(c->in_ops - 1, 0) * i.params.lo_in_ns +
			 fmax(c->out_ops - 1, 0) * i.params.lo_out_ns;
	snprintf(row.why, sizeof(row.why), "L+o + B G in, t_E, L+o + B G out");
	return add_row(&more, &row, explicit_copies, false, out);
}

/* Classes 1 and 2 have two equations each, class 3 has one. */
static const struct equation {
	const char *model;
	equation_fn f;
	const char *scenario;
} equations[] = {
    {NULL, NULL, NULL},
    {"vanwerkhoven2014-eq1", eq1, "the kernel outlasts the copies in"},
    {"vanwerkhoven2014-eq2", eq2, "the copies in outlast the kernel"},
    {"vanwerkhoven2014-eq3", eq3, "the kernel outlasts the copies"},
    {"vanwerkhoven2014-eq4", eq4, "the copies outlast the kernel"},
    {"vanwerkhoven2014-eq5", eq5,
     "the longest of copies in, kernel, copies "
     "out, and a piece of the others"},
};

static struct xs_estimate streams_row(unsigned equation, unsigned n)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", equations[equation].model);

	row.n_streams = n;
	row.effort = XS_EFFORT_SPLIT;
	row.assumes[0] = assume_split;
	row.assumes[1] = assume_issue;
	if (equation == 5)
		row.assumes[2] = assume_own_rate;
	return row;
}

static int add_dominated(const struct instance *i, unsigned equation,
			 unsigned holds, unsigned n, struct xs_estimates *out)
{
	struct xs_estimate row = streams_row(equation, n);

	snprintf(row.why, sizeof(row.why),
		 "does not apply: it gives %.3f ms, but equation %u gives %.3f "
		 "ms, which is longer (%s)",
		 equations[equation].f(i, n) / 1e6, holds,
		 equations[holds].f(i, n) / 1e6, equations[holds].scenario);
	return xs_estimates_add(out, &row);
}

/* Explains the number of streams: section VI's formula beside the search. */
static void explain_streams(struct xs_estimate *row, const struct instance *i,
			    unsigned equation, bool searched)
{
	const char *scenario = equations[equation].scenario;
	const double formula =
	    xs_vw_streams_formula(equation, &i->params, &i->load);

	if (!searched)
		snprintf(row->why, sizeof(row->why), "%s", scenario);
	else if (row->n_streams == XS_VW_STREAMS_MAX)
		snprintf(row->why, sizeof(row->why),
			 "%s; more streams always help by this equation, the "
			 "search ends at %u",
			 scenario, XS_VW_STREAMS_MAX);
	else if (isfinite(formula))
		snprintf(row->why, sizeof(row->why),
			 "%s; best n by section VI: %.1f", scenario, formula);
	else
		snprintf(row->why, sizeof(row->why), "%s", scenario);
}

static int abstain_class(const struct xs_closed_form *c,
			 struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", "vanwerkhoven2014-eq5");
	const struct xs_machine *m = c->machine;

	row.effort = XS_EFFORT_SPLIT;
	if (!m->copy_engines || m->implicit_sync < 0)
		return xs_closed_form_abstain(
		    &row,
		    m->copy_engines ? "implicit synchronisation (yes or no)"
				    : "the number of copy engines",
		    out);
	snprintf(row.why, sizeof(row.why),
		 "the paper has no equation for %d copy engines with implicit "
		 "synchronisation",
		 m->copy_engines);
	return xs_estimates_add(out, &row);
}

int xs_closed_form_streams(const struct xs_closed_form *c, unsigned n,
			   bool dominated, struct xs_estimates *out)
{
	const struct instance i = instantiate(c, XS_RANGE_VALUE, false);
	const enum xs_vw_class device = class_of(c);
	const bool searched = !n;
	struct xs_estimate row;
	unsigned holds, first;
	int rc = 0;

	if (device == XS_VW_CLASS_NONE)
		return abstain_class(c, out);
	first = device == XS_VW_CLASS_1 ? 1 : device == XS_VW_CLASS_2 ? 3 : 5;
	row = streams_row(first, n);
	if (unknown(&i, true))
		return xs_closed_form_abstain(&row, unknown(&i, true), out);
	if (searched)
		n = xs_vw_best_streams(device, &i.params, &i.load);
	holds = xs_vw_streams_eq(device, &i.params, &i.load, n);
	if (dominated && holds == first + 1)
		rc = add_dominated(&i, first, holds, n, out);
	row = streams_row(holds, n);
	explain_streams(&row, &i, holds, searched);
	if (!rc)
		rc = add_row(c, &row, equations[holds].f, false, out);
	if (!rc && dominated && holds == first && device != XS_VW_CLASS_3)
		rc = add_dominated(&i, first + 1, holds, n, out);
	return rc;
}

int xs_closed_form_mapped(const struct xs_closed_form *c,
			  struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("mapped", "vanwerkhoven2014-eq6");
	const struct instance i = instantiate(c, XS_RANGE_VALUE, false);

	row.effort = XS_EFFORT_REWRITE;
	row.assumes_once = true;
	row.assumes[0] = assume_once;
	row.assumes[1] = "mapped accesses are as fast as copies";
	if (unknown(&i, false))
		return xs_closed_form_abstain(&row, unknown(&i, false), out);
	snprintf(row.why, sizeof(row.why),
		 "the longest of reads, kernel and writes, and the latencies");
	return add_row(c, &row, eq6, false, out);
}

int xs_closed_form_hybrid(const struct xs_closed_form *c, unsigned n,
			  struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("hybrid", "vanwerkhoven2014-eq5");
	const struct instance i = instantiate(c, XS_RANGE_VALUE, true);

	row.n_streams = n;
	row.effort = XS_EFFORT_REWRITE;
	row.assumes_once = true;
	row.assumes[0] = assume_once;
	row.assumes[1] = assume_split;
	row.assumes[2] = assume_issue;
	if (unknown(&i, true))
		return xs_closed_form_abstain(&row, unknown(&i, true), out);
	if (!n)
		row.n_streams =
		    xs_vw_best_streams(XS_VW_CLASS_3, &i.params, &i.load);
	snprintf(row.why, sizeof(row.why),
		 isnan(c->machine->h2d_vs_mapped_write.value)
		     ? "streams in, mapped writes out, with the G of copies: "
		       "that of copies against mapped writes is not known"
		     : "streams in, mapped writes out, with the G of each "
		       "against the other");
	return add_row(c, &row, eq5, true, out);
}
