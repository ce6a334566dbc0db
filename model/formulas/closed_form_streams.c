/* SPDX-License-Identifier: MIT */
/* Streams by the equation of the machine's class: van Werkhoven 2014, 1 to 5,
 * as printed, with the parameters of Table I. */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>

static const char assume_own_rate[] =
    "copies in both directions at once are as fast as in one direction";

static enum xs_vw_class class_of(const struct xs_closed_form *c)
{
	return xs_vw_class_of(c->machine->copy_engines,
			      c->machine->implicit_sync);
}

/* Classes 1 and 2 have two equations each, class 3 has one. */
static const struct equation {
	const char *model;
	xs_vw_equation f;
	const char *scenario;
} equations[] = {
    {NULL, NULL, NULL},
    {"vanwerkhoven2014-eq1", xs_vw_eq1_ns, "the kernel outlasts the copies in"},
    {"vanwerkhoven2014-eq2", xs_vw_eq2_ns, "the copies in outlast the kernel"},
    {"vanwerkhoven2014-eq3", xs_vw_eq3_ns, "the kernel outlasts the copies"},
    {"vanwerkhoven2014-eq4", xs_vw_eq4_ns, "the copies outlast the kernel"},
    {"vanwerkhoven2014-eq5", xs_vw_eq5_ns,
     "the longest of copies in, kernel, copies out, and a piece of the others"},
};

static struct xs_estimate streams_row(unsigned equation, unsigned n)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", equations[equation].model);

	row.n_streams = n;
	row.effort = XS_EFFORT_SPLIT;
	row.assumes[0] = xs_closed_form_split;
	row.assumes[1] = xs_closed_form_issue;
	if (equation == 5)
		row.assumes[2] = assume_own_rate;
	return row;
}

static void add_dominated(const struct xs_vw_instance *i, unsigned equation,
			  unsigned holds, unsigned n, struct xs_estimates *out)
{
	struct xs_estimate row = streams_row(equation, n);

	snprintf(row.why, sizeof(row.why),
		 "does not apply: it gives %.0f ns, but equation %u gives %.0f "
		 "ns, which is longer (%s)",
		 equations[equation].f(&i->params, &i->load, n), holds,
		 equations[holds].f(&i->params, &i->load, n),
		 equations[holds].scenario);
	xs_estimates_add(out, &row);
}

/* Returns whether more is copied in than out: by bytes, as section VI has it;
 * by time if only times are given. */
static bool more_in(const struct xs_workload *w, const struct xs_vw_load *load)
{
	if (isnan(w->h2d_ns) && isnan(w->d2h_ns) &&
	    w->h2d_bytes != w->d2h_bytes)
		return w->h2d_bytes > w->d2h_bytes;
	return load->in_ns > load->out_ns;
}

/* Explains the number of streams: section VI's formula beside the search. */
static void explain_streams(struct xs_estimate *row,
			    const struct xs_workload *work,
			    const struct xs_vw_instance *i, unsigned equation,
			    bool searched)
{
	const char *scenario = equations[equation].scenario;
	const double formula = xs_vw_streams_formula(
	    equation, &i->params, &i->load, more_in(work, &i->load));

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

static void abstain_class(const struct xs_closed_form *c,
			  struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", "vanwerkhoven2014-eq5");
	const struct xs_machine *m = c->machine;
	const char *lacks = !m->copy_engines ? "the number of copy engines"
			    : m->implicit_sync < 0
				? "implicit synchronisation (yes or no)"
				: NULL;

	row.effort = XS_EFFORT_SPLIT;
	if (xs_closed_form_abstains(&row, lacks, out))
		return;
	snprintf(row.why, sizeof(row.why),
		 "the paper has no equation for %d copy engines with implicit "
		 "synchronisation",
		 m->copy_engines);
	xs_estimates_add(out, &row);
}

static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	const struct xs_vw_instance i = xs_vw_instantiate(c, xs_vw_rates_alone);
	const enum xs_vw_class device = class_of(c);
	const bool searched = !n;
	struct xs_estimate row;
	unsigned holds, first;

	if (device == XS_VW_CLASS_NONE) {
		abstain_class(c, out);
		return;
	}
	first = device == XS_VW_CLASS_1 ? 1 : device == XS_VW_CLASS_2 ? 3 : 5;
	row = streams_row(first, n);
	if (xs_closed_form_abstains(&row, xs_vw_unknown(&i, true), out))
		return;
	if (searched)
		n = xs_vw_best_streams(device, &i.params, &i.load);
	holds = xs_vw_streams_eq(device, &i.params, &i.load, n);
	if (c->dominated && holds == first + 1)
		add_dominated(&i, first, holds, n, out);
	row = streams_row(holds, n);
	explain_streams(&row, &c->work, &i, holds, searched);
	xs_vw_add_row(c, &row, equations[holds].f, xs_vw_rates_alone, out);
	if (c->dominated && holds == first && device != XS_VW_CLASS_3)
		add_dominated(&i, first + 1, holds, n, out);
}

const struct xs_closed_form_kind xs_closed_form_streams = {"streams", add};
