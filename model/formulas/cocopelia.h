/* SPDX-License-Identifier: MIT */
/*
 * P. Anastasiadis, N. Papadopoulou, G. Goumas, N. Koziris: CoCoPeLia:
 * Communication-Computation Overlap Prediction for Efficient Linear Algebra on
 * GPUs, ISPASS 2021. The three-way pipeline of k equal pieces with the slowdown
 * of transfers in both directions at once. docs/models.md lists known errors.
 *
 * Times are ns, sizes are bytes.
 */
#pragma once

/* One direction: t_l + b t_b alone, and t_l + b t_b sl while the other
 * direction is busy. */
struct xs_cocopelia_link {
	double latency_ns; /* t_l */
	double byte_ns;	   /* t_b */
	double slowdown;   /* sl, at least 1 */
};

struct xs_cocopelia_machine {
	struct xs_cocopelia_link in, out;
};

/* All pieces together. */
struct xs_cocopelia_load {
	double in_bytes, out_bytes, kernel_ns;
};

/* Returns the time of one transfer alone; 0 without bytes. */
double xs_cocopelia_transfer_ns(const struct xs_cocopelia_link *link,
				double bytes);

/*
 * Returns t_over: the time of a transfer in and one out that start together.
 * Both are slowed until the shorter one ends; the rest of the longer one runs
 * alone.
 */
double xs_cocopelia_over_ns(const struct xs_cocopelia_machine *machine,
			    double in_bytes, double out_bytes);

/* Returns max(t_GPU, t_over) (k - 1) + t_in + t_GPU + t_out, with the times of
 * one of k pieces. */
double xs_cocopelia_ns(const struct xs_cocopelia_machine *machine,
		       const struct xs_cocopelia_load *load, double k);
