/* SPDX-License-Identifier: MIT */
#include "model/machine/fit.h"
#include "model/machine/fit_evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Defaults for what a trace does not show. The ranges span the measured
 * machines: a GTX Titan on PCIe 3.0 (van Werkhoven 2014, Table I) and an H200
 * on PCIe 5.0.
 */
static const struct xs_param usual_latency = {7500, 5500, 9500};
static const struct xs_param usual_gap = {2700, 2400, 2900};
/*
 * Share of a link's raw rate that pinned copies reach, by PCIe generation: 0.72
 * on a GTX 680 and a K20m (2.0), 0.76 to 0.84 on the Titan and a V100 (3.0),
 * 0.88 on the H200 (5.0), each direction alone. 4.0 is interpolated; other
 * generations take the value of the nearest one.
 */
static const double usual_efficiency[] = {0,	0.72, 0.72, 0.80,
					  0.84, 0.88, 0.88};
#define EFFICIENCY_SPREAD 0.05
/* How much copies slow each other when both directions are busy: 9 % on the
 * H200; not at all on an ideal full-duplex link. */
static const struct xs_param usual_slowdown = {1.09, 1.0, 1.18};

/* Returns ns per byte of one direction of the link, from its generation and
 * width. */
static struct xs_param link_G(const struct xs_machine *machine)
{
	/* Bytes/s per PCIe lane after encoding: 8b/10b, then 128b/130b. */
	static const double lane[] = {0,	 0.25e9,    0.5e9,    0.98462e9,
				      1.96923e9, 3.93846e9, 7.56250e9};
	const int gen = machine->pcie_gen;
	double raw_ns;

	if (gen < 1 || gen > 6 || machine->pcie_width < 1)
		return (struct xs_param){NAN, NAN, NAN};
	raw_ns = 1e9 / (lane[gen] * machine->pcie_width);
	return (struct xs_param){
	    raw_ns / usual_efficiency[gen],
	    raw_ns / (usual_efficiency[gen] + EFFICIENCY_SPREAD),
	    raw_ns / (usual_efficiency[gen] - EFFICIENCY_SPREAD)};
}

/* Uses the link's generation and width, unless pageable copies were faster: an
 * idle link may report a lower generation than it uses under load. */
static const char *assume_G(const struct xs_points *pageable,
			    const struct xs_machine *machine,
			    struct xs_param *G)
{
	double fastest = INFINITY;
	size_t i;

	*G = link_G(machine);
	if (isnan(G->value))
		return "nothing that was seen";
	for (i = 0; i < pageable->count; i++)
		if (pageable->x[i] >= XS_FIT_LEAST_BYTES)
			fastest =
			    fmin(fastest, pageable->y[i] / pageable->x[i]);
	if (fastest >= G->value)
		return "the link's generation and width";
	G->value = fastest;
	G->low = fmin(G->low, fastest);
	G->high = fastest;
	return "the fastest pageable copy, which beat what the link reports";
}

/* Fits G from pinned copies of several sizes, else from large ones, else
 * assumes it. *start_ns: the part of a copy's time that does not depend on its
 * bytes. */
static const char *fit_G(const struct xs_fit_evidence *e,
			 enum xs_fit_direction way,
			 const struct xs_machine *machine, struct xs_param *G,
			 double *start_ns)
{
	const struct xs_points *pinned = &e->alone[way];
	struct xs_points large = {0};
	size_t i;

	*start_ns = 0;
	for (i = 0; i < pinned->count; i++)
		if (pinned->x[i] >= XS_FIT_LEAST_BYTES)
			xs_points_add(&large, 0, pinned->y[i] / pinned->x[i]);
	if (!large.count)
		return assume_G(&e->pageable[way], machine, G);
	if (xs_points_line(pinned, G, start_ns))
		return "pinned copies of several sizes";
	*G = xs_points_median(&large);
	return "pinned copies";
}

static const char *fit_latency(const struct xs_points *idle, double start_ns,
			       struct xs_param *lo)
{
	*lo = idle->count ? xs_points_median(idle) : usual_latency;
	if (!idle->count)
		return "usual values";
	lo->value += start_ns;
	lo->low += start_ns;
	lo->high += start_ns;
	return "pinned copies";
}

static void fit_both(const struct xs_points *seen, const struct xs_param *G,
		     struct xs_param *both)
{
	*both = xs_points_median(seen);
	if (seen->count)
		return;
	*both = (struct xs_param){G->value * usual_slowdown.value,
				  G->low * usual_slowdown.low,
				  G->high * usual_slowdown.high};
}

static int by_x(const void *a, const void *b)
{
	const double *p = a, *q = b;

	return (p[0] > q[0]) - (p[0] < q[0]);
}

/* Medians by size. If there are more sizes than points in a curve, takes evenly
 * spaced ones. */
static void fit_curve(const struct xs_points *seen, struct xs_curve *curve)
{
	double sorted[XS_POINTS_MAX][2];
	double sizes[XS_POINTS_MAX], times[XS_POINTS_MAX];
	size_t i, start, count = 0, kept;

	for (i = 0; i < seen->count; i++) {
		sorted[i][0] = seen->x[i];
		sorted[i][1] = seen->y[i];
	}
	qsort(sorted, seen->count, sizeof(sorted[0]), by_x);
	for (start = 0; start < seen->count; start = i) {
		struct xs_points same = {0};

		for (i = start;
		     i < seen->count && sorted[i][0] <= sorted[start][0]; i++)
			xs_points_add(&same, 0, sorted[i][1]);
		sizes[count] = sorted[start][0];
		times[count++] = xs_points_median(&same).value;
	}
	kept = count < XS_CURVE_POINTS ? count : XS_CURVE_POINTS;
	for (i = 0; i < kept; i++) {
		const size_t at =
		    kept > 1 ? i * (count - 1) / (kept - 1) : count - 1;

		curve->bytes[i] = sizes[at];
		curve->ns[i] = times[at];
	}
	curve->count = kept;
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
	m->clock_khz = d->clock_khz;
	m->memory_bytes = (double)d->memory_bytes;
	m->memory_bandwidth = (double)d->memory_bandwidth;
}

static void fit_calls(struct xs_machine *m, const struct xs_fit_evidence *e)
{
	m->call_launch_ns = xs_points_median(&e->launch);
	/* Without asynchronous copies, takes the cost of a launch: on an H200
	 * they take 2.5 and 3.0 us. */
	m->call_copy_async_ns =
	    xs_points_median(e->copy_async.count ? &e->copy_async : &e->launch);
	m->call_copy_sync_ns = xs_points_median(&e->copy_sync);
	m->call_event_ns = xs_points_median(&e->event);
	m->launch_latency_ns = xs_points_median(&e->launch_latency);
	m->kernel_gap_ns = xs_points_median(&e->kernel_gap);
	m->sync_ns = xs_points_median(&e->sync);
}

/* Fits all parameters of *m. */
static void fit(struct xs_machine *m, const struct xs_fit_evidence *e)
{
	double start_in_ns, start_out_ns;
	const char *in = fit_G(e, XS_FIT_IN, m, &m->G_h2d, &start_in_ns);
	const char *out = fit_G(e, XS_FIT_OUT, m, &m->G_d2h, &start_out_ns);
	const char *lo_in =
	    fit_latency(&e->idle[XS_FIT_IN], start_in_ns, &m->lo_h2d_ns);
	const char *lo_out =
	    fit_latency(&e->idle[XS_FIT_OUT], start_out_ns, &m->lo_d2h_ns);

	m->g_h2d_ns = m->g_d2h_ns = usual_gap;
	fit_both(&e->both[XS_FIT_IN], &m->G_h2d, &m->G_both_h2d);
	fit_both(&e->both[XS_FIT_OUT], &m->G_d2h, &m->G_both_d2h);
	fit_calls(m, e);
	fit_curve(&e->pageable[XS_FIT_IN], &m->pageable_h2d);
	fit_curve(&e->pageable[XS_FIT_OUT], &m->pageable_d2h);
	snprintf(
	    m->notes, sizeof(m->notes),
	    "rate to the device (G) from %s, to the host from %s; start of a "
	    "copy (L+o) in from %s, out from %s; gap between copies (g): the "
	    "usual value; both directions at once: %s; host calls as traced. "
	    "Not known: mapped memory, pinning. `xferspy calibrate` measures "
	    "them all.",
	    in, out, lo_in, lo_out,
	    e->both[XS_FIT_IN].count && e->both[XS_FIT_OUT].count
		? "as traced"
		: "the usual slow-down");
}

void xs_machine_fit(const struct xs_phases *phases,
		    const struct xs_rec_device *device,
		    struct xs_machine *machine)
{
	struct xs_fit_evidence *evidence = calloc(1, sizeof(*evidence));

	xs_machine_init(machine);
	snprintf(machine->name, sizeof(machine->name), "fitted");
	snprintf(machine->source, sizeof(machine->source), "fitted-from-trace");
	if (device)
		take_device(machine, device);
	if (!evidence || xs_fit_evidence_collect(evidence, phases))
		snprintf(machine->notes, sizeof(machine->notes),
			 "no memory to fit the parameters");
	else
		fit(machine, evidence);
	free(evidence);
}
