/* SPDX-License-Identifier: MIT */
/* Streams in, mapped writes out: van Werkhoven 2014, equation 5 on every class.
 */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* G of copies and mapped writes against each other (Table II, explicit-mapped),
 * if the machine has it. */
static struct xs_vw_rates colliding(const struct xs_machine *m,
				    const struct xs_workload *w)
{
	struct xs_vw_rates rates = xs_vw_rates_alone(m, w);

	if (!isnan(m->mapped_write_vs_h2d.value))
		rates.G_out = m->mapped_write_vs_h2d.value;
	if (!isnan(m->h2d_vs_mapped_write.value))
		rates.G_in = m->h2d_vs_mapped_write.value;
	return rates;
}

/*
 * The same with the mean G of the copies. Table II has the mean over transfers
 * of one size. A calibrated rate holds only during the writes, which may nearly
 * stop the copies; the rest of the copies runs alone.
 */
static struct xs_vw_rates colliding_mean(const struct xs_machine *m,
					 const struct xs_workload *w)
{
	struct xs_vw_rates rates = colliding(m, w);
	const double writes_ns = w->d2h_bytes * rates.G_out;
	const double under_bytes = writes_ns / rates.G_in;

	if (under_bytes < w->h2d_bytes)
		rates.G_in = (writes_ns +
			      (w->h2d_bytes - under_bytes) * m->G_h2d.value) /
			     w->h2d_bytes;
	return rates;
}

static void add_row(const struct xs_closed_form *c, const char *model,
		    xs_vw_rates_fn rates, unsigned n, const char *why,
		    struct xs_estimates *out)
{
	const struct xs_vw_instance i = xs_vw_instantiate(c, rates);
	struct xs_estimate row = xs_closed_form_row("hybrid", model);

	row.n_streams = n;
	row.effort = XS_EFFORT_REWRITE;
	row.assumes_once = true;
	row.assumes[0] = xs_closed_form_once;
	row.assumes[1] = xs_closed_form_split;
	row.assumes[2] = xs_closed_form_issue;
	if (xs_closed_form_abstains(&row, xs_vw_unknown(&i, true), out))
		return;
	if (!n)
		row.n_streams =
		    xs_vw_best_streams(XS_VW_CLASS_3, &i.params, &i.load);
	snprintf(row.why, sizeof(row.why), "%s", why);
	xs_vw_add_row(c, &row, xs_vw_eq5_ns, rates, out);
}

/* As printed, and for a calibrated machine with the mean G. */
static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	const bool known = !isnan(m->h2d_vs_mapped_write.value);
	add_row(c, "vanwerkhoven2014-eq5", colliding, n,
		known ? "streams in, mapped writes out, with the G of "
			"each against the other"
		      : "streams in, mapped writes out, with the G of "
			"copies: that of copies against mapped writes "
			"is not known",
		out);

	if (!known || strcmp(m->source, "published") == 0 ||
	    !isnan(c->work.h2d_ns) || !isnan(c->work.d2h_ns))
		return;
	add_row(c, "vanwerkhoven2014-eq5-mean-G", colliding_mean, n,
		"not as printed: copies have the G against mapped "
		"writes only while there are writes",
		out);
}

const struct xs_closed_form_kind xs_closed_form_hybrid = {"hybrid", add};
