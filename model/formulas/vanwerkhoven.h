/* SPDX-License-Identifier: MIT */
/*
 * B. van Werkhoven, J. Maassen, F. J. Seinstra, H. E. Bal: Performance models
 * for CPU-GPU data transfers, CCGrid 2014. Each equation as printed, under its
 * number; docs/models.md lists known errors.
 *
 * Times are ns, sizes are bytes. Figure 7 writes L+o and g without a direction.
 * Here a transfer to the device uses the parameters of that direction (in) and
 * a transfer back those of the other (out), as the paper's Table I measures
 * them.
 */
#pragma once

#include <stdbool.h>

/* The classes of device in section IV. */
enum xs_vw_class {
	XS_VW_CLASS_NONE = 0, /* the paper has no equations for it */
	XS_VW_CLASS_1,	      /* implicit synchronisation, 1 copy engine */
	XS_VW_CLASS_2,	      /* none, 1 copy engine */
	XS_VW_CLASS_3,	      /* none, 2 copy engines */
};

/* implicit_sync: 1, 0, or -1 for unknown; copy_engines: 0 for unknown. */
enum xs_vw_class xs_vw_class_of(int copy_engines, int implicit_sync);

struct xs_vw_params {
	double lo_in_ns, lo_out_ns; /* L+o */
	double g_in_ns, g_out_ns;   /* g */
};

/* One round: in_ns = B_hd * G_hd, out_ns = B_dh * G_dh, and kernel_ns = t_E,
 * each summed over all streams. */
struct xs_vw_load {
	double in_ns, out_ns, kernel_ns;
};

/* Copies in, kernel and copies out in sequence: t_E between two transfers of
 * section V (the paper's Explicit). */
double xs_vw_explicit_ns(const struct xs_vw_params *p,
			 const struct xs_vw_load *w);

/*
 * Equations 1 to 6 of Figure 7 for n streams. 1 and 2: class 1, kernels or
 * transfers dominant. 3 and 4: the same for class 2. 5: class 3, and Hybrid on
 * every class. 6: mapped memory (independent of n).
 */
double xs_vw_eq1_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n);
double xs_vw_eq2_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n);
double xs_vw_eq3_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n);
double xs_vw_eq4_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n);
double xs_vw_eq5_ns(const struct xs_vw_params *p, const struct xs_vw_load *w,
		    double n);
double xs_vw_eq6_ns(const struct xs_vw_params *p, const struct xs_vw_load *w);

/*
 * Returns the time of n streams on a class of device. For classes 1 and 2 it is
 * the larger one of the two scenarios, which is the one that holds (proof in
 * docs/models.md). NAN for XS_VW_CLASS_NONE.
 */
double xs_vw_streams_ns(enum xs_vw_class device, const struct xs_vw_params *p,
			const struct xs_vw_load *w, double n);

/* Returns the number (1 to 5) of the equation behind xs_vw_streams_ns(); 0 for
 * no class. */
unsigned xs_vw_streams_eq(enum xs_vw_class device, const struct xs_vw_params *p,
			  const struct xs_vw_load *w, double n);

/*
 * Section VI's formula for the number of streams under an equation, as a real
 * number: eq. 1 sqrt(B_hd G_hd / g), eq. 2 sqrt(t_E / 2g), eq. 4 the solution
 * of its condition, eq. 5 sqrt((B G + t_E) / g) with B G of the direction with
 * fewer bytes. NAN for eq. 3, whose time falls with every n. more_in: B_hd >
 * B_dh, by which the paper branches in 4 and 5. It leaves equality open; any
 * value is right then, and both differ by G and g only.
 */
double xs_vw_streams_formula(unsigned equation, const struct xs_vw_params *p,
			     const struct xs_vw_load *w, bool more_in);

/* The largest number of streams that the paper tried (Figures 5 and 6), and the
 * limit of the search for the best number. */
#define XS_VW_STREAMS_MAX 256u

/*
 * Returns the smallest number of streams, from 1 to XS_VW_STREAMS_MAX, with the
 * minimal xs_vw_streams_ns(). Where the formula holds (class 1 away from t_E =
 * t_Thd, classes 2 and 3 with dominant transfers) it is one of the formula's
 * two neighbours.
 */
unsigned xs_vw_best_streams(enum xs_vw_class device,
			    const struct xs_vw_params *p,
			    const struct xs_vw_load *w);

/*
 * Section III-A: the roofline model with the link, in flop/s. The device: peak
 * flop/s, bytes/s of its memory, bytes/s of the link. The kernel: flops, bytes
 * of device memory moved, bytes that cross the link.
 */
struct xs_vw_roofline {
	double peak_flops, memory_bandwidth, link_bandwidth;
	double flops, memory_bytes, link_bytes;
};

double xs_vw_data_intensity(const struct xs_vw_roofline *r);
/* RM: the roofline of the device without the link. */
double xs_vw_bound_device(const struct xs_vw_roofline *r);
double xs_vw_bound_full_overlap(const struct xs_vw_roofline *r);
double xs_vw_bound_zero_overlap(const struct xs_vw_roofline *r);
double xs_vw_bound_mapped(const struct xs_vw_roofline *r);
