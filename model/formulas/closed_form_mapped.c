/* SPDX-License-Identifier: MIT */
/*
 * Mapped memory: van Werkhoven 2014, equation 6, as printed with each byte once
 * and the G of copies. "B_hd and B_dh become larger if elements in
 * device-mapped host memory are read or written multiple times" (section VI):
 * with counted crossings there is a row with those bytes, and one that has the
 * G of mapped accesses as well.
 */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>

static double eq6(const struct xs_vw_params *p, const struct xs_vw_load *w,
		  double n)
{
	(void)n;
	return xs_vw_eq6_ns(p, w);
}

/* G of mapped accesses, of both directions at once if there are both. */
static struct xs_vw_rates mapped_rates(const struct xs_machine *m,
				       const struct xs_workload *w)
{
	struct xs_vw_rates rates = {m->mapped_read.value, m->mapped_write.value,
				    0, 0};

	if (w->h2d_bytes > 0 && w->d2h_bytes > 0) {
		rates.G_in = m->mapped_both_read.value;
		rates.G_out = m->mapped_both_write.value;
	}
	return rates;
}

static struct xs_estimate new_row(const char *model)
{
	struct xs_estimate row = xs_closed_form_row("mapped", model);

	row.effort = XS_EFFORT_REWRITE;
	return row;
}

static void add_once(const struct xs_closed_form *c, struct xs_estimates *out)
{
	struct xs_estimate row = new_row("vanwerkhoven2014-eq6");
	const struct xs_vw_instance i = xs_vw_instantiate(c, xs_vw_rates_alone);

	row.assumes_once = true;
	row.assumes[0] = xs_closed_form_once;
	row.assumes[1] = "mapped accesses are as fast as copies";
	if (xs_closed_form_abstains(&row, xs_vw_unknown(&i, false), out))
		return;
	snprintf(row.why, sizeof(row.why),
		 "the longest of reads, kernel and writes, and the latencies");
	xs_vw_add_row(c, &row, eq6, xs_vw_rates_alone, out);
}

static void add_counted(const struct xs_closed_form *c, const char *model,
			xs_vw_rates_fn rates, struct xs_estimates *out)
{
	const double in = xs_vw_or_once(c->work.h2d_crossings);
	const double out_times = xs_vw_or_once(c->work.d2h_crossings);
	struct xs_estimate row = new_row(model);
	struct xs_closed_form counted = *c;
	struct xs_vw_instance i;

	counted.work.h2d_bytes *= in;
	counted.work.d2h_bytes *= out_times;
	i = xs_vw_instantiate(&counted, rates);
	if (xs_vw_unknown(&i, false))
		return; /* the row of equation 6 as printed explains it */
	row.assumes[0] = "each byte crosses the bus as often as counted";
	snprintf(row.why, sizeof(row.why),
		 "equation 6 with B of %.1f crossings in and %.1f out, and the "
		 "G of %s",
		 in, out_times,
		 rates == mapped_rates ? "mapped accesses" : "copies");
	xs_vw_add_row(&counted, &row, eq6, rates, out);
}

static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	const struct xs_workload *w = &c->work;

	(void)n;
	add_once(c, out);
	if (!(w->h2d_crossings > 0 || w->d2h_crossings > 0) ||
	    !isnan(w->h2d_ns) || !isnan(w->d2h_ns))
		return;
	add_counted(c, "vanwerkhoven2014-eq6-counted", xs_vw_rates_alone, out);
	add_counted(c, "vanwerkhoven2014-eq6-counted-mapped", mapped_rates,
		    out);
}

const struct xs_closed_form_kind xs_closed_form_mapped = {"mapped", add};
