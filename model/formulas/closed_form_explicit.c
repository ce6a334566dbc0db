/* SPDX-License-Identifier: MIT */
/* Pinned copies without overlap: van Werkhoven 2014, section V, the paper's
 * Explicit. */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>

static double one_after_the_other(const struct xs_vw_params *p,
				  const struct xs_vw_load *w, double n)
{
	(void)n;
	return xs_vw_explicit_ns(p, w);
}

static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("pinned", "vanwerkhoven2014-explicit");
	const struct xs_vw_instance i = xs_vw_instantiate(c, xs_vw_rates_alone);
	struct xs_closed_form more = *c;

	(void)n;
	row.effort = XS_EFFORT_CALL;
	row.assumes[0] = "copies, kernel, copies, one after the other";
	if (xs_closed_form_abstains(&row, xs_vw_unknown(&i, false), out))
		return;
	/* Each further blocking copy pays its own L+o. */
	more.extra_ns += fmax(c->in_ops - 1, 0) * i.params.lo_in_ns +
			 fmax(c->out_ops - 1, 0) * i.params.lo_out_ns;
	snprintf(row.why, sizeof(row.why), "L+o + B G in, t_E, L+o + B G out");
	xs_vw_add_row(&more, &row, one_after_the_other, xs_vw_rates_alone, out);
}

const struct xs_closed_form_kind xs_closed_form_explicit = {"pinned", add};
