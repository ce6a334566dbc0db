/* SPDX-License-Identifier: MIT */
/*
 * Streams by Gomez-Luna 2011, for the paper's two classes of device: equation
 * 1, 3, 5 or 7 for n streams. The best n is a row of the equation that gives it
 * (2, 4, 6, 8). Adds one row, which abstains if the class, t_sc or the
 * transfers are unknown.
 */
#include "model/formulas/closed_forms.h"

#include "model/formulas/gomezluna.h"
#include "model/machine/range_end.h"

#include <math.h>
#include <stdio.h>

/* By equation: the row's model, and the formula of the equations for times. */
static const struct {
	const char *model, *formula;
} equations[] = {
    {NULL, NULL},
    {"gomezluna2011-eq1", "the copies hide the kernel: t_T + t_sc n"},
    {"gomezluna2011-eq2", NULL},
    {"gomezluna2011-eq3", "the kernel hides the copies except one piece: "
			  "t_E + t_T/n + t_sc n"},
    {"gomezluna2011-eq4", NULL},
    {"gomezluna2011-eq5", "the copies in hide the kernel except one piece: "
			  "t_Thd + t_E/n + t_Tdh + t_sc n"},
    {"gomezluna2011-eq6", NULL},
    {"gomezluna2011-eq7", "the kernel hides the copies in except one piece: "
			  "t_Thd/n + t_E + t_Tdh + t_sc n"},
    {"gomezluna2011-eq8", NULL},
};

static enum xs_gl_class class_of(const struct xs_closed_form *c)
{
	return xs_gl_class_of(c->machine->copy_engines,
			      c->machine->implicit_sync);
}

/* Returns the time of one direction without streams: as given, else L+o per
 * copy plus B G. */
static double transfer_ns(double ns, double bytes, double ops, double lo_ns,
			  double G)
{
	if (!isnan(ns))
		return ns;
	return bytes > 0 ? ops * lo_ns + bytes * G : 0;
}

static struct xs_gl_load load_at(const struct xs_closed_form *c,
				 enum xs_range_end side)
{
	const struct xs_machine m = xs_machine_at(c->machine, side);
	const struct xs_workload *w = &c->work;

	return (struct xs_gl_load){
	    transfer_ns(w->h2d_ns, w->h2d_bytes, c->in_ops, m.lo_h2d_ns.value,
			m.G_h2d.value),
	    transfer_ns(w->d2h_ns, w->d2h_bytes, c->out_ops, m.lo_d2h_ns.value,
			m.G_d2h.value),
	    w->kernel_ns, m.stream_create_ns.value};
}

static double time_at(const struct xs_closed_form *c, enum xs_range_end side,
		      unsigned n)
{
	const struct xs_gl_load load = load_at(c, side);

	return xs_gl_time_ns(xs_gl_time_equation(class_of(c), &load, n), &load,
			     n) +
	       c->extra_ns;
}

static void abstain_class(const struct xs_closed_form *c,
			  struct xs_estimate *row, struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	const char *lacks = !m->copy_engines ? "the number of copy engines"
			    : m->copy_engines == 1
				? "implicit synchronisation (yes or no)"
				: NULL;

	if (xs_closed_form_abstains(row, lacks, out))
		return;
	snprintf(row->why, sizeof(row->why),
		 "the paper's devices have one copy engine for both ways, this "
		 "one has %d",
		 m->copy_engines);
	xs_estimates_add(out, row);
}

/* Returns the name of a parameter that the load lacks, or NULL. */
static const char *unknown(const struct xs_closed_form *c,
			   const struct xs_gl_load *load)
{
	const struct xs_machine *m = c->machine;

	if (isnan(load->create_ns))
		return "t_sc (stream_create_ns)";
	if (!isnan(load->in_ns + load->out_ns))
		return NULL;
	return isnan(m->G_h2d.value) || isnan(m->G_d2h.value) ? "G" : "L+o";
}

/* Explains the time, and the best n. */
static void explain(struct xs_estimate *row, const struct xs_gl_load *load,
		    unsigned time, unsigned best)
{
	if (!best)
		snprintf(row->why, sizeof(row->why), "%s",
			 equations[time].formula);
	else if (row->n_streams == XS_GL_STREAMS_MAX)
		snprintf(row->why, sizeof(row->why),
			 "equation %u asks for %.1f streams, the most that the "
			 "paper tried are %u; time by equation %u",
			 best, xs_gl_best_real(best, load), XS_GL_STREAMS_MAX,
			 time);
	else
		snprintf(row->why, sizeof(row->why),
			 "best n by equation %u: %.1f; time by equation %u: %s",
			 best, xs_gl_best_real(best, load), time,
			 equations[time].formula);
}

static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", equations[1].model);
	const struct xs_gl_load load = load_at(c, XS_RANGE_VALUE);
	const enum xs_gl_class device = class_of(c);
	unsigned time, best = 0;

	row.effort = XS_EFFORT_SPLIT;
	if (device == XS_GL_CLASS_NONE) {
		abstain_class(c, &row, out);
		return;
	}
	if (xs_closed_form_abstains(&row, unknown(c, &load), out))
		return;
	if (!n) {
		best = xs_gl_best_equation(device, &load);
		n = xs_gl_best_streams(device, &load);
	}
	time = xs_gl_time_equation(device, &load, n);
	row.model = equations[best ? best : time].model;
	row.n_streams = n;
	row.assumes[0] = "the kernel and its data split into n independent "
			 "pieces";
	row.assumes[1] = "every round creates its streams";
	row.creates_streams = true;
	row.low_ns = time_at(c, XS_RANGE_LOW, n);
	row.high_ns = time_at(c, XS_RANGE_HIGH, n);
	row.round_ns = time_at(c, XS_RANGE_VALUE, n);
	row.applies = true;
	explain(&row, &load, time, best);
	xs_estimates_add(out, &row);
}

const struct xs_closed_form_kind xs_closed_form_gomezluna = {"streams", add};
