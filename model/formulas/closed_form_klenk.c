/* SPDX-License-Identifier: MIT */
/*
 * Klenk, Oden and Froening 2014 between one GPU and its host. The host's and
 * the assisted control use a copy engine; direct control uses stores and loads
 * of a kernel, without descriptors, and one message of 64 bytes for the flag. L
 * is then what the host needs to see that flag, and that of the answer to a
 * load.
 */
#include "model/formulas/closed_form_klenk.h"

#include "model/machine/range_end.h"

#include <math.h>
#include <string.h>

/* p_x is between r / 2 and 3 r / 2, with mean r. */
static double poll_share(enum xs_range_end side)
{
	return side == XS_RANGE_LOW ? 0.5 : side == XS_RANGE_HIGH ? 1.5 : 1;
}

#define BLOCK_THREADS 512
/* What a block has in flight: a load of 16 bytes of each thread. */
#define FLIGHT_BYTES (BLOCK_THREADS * 16)
#define FLAG_BYTES   64 /* W = 1 */

double xs_closed_form_klenk_blocks(const struct xs_machine *machine)
{
	const int per_sm = machine->max_threads_per_sm / BLOCK_THREADS;
	const double blocks = (double)per_sm * machine->sm_count;

	return blocks > 0 ? blocks : XS_CONTROL_MEASURED;
}

static bool polls_device(const struct xs_control_estimate *row)
{
	return row->polled && row->polled[0] == 'd';
}

/* G of one block's loads or stores. All bytes that connections store share the
 * L2 cache. */
static double block_byte_ns(const struct xs_machine *m, bool out,
			    double stored_bytes)
{
	const double near = out ? m->block_store.value : m->block_load.value;
	const double far = m->block_store_far.value;

	if (!out || isnan(far) || m->l2_bytes <= 0)
		return near;
	return near +
	       (far - near) * xs_klenk_far_share(stored_bytes, m->l2_bytes);
}

struct xs_klenk_path xs_closed_form_klenk_flags(const struct xs_machine *m)
{
	return (struct xs_klenk_path){.latency_ns = m->flag_ns.value +
						    m->poll_host_ns.value,
				      .store_ns = m->store_64_ns.value,
				      .read_ns = m->poll_system_ns.value};
}

static struct xs_klenk_path copy_path(const struct xs_machine *m, bool out)
{
	const double lo_ns = out ? m->lo_d2h_ns.value : m->lo_h2d_ns.value;

	return (struct xs_klenk_path){
	    .sync_ns = m->sync_ns.value,
	    .host_ns = m->call_copy_async_ns.value,
	    .latency_ns = fmax(0, lo_ns - m->call_copy_async_ns.value),
	    .byte_ns = out ? m->G_d2h.value : m->G_h2d.value,
	    .launch_ns = m->call_launch_ns.value + m->launch_latency_ns.value,
	    .flag_ns = m->flag_ns.value,
	    .poll_host_ns = m->poll_host_ns.value,
	    .read_ns = m->poll_system_ns.value};
}

/* The flag in device memory is written by a copy. */
static struct xs_klenk_path direct_path(const struct xs_machine *m, bool out,
					bool device, double bytes)
{
	struct xs_klenk_path path = xs_closed_form_klenk_flags(m);

	if (!out)
		path.latency_ns += path.read_ns;
	if (device) {
		path.latency_ns += m->lo_h2d_ns.value;
		path.read_ns = m->poll_device_ns.value;
	}
	path.byte_ns = block_byte_ns(m, out, bytes);
	path.link_byte_ns = out ? m->mapped_write.value : m->mapped_read.value;
	path.flight_bytes = out ? 0 : FLIGHT_BYTES;
	path.rate_max = 1e9 / ((bytes + FLAG_BYTES) * path.link_byte_ns);
	return path;
}

/* The path of one message. L+o of the profile contains o. */
static struct xs_klenk_path path_of(const struct xs_machine *machine,
				    const struct xs_control_estimate *row,
				    const struct xs_klenk_load *load,
				    enum xs_range_end side)
{
	const struct xs_machine m = xs_machine_at(machine, side);
	struct xs_klenk_path path =
	    row->control == XS_CONTROL_DIRECT
		? direct_path(&m, row->to_host, polls_device(row), load->bytes)
		: copy_path(&m, row->to_host);

	path.read_ns *= poll_share(side);
	return path;
}

/* The path of many messages: a copy follows another one after g, the host
 * thread waits for its copy before it serves the next request, and blocks wait
 * for no answer. */
static struct xs_klenk_path stream_of(const struct xs_machine *m,
				      const struct xs_control_estimate *row,
				      const struct xs_klenk_load *load)
{
	const bool out = row->to_host;
	const double gap_ns = out ? m->g_d2h_ns.value : m->g_h2d_ns.value;
	const double own_ns = out ? m->g_store_ns.value : m->g_load_ns.value;
	struct xs_klenk_path path = path_of(m, row, load, XS_RANGE_VALUE);

	if (row->control == XS_CONTROL_DIRECT) {
		path.byte_ns =
		    block_byte_ns(m, out, load->bytes * load->connections);
		path.read_ns = 0;
		if (!isnan(own_ns))
			path.store_ns = own_ns;
		else if (!out)
			path.store_ns += m->poll_system_ns.value;
		return path;
	}
	path.rate_max = 1e9 / (gap_ns + load->bytes * path.byte_ns);
	path.proxy_ns = m->proxy_ns.value + path.host_ns + path.latency_ns +
			load->bytes * path.byte_ns + path.sync_ns;
	return path;
}

/* Returns the first parameter of the row that the machine lacks, or NULL. */
static const char *unknown_of(const struct xs_machine *m,
			      const struct xs_control_estimate *row, bool peer)
{
	const bool host = row->control == XS_CONTROL_HOST;
	const bool direct = row->control == XS_CONTROL_DIRECT;
	const bool assisted = row->control == XS_CONTROL_ASSISTED;
	const bool in = !row->to_host, out = row->to_host;
	const bool device = polls_device(row);
	const struct {
		bool used;
		const char *name;
		double value;
	} needs[] = {
#define NEED(used, param) {used, #param, m->param.value}
	    NEED(peer, G_peer),
	    NEED(peer && (!direct || device), lo_peer_ns),
	    NEED(!direct, sync_ns),
	    NEED(!direct, call_copy_async_ns),
	    NEED(!host, flag_ns),
	    NEED(!host, poll_host_ns),
	    NEED(!host && (!device || in), poll_system_ns),
	    NEED(device, poll_device_ns),
	    NEED((!direct && in) || device, lo_h2d_ns),
	    NEED(!direct && out, lo_d2h_ns),
	    NEED(!direct && in, G_h2d),
	    NEED(!direct && out, G_d2h),
	    NEED(direct && in, mapped_read),
	    NEED(direct && out, mapped_write),
	    NEED(direct && in, block_load),
	    NEED(direct && out, block_store),
	    NEED(direct, store_64_ns),
	    NEED(host, call_launch_ns),
	    NEED(host, launch_latency_ns),
	    NEED(host && in, g_h2d_ns),
	    NEED(host && out, g_d2h_ns),
	    NEED(assisted, proxy_ns),
#undef NEED
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (needs[i].used && isnan(needs[i].value))
			return needs[i].name;
	return NULL;
}

/* Fills the row's time, with its terms, of one message that so many blocks
 * move. Returns it. */
static double fill_time(const struct xs_machine *machine, double bytes,
			double blocks, struct xs_control_estimate *row)
{
	const struct xs_klenk_load load = {
	    .bytes = bytes, .stores = 1, .connections = blocks};
	struct xs_klenk_path path;
	struct xs_klenk_term ends[2][XS_KLENK_TERMS];

	for (int high = 0; high < 2; high++) {
		path = path_of(machine, row, &load,
			       high ? XS_RANGE_HIGH : XS_RANGE_LOW);
		xs_klenk_terms(row->control, &path, &load, ends[high]);
	}
	path = path_of(machine, row, &load, XS_RANGE_VALUE);
	row->term_count =
	    xs_klenk_terms(row->control, &path, &load, row->terms);
	row->blocks = blocks;
	row->ns = row->low_ns = row->high_ns = 0;
	for (size_t i = 0; i < row->term_count; i++) {
		row->terms[i].low_ns = ends[0][i].ns;
		row->terms[i].high_ns = ends[1][i].ns;
		row->ns += row->terms[i].ns;
		row->low_ns += row->terms[i].low_ns;
		row->high_ns += row->terms[i].high_ns;
	}
	return row->ns;
}

/* Fills the row's rate of messages of so many blocks, each its own. Returns the
 * ns from one message to the next. */
static double fill_rate(const struct xs_machine *machine, double bytes,
			double blocks, struct xs_control_estimate *row)
{
	const struct xs_klenk_load load = {
	    .bytes = bytes, .stores = 1, .connections = blocks};
	const struct xs_klenk_path path = stream_of(machine, row, &load);

	row->rate_blocks = blocks;
	row->rate = xs_klenk_rate(row->control, &path, &load);
	return 1e9 / row->rate;
}

/* Fills by the fewest blocks that are equal to most. More blocks are never
 * slower: each moves less of a message, and more messages are on their way. */
static void fill_best(double (*fill)(const struct xs_machine *, double, double,
				     struct xs_control_estimate *),
		      const struct xs_machine *machine, double bytes,
		      struct xs_control_estimate *row)
{
	const double most =
	    fmin(XS_CONTROL_MEASURED, xs_closed_form_klenk_blocks(machine));
	const double best_ns = fill(machine, bytes, most, row);
	double blocks = 1;

	while (fill(machine, bytes, blocks, row) > XS_CONTROL_EQUAL * best_ns &&
	       blocks < most)
		blocks = fmin(2 * blocks, most);
}

/* Copies, loads and stores pass the link between the GPUs. */
static struct xs_machine between_gpus(struct xs_machine m)
{
	m.G_h2d = m.G_d2h = m.mapped_read = m.mapped_write = m.G_peer;
	m.lo_h2d_ns = m.lo_d2h_ns = m.lo_peer_ns;
	return m;
}

void xs_closed_form_klenk(const struct xs_machine *machine,
			  const struct xs_control_question *q,
			  struct xs_control_estimate rows[XS_CONTROL_ROWS])
{
	static const struct xs_control_estimate kinds[XS_CONTROL_ROWS] = {
	    {XS_CONTROL_HOST, "host", "klenk2014-eq1", .polled = NULL},
	    {XS_CONTROL_ASSISTED, "assisted", "klenk2014-eq2",
	     .polled = "system"},
	    {XS_CONTROL_DIRECT, "direct", "klenk2014-eq3", .polled = "system"},
	    {XS_CONTROL_DIRECT, "direct", "klenk2014-eq3", .polled = "device"},
	};
	const struct xs_machine m = q->peer ? between_gpus(*machine) : *machine;

	for (size_t i = 0; i < XS_CONTROL_ROWS; i++) {
		struct xs_control_estimate *row = &rows[i];

		*row = kinds[i];
		row->to_host = q->to_host;
		row->unknown = unknown_of(&m, row, q->peer);
		row->ns = row->low_ns = row->high_ns = row->rate = NAN;
		row->blocks = row->rate_blocks = NAN;
		if (row->unknown)
			continue;
		if (q->connections > 0) {
			fill_time(&m, q->bytes, q->connections, row);
			fill_rate(&m, q->bytes, q->connections, row);
		} else {
			fill_best(fill_time, &m, q->bytes, row);
			fill_best(fill_rate, &m, q->bytes, row);
		}
	}
}

/* The sum of the squares of the errors of terms that only this row has; of the
 * upper ends of their ranges (most), or of the lower ones. */
static double own_square(const struct xs_control_estimate *row,
			 const struct xs_control_estimate *other, bool most)
{
	double sum = 0;

	for (size_t i = 0; i < row->term_count; i++) {
		const struct xs_klenk_term *term = &row->terms[i];
		bool shared = false;

		for (size_t j = 0; j < other->term_count; j++)
			shared = shared ||
				 (!strcmp(term->name, other->terms[j].name) &&
				  term->ns == other->terms[j].ns);
		if (!shared)
			sum += pow((most ? term->high_ns : term->low_ns) -
				       term->ns,
				   2);
	}
	return sum;
}

bool xs_control_is_faster(const struct xs_control_estimate *way,
			  const struct xs_control_estimate *than)
{
	return than->ns - way->ns >
	       sqrt(own_square(way, than, true) + own_square(than, way, false));
}
