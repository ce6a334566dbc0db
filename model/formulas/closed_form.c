/* SPDX-License-Identifier: MIT */
#include "model/formulas/closed_form.h"

#include "model/machine/range_end.h"

#include <math.h>
#include <stdio.h>

const char xs_closed_form_split[] =
    "the kernel and its data split into n independent pieces";
const char xs_closed_form_issue[] =
    "the host's calls take no time and are issued breadth first";
const char xs_closed_form_once[] = "each byte crosses the bus once";

struct xs_estimate xs_closed_form_row(const char *strategy, const char *model)
{
	return (struct xs_estimate){.strategy = strategy,
				    .model = model,
				    .round_ns = NAN,
				    .low_ns = NAN,
				    .high_ns = NAN,
				    .otherwise_ns = NAN,
				    .tracer_ns = NAN};
}

bool xs_closed_form_abstains(struct xs_estimate *row, const char *parameter,
			     struct xs_estimates *out)
{
	if (!parameter)
		return false;
	snprintf(row->why, sizeof(row->why),
		 "the profile lacks %s; `xferspy calibrate` measures it",
		 parameter);
	xs_estimates_add(out, row);
	return true;
}

struct xs_vw_rates xs_vw_rates_alone(const struct xs_machine *m,
				     const struct xs_workload *work)
{
	(void)work;
	return (struct xs_vw_rates){m->G_h2d.value, m->G_d2h.value,
				    m->g_h2d_ns.value, m->g_d2h_ns.value};
}

double xs_vw_transfer_ns(double ns, double bytes, double G)
{
	if (!isnan(ns))
		return ns;
	return bytes > 0 ? bytes * G : 0;
}

static struct xs_vw_instance instance_at(const struct xs_closed_form *c,
					 enum xs_range_end side,
					 xs_vw_rates_fn rates_of)
{
	const struct xs_machine m = xs_machine_at(c->machine, side);
	const struct xs_workload *w = &c->work;
	const struct xs_vw_rates rates = rates_of(&m, w);

	return (struct xs_vw_instance){
	    .params = {m.lo_h2d_ns.value, m.lo_d2h_ns.value, rates.g_in_ns,
		       rates.g_out_ns},
	    .load = {xs_vw_transfer_ns(w->h2d_ns, w->h2d_bytes, rates.G_in),
		     xs_vw_transfer_ns(w->d2h_ns, w->d2h_bytes, rates.G_out),
		     w->kernel_ns}};
}

struct xs_vw_instance xs_vw_instantiate(const struct xs_closed_form *c,
					xs_vw_rates_fn rates)
{
	return instance_at(c, XS_RANGE_VALUE, rates);
}

const char *xs_vw_unknown(const struct xs_vw_instance *i, bool gaps)
{
	if (isnan(i->params.lo_in_ns) || isnan(i->params.lo_out_ns))
		return "L+o";
	if (isnan(i->load.in_ns) || isnan(i->load.out_ns))
		return "G";
	if (gaps && (isnan(i->params.g_in_ns) || isnan(i->params.g_out_ns)))
		return "g";
	return NULL;
}

void xs_vw_add_row(const struct xs_closed_form *c, struct xs_estimate *row,
		   xs_vw_equation equation, xs_vw_rates_fn rates,
		   struct xs_estimates *out)
{
	const double n = row->n_streams ? row->n_streams : 1;
	struct xs_vw_instance i = instance_at(c, XS_RANGE_LOW, rates);

	row->low_ns = equation(&i.params, &i.load, n) + c->extra_ns;
	i = instance_at(c, XS_RANGE_HIGH, rates);
	row->high_ns = equation(&i.params, &i.load, n) + c->extra_ns;
	i = instance_at(c, XS_RANGE_VALUE, rates);
	row->round_ns = equation(&i.params, &i.load, n) + c->extra_ns;
	row->applies = true;
	xs_estimates_add(out, row);
}
