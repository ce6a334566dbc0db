/* SPDX-License-Identifier: MIT */
/*
 * Streams by equation 5 of van Werkhoven 2014 with the parameters of copies in
 * both directions at once. The paper prints G of such copies (Table II,
 * explicit-explicit) and no g; the second row takes g from them as well.
 */
#include "model/formulas/closed_forms.h"

#include <math.h>
#include <stdio.h>

static struct xs_vw_rates both_G(const struct xs_machine *m,
				 const struct xs_workload *work)
{
	struct xs_vw_rates rates = xs_vw_rates_alone(m, work);

	rates.G_in = m->G_both_h2d.value;
	rates.G_out = m->G_both_d2h.value;
	return rates;
}

static struct xs_vw_rates both_G_and_g(const struct xs_machine *m,
				       const struct xs_workload *work)
{
	struct xs_vw_rates rates = both_G(m, work);

	rates.g_in_ns = rates.g_out_ns = m->g_both_ns.value;
	return rates;
}

static const struct variant {
	const char *model;
	xs_vw_rates_fn rates;
	const char *why;
} variants[] = {
    {"vanwerkhoven2014-eq5-both-G", both_G,
     "equation 5 with G of copies in both directions at once (Table II)"},
    {"vanwerkhoven2014-eq5-both-Gg", both_G_and_g,
     "equation 5 with G and g of copies in both directions at once"},
};

static void add_variant(const struct xs_closed_form *c,
			const struct variant *variant, unsigned n,
			struct xs_estimates *out)
{
	const struct xs_vw_instance i = xs_vw_instantiate(c, variant->rates);
	struct xs_estimate row = xs_closed_form_row("streams", variant->model);

	if (xs_vw_unknown(&i, true))
		return; /* the form without them says what is missing */
	if (!n)
		n = xs_vw_best_streams(XS_VW_CLASS_3, &i.params, &i.load);
	row.n_streams = n;
	row.effort = XS_EFFORT_SPLIT;
	row.assumes[0] = xs_closed_form_split;
	row.assumes[1] = xs_closed_form_issue;
	row.assumes[2] = "copies in both directions slow each other all along";
	snprintf(row.why, sizeof(row.why), "%s", variant->why);
	xs_vw_add_row(c, &row, xs_vw_eq5_ns, variant->rates, out);
}

/* Only where copies run both ways at once: two engines, and bytes both ways. */
static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;

	if (xs_vw_class_of(m->copy_engines, m->implicit_sync) !=
		XS_VW_CLASS_3 ||
	    !(c->work.h2d_bytes > 0) || !(c->work.d2h_bytes > 0) ||
	    !isnan(c->work.h2d_ns) || !isnan(c->work.d2h_ns))
		return;
	for (size_t k = 0; k < sizeof(variants) / sizeof(variants[0]); k++)
		add_variant(c, &variants[k], n, out);
}

const struct xs_closed_form_kind xs_closed_form_both = {"streams", add};
