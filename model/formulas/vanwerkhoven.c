/* SPDX-License-Identifier: MIT */
#include "model/formulas/vanwerkhoven.h"

#include <math.h>

enum xs_vw_class xs_vw_class_of(int copy_engines, int implicit_sync)
{
	if (copy_engines == 1 && implicit_sync == 1)
		return XS_VW_CLASS_1;
	if (copy_engines == 1 && implicit_sync == 0)
		return XS_VW_CLASS_2;
	if (copy_engines >= 2 && implicit_sync == 0)
		return XS_VW_CLASS_3;
	return XS_VW_CLASS_NONE;
}

/* All copies of n streams in one direction, from the products B G: section V's
 * L+o + B G + g (n - 1). */
static double all_in(const struct xs_vw_params *p, const struct xs_vw_load *w,
		     double n)
{
	return p->lo_in_ns + w->in_ns + p->g_in_ns * (n - 1);
}

static double all_out(const struct xs_vw_params *p, const struct xs_vw_load *w,
		      double n)
{
	return p->lo_out_ns + w->out_ns + p->g_out_ns * (n - 1);
}

/* The copy of one of n streams. */
static double one_in(const struct xs_vw_params *p, const struct xs_vw_load *w,
		     double n)
{
	return p->lo_in_ns + w->in_ns / n;
}

static double one_out(const struct xs_vw_params *p, const struct xs_vw_load *w,
		      double n)
{
	return p->lo_out_ns + w->out_ns / n;
}

double xs_vw_explicit_ns(const struct xs_vw_params *p,
			 const struct xs_vw_load *w)
{
	return all_in(p, w, 1) + w->kernel_ns + all_out(p, w, 1);
}

double xs_vw_eq1_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n)
{
	return one_in(p, w, n) + w->kernel_ns + all_out(p, w, n);
}

double xs_vw_eq2_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n)
{
	return all_in(p, w, n) + w->kernel_ns / n + all_out(p, w, n);
}

double xs_vw_eq3_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n)
{
	return one_in(p, w, n) + w->kernel_ns + one_out(p, w, n);
}

double xs_vw_eq4_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n)
{
	const double kernel = w->kernel_ns / n;
	const double link = all_in(p, w, n) + all_out(p, w, n);
	const double in = all_in(p, w, n) + kernel + one_out(p, w, n);
	const double out = one_in(p, w, n) + kernel + all_out(p, w, n);

	return fmax(link, fmax(in, out));
}

double xs_vw_eq5_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n)
{
	const double kernel = w->kernel_ns / n;
	const double in = all_in(p, w, n) + kernel + one_out(p, w, n);
	const double compute = xs_vw_eq3_ns(p, w, n);
	const double out = one_in(p, w, n) + kernel + all_out(p, w, n);

	return fmax(in, fmax(compute, out));
}

double xs_vw_eq6_ns(const struct xs_vw_params *p, const struct xs_vw_load *w)
{
	const double latency = p->lo_in_ns + p->lo_out_ns;

	return latency + fmax(w->in_ns, fmax(w->kernel_ns, w->out_ns));
}

unsigned xs_vw_streams_eq(enum xs_vw_class device, const struct xs_vw_params *p,
			  const struct xs_vw_load *w, double n)
{
	switch (device) {
	case XS_VW_CLASS_1:
		return xs_vw_eq1_ns(p, w, n) > xs_vw_eq2_ns(p, w, n) ? 1 : 2;
	case XS_VW_CLASS_2:
		return xs_vw_eq3_ns(p, w, n) > xs_vw_eq4_ns(p, w, n) ? 3 : 4;
	case XS_VW_CLASS_3:
		return 5;
	default:
		return 0;
	}
}

double xs_vw_streams_ns(enum xs_vw_class device, const struct xs_vw_params *p,
			const struct xs_vw_load *w, double n)
{
	switch (xs_vw_streams_eq(device, p, w, n)) {
	case 1:
		return xs_vw_eq1_ns(p, w, n);
	case 2:
		return xs_vw_eq2_ns(p, w, n);
	case 3:
		return xs_vw_eq3_ns(p, w, n);
	case 4:
		return xs_vw_eq4_ns(p, w, n);
	case 5:
		return xs_vw_eq5_ns(p, w, n);
	default:
		return NAN;
	}
}

/*
 * Solves T + g (n - 1) = (t_E + T) / n, with T and g of the shorter direction:
 * the positive root of g n^2 + (T - g) n - (t_E + T) = 0.
 */
static double solve_eq4_condition(double transfer, double g, double kernel)
{
	const double b = transfer - g, c = kernel + transfer;

	if (g <= 0)
		return c / transfer;
	return (-b + sqrt(b * b + 4 * g * c)) / (2 * g);
}

double xs_vw_streams_formula(unsigned equation, const struct xs_vw_params *p,
			     const struct xs_vw_load *w, bool more_in)
{
	const double less = more_in ? w->out_ns : w->in_ns;
	const double g_less = more_in ? p->g_out_ns : p->g_in_ns;
	const double g_more = more_in ? p->g_in_ns : p->g_out_ns;

	switch (equation) {
	case 1: /* equation 1 uses g of the copies out */
		return sqrt(w->in_ns / p->g_out_ns);
	case 2: /* 2g: one of each direction */
		return sqrt(w->kernel_ns / (p->g_in_ns + p->g_out_ns));
	case 4:
		return solve_eq4_condition(less, g_less, w->kernel_ns);
	case 5: /* the longer direction pays g */
		return sqrt((less + w->kernel_ns) / g_more);
	default:
		return NAN;
	}
}

unsigned xs_vw_best_streams(enum xs_vw_class device,
			    const struct xs_vw_params *p,
			    const struct xs_vw_load *w)
{
	double best_ns = INFINITY, ns;
	unsigned n, best = 1;

	for (n = 1; n <= XS_VW_STREAMS_MAX; n++) {
		ns = xs_vw_streams_ns(device, p, w, n);
		if (ns < best_ns) {
			best_ns = ns;
			best = n;
		}
	}
	return best;
}

double xs_vw_data_intensity(const struct xs_vw_roofline *r)
{
	return r->flops / r->link_bytes;
}

double xs_vw_bound_device(const struct xs_vw_roofline *r)
{
	return fmin(r->peak_flops,
		    r->memory_bandwidth * r->flops / r->memory_bytes);
}

double xs_vw_bound_full_overlap(const struct xs_vw_roofline *r)
{
	return fmin(xs_vw_bound_device(r),
		    r->link_bandwidth * xs_vw_data_intensity(r));
}

double xs_vw_bound_zero_overlap(const struct xs_vw_roofline *r)
{
	return r->flops / (r->link_bytes / r->link_bandwidth +
			   r->flops / xs_vw_bound_device(r));
}

double xs_vw_bound_mapped(const struct xs_vw_roofline *r)
{
	return fmin(r->peak_flops,
		    r->link_bandwidth * r->flops / r->memory_bytes);
}
