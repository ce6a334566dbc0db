/* SPDX-License-Identifier: MIT */
/*
 * The values rest on the published profiles (GTX Titan, K20m, V100), on the
 * protocol of the link and, where a comment says so, on H100s. No value rests
 * on the H200, so that the H200's rows test them (docs/accuracy.md). Each value
 * is the geometric mean of its range, except where a machine gives it.
 */
#include "model/machine/usual.h"

#include <math.h>
#include <string.h>

/*
 * L+o: 9.4 us on a GTX Titan, with drivers of 2014; at least a call and a round
 * trip over the link. g: 2.5 and 2.7 us on that machine.
 */
static const struct xs_param usual_latency = {4500, 2000, 10000};
static const struct xs_param usual_gap = {2600, 1300, 5200};

/*
 * Calls. A call of an asynchronous copy takes at most g, because copies that
 * follow each other take g each. A launch carries parameters and takes longer,
 * an event is less than a copy.
 */
static const struct xs_param usual_copy_async = {1700, 700, 4000};
static const struct xs_param usual_copy_sync = {3700, 1500, 9000};
static const struct xs_param usual_launch = {3700, 2000, 7000};
static const struct xs_param usual_event = {600, 200, 2000};
static const struct xs_param usual_launch_latency = {3200, 1500, 7000};
static const struct xs_param usual_kernel_gap = {1500, 700, 3000};
static const struct xs_param usual_sync = {2400, 1000, 6000};

/*
 * Allocations and frees of device memory, after pinned copies: the values of
 * calibrated H100s, whose medians are 47 to 73 us and 39 to 59 us. A low end of
 * a third of that, as no other GPU was measured.
 */
static const struct xs_param usual_device_alloc = {50000, 17000, 250000};
static const struct xs_param usual_device_alloc_byte = {0.00015, 0, 0.0004};
static const struct xs_param usual_device_free = {41000, 14000, 100000};
static const struct xs_param usual_device_free_byte = {0.0005, 0.0002, 0.001};

/* Takes the usual value of what a profile lacks, and names it in its notes. */
static void take_usual(struct xs_machine *m, const char *name,
		       struct xs_param *param, struct xs_param usual)
{
	static const char of_others[] =
	    "Not measured, but usual of H100 hosts: ";
	const size_t length = strlen(m->notes);
	const bool is_next = strstr(m->notes, of_others) != NULL;

	if (!isnan(param->value))
		return;
	*param = usual;
	snprintf(m->notes + length, sizeof(m->notes) - length, "%s%s%s",
		 !length   ? ""
		 : is_next ? ", "
			   : " ",
		 is_next ? "" : of_others, name);
}

/*
 * What the host takes to pin, touch and gather memory, and launches of graphs:
 * the medians of calibrated H100s. Hosts differ by a factor of two; the range
 * is from a third of the least to twice the most, for graphs half and twice.
 */
#define HOST(member, ...)                                                      \
	take_usual(m, #member, &m->member, (struct xs_param){__VA_ARGS__})

void xs_machine_usual_host(struct xs_machine *m)
{
	m->usual_host =
	    isnan(m->pin_byte_ns.value) || isnan(m->graph_launch_ns.value);
	HOST(pin_fixed_ns, 4300, 0, 20000);
	HOST(pin_byte_ns, 0.38, 0.1, 1.4);
	HOST(register_fixed_ns, 170000, 37000, 680000);
	HOST(register_byte_ns, 0.035, 0.01, 0.12);
	HOST(touch_byte_ns, 0.41, 0.11, 1.4);
	HOST(host_copy_byte_ns, 0.093, 0.027, 0.44);
	HOST(host_threads_byte_ns, 0.011, 0.0032, 0.026);
	HOST(graph_instantiate_ns, 5800, 1900, 26000);
	HOST(graph_instantiate_node_ns, 1200, 370, 4600);
	HOST(graph_launch_ns, 1900, 600, 5700);
	HOST(graph_launch_node_ns, 6, 1.5, 50);
	HOST(graph_latency_ns, 3200, 1500, 6700);
	HOST(graph_gap_ns, 900, 450, 1900);
}

/* Both directions at once: the requests of reads and the acknowledgements take
 * part of the other direction, none on an ideal link. */
static const struct xs_param usual_slowdown = {1.1, 1.0, 1.2};

/*
 * Share of the link's raw rate that pinned copies reach. PCIe 2.0: 0.72 on a
 * K20m; 3.0: 0.76 to 0.84 on a GTX Titan and a V100. 4.0 and later: from that
 * to 0.91, which packets of 256 bytes with 26 bytes of headers can reach at
 * most.
 */
static struct xs_param efficiency(int gen)
{
	if (gen <= 2)
		return (struct xs_param){0.72, 0.67, 0.80};
	if (gen == 3)
		return (struct xs_param){0.80, 0.75, 0.88};
	return (struct xs_param){0.855, 0.80, 0.91};
}

struct xs_param xs_machine_usual_both(const struct xs_param *G)
{
	return (struct xs_param){G->value * usual_slowdown.value,
				 G->low * usual_slowdown.low,
				 G->high * usual_slowdown.high};
}

/* Sets the rates of both directions, in ns per byte. */
static void set_rates(struct xs_machine *m)
{
	/* Bytes/s per PCIe lane after encoding: 8b/10b, then 128b/130b. */
	static const double lane[] = {0,	 0.25e9,    0.5e9,    0.98462e9,
				      1.96923e9, 3.93846e9, 7.56250e9};
	struct xs_param share, G;
	double raw_ns;

	if (m->pcie_gen < 1 || m->pcie_gen > 6 || m->pcie_width < 1)
		return;
	raw_ns = 1e9 / (lane[m->pcie_gen] * m->pcie_width);
	share = efficiency(m->pcie_gen);
	G = (struct xs_param){raw_ns / share.value, raw_ns / share.high,
			      raw_ns / share.low};
	m->G_h2d = m->G_d2h = G;
	m->G_both_h2d = m->G_both_d2h = xs_machine_usual_both(&G);
}

static void take_device(struct xs_machine *m, const struct xs_rec_device *d)
{
	m->copy_engines = d->copy_engines;
	/* Hyper-Q, since GK110 (compute capability 3.5), has no implicit
	 * synchronisation. */
	if (d->cc_major)
		m->implicit_sync =
		    d->cc_major < 3 || (d->cc_major == 3 && d->cc_minor < 5);
	m->pcie_gen = d->pcie_gen;
	m->pcie_width = d->pcie_width;
	m->sm_count = (int)d->sm_count;
	m->max_threads_per_sm = (int)d->max_threads_per_sm;
	m->max_blocks_per_sm = d->max_blocks_per_sm;
	m->registers_per_sm = (int)d->registers_per_sm;
	m->shared_per_sm_bytes = (int)d->shared_per_sm_bytes;
	m->l2_bytes = (int)d->l2_bytes;
	m->clock_khz = d->clock_khz;
	m->memory_bytes = (double)d->memory_bytes;
	m->memory_bandwidth = (double)d->memory_bandwidth;
}

void xs_machine_usual(const struct xs_rec_device *device,
		      struct xs_machine *machine)
{
	xs_machine_init(machine);
	if (device)
		take_device(machine, device);
	machine->lo_h2d_ns = machine->lo_d2h_ns = usual_latency;
	machine->g_h2d_ns = machine->g_d2h_ns = usual_gap;
	machine->call_copy_async_ns = usual_copy_async;
	machine->call_copy_sync_ns = usual_copy_sync;
	machine->call_launch_ns = usual_launch;
	machine->call_event_ns = usual_event;
	machine->launch_latency_ns = usual_launch_latency;
	machine->kernel_gap_ns = usual_kernel_gap;
	machine->sync_ns = usual_sync;
	machine->device_alloc_fixed_ns = usual_device_alloc;
	machine->device_alloc_byte_ns = usual_device_alloc_byte;
	machine->device_free_fixed_ns = usual_device_free;
	machine->device_free_byte_ns = usual_device_free_byte;
	xs_machine_usual_host(machine);
	set_rates(machine);
}
