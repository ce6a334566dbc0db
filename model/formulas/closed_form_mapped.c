/* SPDX-License-Identifier: MIT */
/* Mapped memory: van Werkhoven 2014, equation 6. */
#include "model/formulas/closed_forms.h"

#include <stdio.h>

static double eq6(const struct xs_vw_params *p, const struct xs_vw_load *w,
		  double n)
{
	(void)n;
	return xs_vw_eq6_ns(p, w);
}

static int add(const struct xs_closed_form *c, unsigned n,
	       struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("mapped", "vanwerkhoven2014-eq6");
	const struct xs_vw_instance i = xs_vw_instantiate(c, xs_vw_rates_alone);

	(void)n;
	row.effort = XS_EFFORT_REWRITE;
	row.assumes_once = true;
	row.assumes[0] = xs_closed_form_once;
	row.assumes[1] = "mapped accesses are as fast as copies";
	if (xs_vw_unknown(&i, false))
		return xs_closed_form_abstain(&row, xs_vw_unknown(&i, false),
					      out);
	snprintf(row.why, sizeof(row.why),
		 "the longest of reads, kernel and writes, and the latencies");
	return xs_vw_add_row(c, &row, eq6, xs_vw_rates_alone, out);
}

const struct xs_closed_form_kind xs_closed_form_mapped = {"mapped", add};
