/* SPDX-License-Identifier: MIT */
/*
 * J. Gomez-Luna, J. M. Gonzalez-Linares, J. I. Benavides, N. Guil: Performance
 * models for CUDA streams on NVIDIA GeForce series, 2011. Each equation as
 * printed, under its number; docs/models.md lists known errors. Equations 1, 3,
 * 5 and 7 are the times of four scenarios; 2, 4, 6 and 8 the best number of
 * streams in each.
 */
#pragma once

/*
 * The paper's two classes of device (its Table 1). Both have one copy engine.
 */
enum xs_gl_class {
	XS_GL_CLASS_NONE = 0, /* the paper has no equations for it */
	XS_GL_CLASS_1X,	      /* no implicit synchronisation */
	XS_GL_CLASS_2X,	      /* implicit synchronisation */
};

/* implicit_sync: 1, 0, or -1 for unknown; copy_engines: 0 for unknown. */
enum xs_gl_class xs_gl_class_of(int copy_engines, int implicit_sync);

/* One round without streams, and the cost of a stream. All times in ns. */
struct xs_gl_load {
	double in_ns, out_ns; /* t_Thd, t_Tdh: all transfers of a direction,
			       * with latency */
	double kernel_ns;     /* t_E */
	double create_ns;     /* t_sc; every time includes t_oh = t_sc n */
};

/*
 * Returns the number (1, 3, 5, 7) of the equation whose condition n streams
 * meet; 0 for no class. The paper leaves equality open; both sides are equal
 * there, and it counts as kernel-dominant.
 */
unsigned xs_gl_time_equation(enum xs_gl_class device,
			     const struct xs_gl_load *load, double n);

/* Equation 1, 3, 5 or 7 for n streams, in ns; NAN for any other number. */
double xs_gl_time_ns(unsigned equation, const struct xs_gl_load *load,
		     double n);

/*
 * Returns the number (2, 4, 6, 8) of the equation for the best number of
 * streams; 0 for no class. On class 1.x it is 2 only if equation 2 asks for
 * fewer streams than 4: condition (3) holds up to the n of equation 2, and up
 * to there the minimum is at the n of equation 4.
 */
unsigned xs_gl_best_equation(enum xs_gl_class device,
			     const struct xs_gl_load *load);

/* Equation 2, 4, 6 or 8 as a real number; INFINITY if streams cost nothing; NAN
 * for any other number. */
double xs_gl_best_real(unsigned equation, const struct xs_gl_load *load);

/* The largest number of streams that the paper tried (section 3.1.1). */
#define XS_GL_STREAMS_MAX 64u

/* Returns the better of the two integers around xs_gl_best_real(), from 1 to
 * XS_GL_STREAMS_MAX; 0 for no class. */
unsigned xs_gl_best_streams(enum xs_gl_class device,
			    const struct xs_gl_load *load);
