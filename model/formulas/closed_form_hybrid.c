/* SPDX-License-Identifier: MIT */
/* Streams in, mapped writes out: van Werkhoven 2014, equation 5 on every class.
 */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* G of copies and mapped writes against each other, if the machine has it. */
static struct xs_vw_rates colliding(const struct xs_machine *m,
				    const struct xs_workload *w)
{
	struct xs_vw_rates rates = xs_vw_rates_alone(m, w);

	if (!isnan(m->mapped_write_vs_h2d.value))
		rates.G_out = m->mapped_write_vs_h2d.value;
	if (!isnan(m->h2d_vs_mapped_write.value))
		rates.G_in = colliding_G_in(m, w, rates.G_out);
	return rates;
}

static int add(const struct xs_closed_form *c, unsigned n,
	       struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("hybrid", "vanwerkhoven2014-eq5");
	const struct xs_vw_instance i = xs_vw_instantiate(c, colliding);

	row.n_streams = n;
	row.effort = XS_EFFORT_REWRITE;
	row.assumes_once = true;
	row.assumes[0] = xs_closed_form_once;
	row.assumes[1] = xs_closed_form_split;
	row.assumes[2] = xs_closed_form_issue;
	if (xs_vw_unknown(&i, true))
		return xs_closed_form_abstain(&row, xs_vw_unknown(&i, true),
					      out);
	if (!n)
		row.n_streams =
		    xs_vw_best_streams(XS_VW_CLASS_3, &i.params, &i.load);
	snprintf(row.why, sizeof(row.why),
		 isnan(c->machine->h2d_vs_mapped_write.value)
		     ? "streams in, mapped writes out, with the G of copies: "
		       "that of copies against mapped writes is not known"
		     : "streams in, mapped writes out, with the G of each "
		       "against the other");
	return xs_vw_add_row(c, &row, xs_vw_eq5_ns, colliding, out);
}

const struct xs_closed_form_kind xs_closed_form_hybrid = {"hybrid", add};
