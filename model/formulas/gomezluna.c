/* SPDX-License-Identifier: MIT */
#include "model/formulas/gomezluna.h"

#include <math.h>

enum xs_gl_class xs_gl_class_of(int copy_engines, int implicit_sync)
{
	if (copy_engines != 1 || implicit_sync < 0)
		return XS_GL_CLASS_NONE;
	return implicit_sync ? XS_GL_CLASS_2X : XS_GL_CLASS_1X;
}

/* t_T */
static double transfers(const struct xs_gl_load *load)
{
	return load->in_ns + load->out_ns;
}

unsigned xs_gl_time_equation(enum xs_gl_class device,
			     const struct xs_gl_load *load, double n)
{
	const double all = transfers(load);

	switch (device) {
	case XS_GL_CLASS_1X:
		return all > load->kernel_ns + all / n ? 1 : 3;
	case XS_GL_CLASS_2X:
		return load->in_ns > load->kernel_ns ? 5 : 7;
	default:
		return 0;
	}
}

double xs_gl_time_ns(unsigned equation, const struct xs_gl_load *load, double n)
{
	const double overhead = load->create_ns * n; /* t_oh */

	switch (equation) {
	case 1:
		return transfers(load) + overhead;
	case 3:
		return load->kernel_ns + transfers(load) / n + overhead;
	case 5:
		return load->in_ns + load->kernel_ns / n + load->out_ns +
		       overhead;
	case 7:
		return load->in_ns / n + load->kernel_ns + load->out_ns +
		       overhead;
	default:
		return NAN;
	}
}

double xs_gl_best_real(unsigned equation, const struct xs_gl_load *load)
{
	const double all = transfers(load);

	switch (equation) {
	case 2:
		return all / (all - load->kernel_ns);
	case 4:
		return sqrt(all / load->create_ns);
	case 6:
		return sqrt(load->kernel_ns / load->create_ns);
	case 8:
		return sqrt(load->in_ns / load->create_ns);
	default:
		return NAN;
	}
}

unsigned xs_gl_best_equation(enum xs_gl_class device,
			     const struct xs_gl_load *load)
{
	switch (device) {
	case XS_GL_CLASS_1X:
		return transfers(load) > load->kernel_ns &&
			       xs_gl_best_real(2, load) <
				   xs_gl_best_real(4, load)
			   ? 2
			   : 4;
	case XS_GL_CLASS_2X:
		return load->in_ns > load->kernel_ns ? 6 : 8;
	default:
		return 0;
	}
}

static double time_of(enum xs_gl_class device, const struct xs_gl_load *load,
		      unsigned n)
{
	return xs_gl_time_ns(xs_gl_time_equation(device, load, n), load, n);
}

unsigned xs_gl_best_streams(enum xs_gl_class device,
			    const struct xs_gl_load *load)
{
	const unsigned equation = xs_gl_best_equation(device, load);
	const double real = xs_gl_best_real(equation, load);
	unsigned n;

	if (!equation)
		return 0;
	if (real >= XS_GL_STREAMS_MAX)
		return XS_GL_STREAMS_MAX;
	n = real >= 1 ? (unsigned)real : 1;
	return time_of(device, load, n + 1) < time_of(device, load, n) ? n + 1
								       : n;
}
