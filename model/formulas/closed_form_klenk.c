/* SPDX-License-Identifier: MIT */
/*
 * Klenk, Oden and Froening 2014 between one GPU and its host. The host's and
 * the assisted control use a copy engine; direct control uses stores and loads
 * of a kernel, without descriptors, and one message of 64 bytes for the flag. L
 * is then that of a flag that follows the data out, or of the answer to a load.
 */
#include "model/formulas/closed_form_klenk.h"

#include "model/machine/range_end.h"

#include <math.h>

/* p_x is between r / 2 and 3 r / 2, with mean r (klenk.h). */
static double poll_share(enum xs_range_end side)
{
	return side == XS_RANGE_LOW ? 0.5 : side == XS_RANGE_HIGH ? 1.5 : 1;
}

/* G of one block's loads or stores; NAN: unknown. What all connections store
 * shares the L2 cache. */
static double block_byte_ns(const struct xs_machine *m, bool out,
			    const struct xs_klenk_load *load)
{
	const double near = m->block_store.value;
	const double far = m->block_store_far.value;

	if (!out)
		return m->block_load.value;
	if (isnan(far) || m->l2_bytes <= 0)
		return near;
	return near + (far - near) *
			  xs_klenk_far_share(load->bytes * load->connections,
					     m->l2_bytes);
}

/* The path of a direction. L+o of the profile contains o. */
static struct xs_klenk_path path_of(const struct xs_machine *machine,
				    const struct xs_control_estimate *row,
				    const struct xs_klenk_load *load,
				    enum xs_range_end side)
{
	const struct xs_machine m = xs_machine_at(machine, side);
	const bool out = row->to_host;
	const bool direct = row->control == XS_CONTROL_DIRECT;
	const bool device = row->polled && row->polled[0] == 'd';
	const double lo_ns = out ? m.lo_d2h_ns.value : m.lo_h2d_ns.value;
	const double gap_ns = out ? m.g_d2h_ns.value : m.g_h2d_ns.value;
	const double G = out ? m.G_d2h.value : m.G_h2d.value;
	const double mapped = out ? m.mapped_write.value : m.mapped_read.value;
	const double block = block_byte_ns(&m, out, load);

	return (struct xs_klenk_path){
	    .sync_ns = m.sync_ns.value,
	    .host_ns = m.call_copy_async_ns.value,
	    .latency_ns = !direct ? lo_ns - m.call_copy_async_ns.value
			  : out	  ? m.flag_ns.value
				  : m.poll_system_ns.value,
	    .byte_ns = direct ? fmax(mapped, block) : G,
	    .link_byte_ns = direct ? mapped : G,
	    .launch_ns = m.call_launch_ns.value + m.launch_latency_ns.value,
	    .flag_ns = m.flag_ns.value,
	    .poll_host_ns = m.poll_host_ns.value,
	    .store_ns = m.store_64_ns.value,
	    .read_ns = poll_share(side) * (device ? m.poll_device_ns.value
						  : m.poll_system_ns.value),
	    .proxy_ns = m.proxy_ns.value,
	    /* one engine, or no limit but the link's */
	    .rate_max = direct ? INFINITY : 1e9 / gap_ns};
}

/* Returns the first parameter of the row that the machine lacks, or NULL. */
static const char *unknown_of(const struct xs_control_estimate *row,
			      const struct xs_klenk_path *path)
{
	const bool host = row->control == XS_CONTROL_HOST;
	const bool direct = row->control == XS_CONTROL_DIRECT;
	const bool assisted = row->control == XS_CONTROL_ASSISTED;
	const struct {
		bool used;
		double value;
		const char *name;
	} needs[] = {
	    {!direct, path->sync_ns, "sync_ns"},
	    {!direct, path->host_ns, "call_copy_async_ns"},
	    {assisted, path->flag_ns, "flag_ns"},
	    {direct, path->latency_ns,
	     row->to_host ? "flag_ns" : "poll_system_ns"},
	    {!direct, path->latency_ns,
	     row->to_host ? "lo_d2h_ns" : "lo_h2d_ns"},
	    {!direct, path->byte_ns, row->to_host ? "G_d2h" : "G_h2d"},
	    {direct, path->byte_ns,
	     row->to_host ? "mapped_write" : "mapped_read"},
	    {host, path->launch_ns, "call_launch_ns or launch_latency_ns"},
	    {host, path->rate_max, row->to_host ? "g_d2h_ns" : "g_h2d_ns"},
	    {assisted, path->poll_host_ns, "poll_host_ns"},
	    {assisted, path->proxy_ns, "proxy_ns"},
	    {direct, path->store_ns, "store_64_ns"},
	    {!host, path->read_ns,
	     row->polled && row->polled[0] == 'd' ? "poll_device_ns"
						  : "poll_system_ns"},
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (needs[i].used && isnan(needs[i].value))
			return needs[i].name;
	return NULL;
}

static void fill(const struct xs_machine *machine,
		 const struct xs_klenk_load *load,
		 struct xs_control_estimate *row)
{
	struct xs_klenk_path path = path_of(machine, row, load, XS_RANGE_VALUE);

	row->ns = row->low_ns = row->high_ns = row->rate = NAN;
	row->unknown = unknown_of(row, &path);
	if (row->unknown)
		return;
	row->term_count = xs_klenk_terms(row->control, &path, load, row->terms);
	row->ns = xs_klenk_ns(row->control, &path, load);
	row->rate = xs_klenk_rate(row->control, &path, load);
	path = path_of(machine, row, load, XS_RANGE_LOW);
	row->low_ns = xs_klenk_ns(row->control, &path, load);
	path = path_of(machine, row, load, XS_RANGE_HIGH);
	row->high_ns = xs_klenk_ns(row->control, &path, load);
}

void xs_closed_form_klenk(const struct xs_machine *machine, bool to_host,
			  double bytes, double connections,
			  struct xs_control_estimate rows[XS_CONTROL_ROWS])
{
	static const struct xs_control_estimate kinds[XS_CONTROL_ROWS] = {
	    {XS_CONTROL_HOST, "host", "klenk2014-eq1", .polled = NULL},
	    {XS_CONTROL_ASSISTED, "assisted", "klenk2014-eq2",
	     .polled = "system"},
	    {XS_CONTROL_DIRECT, "direct", "klenk2014-eq3", .polled = "system"},
	    {XS_CONTROL_DIRECT, "direct", "klenk2014-eq3", .polled = "device"},
	};
	const struct xs_klenk_load load = {
	    .bytes = bytes, .stores = 1, .connections = connections};

	for (size_t i = 0; i < XS_CONTROL_ROWS; i++) {
		rows[i] = kinds[i];
		rows[i].to_host = to_host;
		fill(machine, &load, &rows[i]);
	}
}
