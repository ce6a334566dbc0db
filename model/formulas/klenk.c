/* SPDX-License-Identifier: MIT */
#include "model/formulas/klenk.h"

#include <math.h>
#include <stdbool.h>

double xs_klenk_poll_ns(const struct xs_klenk_path *path)
{
	return path->read_ns + path->consume_ns;
}

double xs_klenk_far_share(double bytes, double l2_bytes)
{
	return bytes <= l2_bytes / 2 ? 0 : bytes <= l2_bytes ? 0.5 : 1;
}

static double post_ns(const struct xs_klenk_path *path,
		      const struct xs_klenk_load *load)
{
	return load->descriptors * path->post_ns +
	       load->stores * path->store_ns;
}

size_t xs_klenk_terms(enum xs_control control, const struct xs_klenk_path *path,
		      const struct xs_klenk_load *load,
		      struct xs_klenk_term terms[XS_KLENK_TERMS])
{
	const bool host = control == XS_CONTROL_HOST;
	const bool direct = control == XS_CONTROL_DIRECT;
	const double bytes_ns = load->bytes * path->byte_ns;
	const struct {
		bool used;
		struct xs_klenk_term term;
	} all[] = {
	    {control == XS_CONTROL_ASSISTED,
	     {"w_flag", "the request becomes visible", path->flag_ns}},
	    {control == XS_CONTROL_ASSISTED,
	     {"p_host", "the host thread polls", path->poll_host_ns}},
	    {direct, {"post", "the GPU posts or stores", post_ns(path, load)}},
	    {!direct, {"o_h", "the host posts the copy", path->host_ns}},
	    {true, {"L", "latency", path->latency_ns}},
	    {true, {"k G", "bytes", bytes_ns}},
	    {!direct, {"sigma", "the host waits", path->sync_ns}},
	    {host, {"launch", "the next kernel starts", path->launch_ns}},
	    {!host, {"p_x", "the GPU polls", xs_klenk_poll_ns(path)}},
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].used)
			terms[n++] = all[i].term;
	return n;
}

double xs_klenk_ns(enum xs_control control, const struct xs_klenk_path *path,
		   const struct xs_klenk_load *load)
{
	struct xs_klenk_term terms[XS_KLENK_TERMS];
	const size_t count = xs_klenk_terms(control, path, load, terms);
	double ns = 0;

	for (size_t i = 0; i < count; i++)
		ns += terms[i].ns;
	return ns;
}

/* One connection at a time, per ns. */
static double alone(enum xs_control control, const struct xs_klenk_path *path,
		    const struct xs_klenk_load *load)
{
	if (control == XS_CONTROL_HOST)
		return 1 / path->host_ns;
	if (control == XS_CONTROL_ASSISTED)
		return 1 / xs_klenk_ns(control, path, load);
	return 1 / (post_ns(path, load) + xs_klenk_poll_ns(path));
}

double xs_klenk_rate(enum xs_control control, const struct xs_klenk_path *path,
		     const struct xs_klenk_load *load)
{
	const double most = control == XS_CONTROL_ASSISTED
				? 1e9 / path->proxy_ns
				: path->rate_max;
	const double rate =
	    1e9 * load->connections * alone(control, path, load);
	const double all_ns =
	    fmax(path->link_byte_ns > 0 ? path->link_byte_ns : path->byte_ns,
		 path->byte_ns / load->connections);

	return fmin(fmin(rate, most), 1e9 / (load->bytes * all_ns));
}
