/* SPDX-License-Identifier: MIT */
/*
 * B. Klenk, L. Oden, H. Froening: Analyzing Put/Get APIs for
 * Thread-collaborative Processors, 2014. Who starts a transfer: the host, a
 * host thread that the GPU asks, or the GPU itself. The paper prints no
 * equation; these are its steps as sums, numbered here. docs/models.md has what
 * they do not reproduce.
 *
 * Times are ns, sizes are bytes, rates are messages per second.
 */
#pragma once

#include <stddef.h>

enum xs_control {
	XS_CONTROL_HOST,     /* the host copies and launches what needs it */
	XS_CONTROL_ASSISTED, /* a host thread copies when the GPU asks */
	XS_CONTROL_DIRECT,   /* the GPU posts, or stores and loads, itself */
	XS_CONTROLS
};

/* One path and its ends. */
struct xs_klenk_path {
	double sync_ns;	     /* sigma: the host learns that a copy is done */
	double host_ns;	     /* o_h: the host posts a copy */
	double latency_ns;   /* L */
	double byte_ns;	     /* G of one connection */
	double link_byte_ns; /* G of all connections together; 0: the same */
	double launch_ns;    /* a kernel starts that needs the data */
	double flag_ns;	     /* w_flag: a store until the other side sees it */
	double poll_host_ns; /* p_host: a host thread reads a flag */
	double store_ns;     /* w: the GPU stores 64 bytes */
	double read_ns;	     /* r: the GPU reads the place that it polls */
	double proxy_ns;     /* s_proxy: the host thread's time of a request */
	double flight_bytes; /* a connection's first bytes, which arrive
			      * together, after L */
	double rate_max; /* R_max: of the path, per second; INFINITY: none */
};

/* Messages of k bytes; connections are blocks or kernels. All of them move one
 * message together (1 to 3), or each moves its own (5 to 7). */
struct xs_klenk_load {
	double bytes;	    /* k */
	double stores;	    /* W */
	double connections; /* c */
};

/* A part of a time, and its 90 % range. Both texts are static. */
struct xs_klenk_term {
	const char *name, *what;
	double ns, low_ns, high_ns;
};

#define XS_KLENK_TERMS 7

/*
 * Stores the terms of the time of one message under a control, in the order of
 * the equation, without ranges, and returns their number. A network card's
 * descriptors would be W w more in 3, loads and stores need none:
 *	1  T_H = o_h + L + k G + sigma + launch
 *	2  T_A = w_flag + p_host + o_h + L + k G + sigma + p_x
 *	3  T_D = W w + L + k G + p_x
 * In 2, sigma is 0 where the device that copies notifies the GPU, as network
 * cards do. p_x = r (4): the mean time from the moment at which a flag is in
 * memory until its poller has it, if it polls by one read after the other. A
 * read takes r / 2 to memory and r / 2 back, and the next one to arrive comes
 * after 0 to r, so that p_x is r / 2 to 3 r / 2.
 */
size_t xs_klenk_terms(enum xs_control control, const struct xs_klenk_path *path,
		      const struct xs_klenk_load *load,
		      struct xs_klenk_term terms[XS_KLENK_TERMS]);

/* Returns the sum of the terms. */
double xs_klenk_ns(enum xs_control control, const struct xs_klenk_path *path,
		   const struct xs_klenk_load *load);

/*
 * Returns the share (0 to 1) of a block's reads of device memory that take as
 * long as those of the memory itself, where so many bytes are read again and
 * again: 0 up to the half of the L2 cache that is next to its SM, 1 beyond all
 * of it, and 1/2 between.
 */
double xs_klenk_far_share(double bytes, double l2_bytes);

/*
 * Returns the messages per second of all connections together, at most
 * 1 / (k G):
 *	5  host      min(c / o_h, R_max)
 *	6  assisted  min(c / T_A, 1 / s_proxy)
 *	7  direct    min(1 / (T / c + k G), R_max), T = W w + p_x
 * G is that of all connections. In 7 a flag waits for the bytes before it, so
 * that both times add up. Where bytes arrive together (flight_bytes) and take
 * longer than T / c, they hide it but for the part T / (c k G) of it, in which
 * the link has none.
 */
double xs_klenk_rate(enum xs_control control, const struct xs_klenk_path *path,
		     const struct xs_klenk_load *load);
