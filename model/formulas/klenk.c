/* SPDX-License-Identifier: MIT */
#include "model/formulas/klenk.h"

#include <math.h>
#include <stdbool.h>

double xs_klenk_far_share(double bytes, double l2_bytes)
{
	return bytes <= l2_bytes / 2 ? 0 : bytes <= l2_bytes ? 0.5 : 1;
}

/* G of all connections together. */
static double link_byte_ns(const struct xs_klenk_path *path)
{
	return path->link_byte_ns > 0 ? path->link_byte_ns : path->byte_ns;
}

/* k G of what c connections move together. The link began so long before. */
static double bytes_ns(const struct xs_klenk_path *path, double bytes, double c,
		       double before_ns)
{
	const double rest = fmax(0, bytes - c * path->flight_bytes);

	return fmax(rest * path->byte_ns / c,
		    bytes * link_byte_ns(path) - before_ns);
}

size_t xs_klenk_terms(enum xs_control control, const struct xs_klenk_path *path,
		      const struct xs_klenk_load *load,
		      struct xs_klenk_term terms[XS_KLENK_TERMS])
{
	const bool host = control == XS_CONTROL_HOST;
	const bool direct = control == XS_CONTROL_DIRECT;
	const double k_ns = bytes_ns(path, load->bytes, load->connections, 0);
	const struct {
		bool used;
		const char *name, *what;
		double ns;
	} all[] = {
	    {control == XS_CONTROL_ASSISTED, "w_flag",
	     "the request becomes visible", path->flag_ns},
	    {control == XS_CONTROL_ASSISTED, "p_host", "the host thread polls",
	     path->poll_host_ns},
	    {direct, "W w", "the GPU stores the flag",
	     load->stores * path->store_ns},
	    {!direct, "o_h", "the host posts the copy", path->host_ns},
	    {true, "L", "latency", path->latency_ns},
	    {true, "k G", "bytes", k_ns},
	    {!direct, "sigma", "the host waits", path->sync_ns},
	    {host, "launch", "the next kernel starts", path->launch_ns},
	    {!host, "p_x", "the GPU polls", path->read_ns},
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].used)
			terms[n++] = (struct xs_klenk_term){.name = all[i].name,
							    .what = all[i].what,
							    .ns = all[i].ns};
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

/* Between two messages of c connections by direct control. */
static double direct_ns(const struct xs_klenk_path *path,
			const struct xs_klenk_load *load)
{
	const double c = load->connections;
	const double own_ns = load->stores * path->store_ns + path->read_ns;
	const double all_ns = c * load->bytes * link_byte_ns(path);
	double hidden_ns = 0;

	if (path->flight_bytes > 0 && all_ns > own_ns)
		hidden_ns = own_ns * (1 - own_ns / all_ns);
	return (own_ns + bytes_ns(path, c * load->bytes, c, hidden_ns)) / c;
}

double xs_klenk_rate(enum xs_control control, const struct xs_klenk_path *path,
		     const struct xs_klenk_load *load)
{
	struct xs_klenk_load alone = *load;
	double ns, most = path->rate_max;

	alone.connections = 1;
	switch (control) {
	case XS_CONTROL_HOST:
		ns = path->host_ns / load->connections;
		break;
	case XS_CONTROL_ASSISTED:
		ns = xs_klenk_ns(control, path, &alone) / load->connections;
		most = 1e9 / path->proxy_ns;
		break;
	default:
		ns = direct_ns(path, load);
	}
	ns = fmax(ns, load->bytes * link_byte_ns(path));
	return fmin(1e9 / ns, most);
}
