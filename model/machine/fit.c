/* SPDX-License-Identifier: MIT */
/*
 * A profile says what other processes measured; the trace shows this program.
 * Two rules join them:
 *
 * - Rates of pinned copies, and the times of launches and asynchronous copies
 *   that follow others without a wait, are weighted by their precision: the
 * profile's range on the one side, the number of ops that were seen and their
 * spread on the other.
 * - Other calls and latencies take at most as long as in the trace, where the
 *   tracer delays them and they often follow a wait.
 */
#include "model/machine/fit.h"

#include "analyzer/util/memory.h"
#include "model/machine/fit_evidence.h"
#include "model/machine/usual.h"

#include <math.h>
#include <stdlib.h>

/* Width of a range of 90 % in standard deviations. */
#define RANGE_SIGMAS 3.29
/* Rates of pinned copies differ as much between processes, as between machines
 * of one model. */
#define PROCESSES_DIFFER 0.02

/* The tracer adds to a call, in ns: 0.7 to 1.3 us on an H200 host
 * (docs/overhead.md). */
#define TRACER_NS	1000.0
#define TRACER_RANGE_NS 1000.0

/* What the trace shows of a value; sigma: its standard error. */
struct seen {
	double value, sigma;
	const char *how; /* NULL: nothing was seen */
};

static double sigma_of(const struct xs_param *param)
{
	return (param->high - param->low) / RANGE_SIGMAS;
}

/* Returns the standard error of the median of rates. A single one may be as far
 * off as processes differ. */
static double error_of(const struct xs_param *median, size_t count)
{
	return hypot(sigma_of(median), PROCESSES_DIFFER * median->value) /
	       sqrt((double)count);
}

/* Pinned copies show G by their rate; up to L+o of each does not depend on its
 * size. */
static struct seen see_rate(const struct xs_points *pinned, double lo_ns)
{
	struct xs_points large = {0}, fixed = {0};
	struct seen seen = {NAN, NAN, NULL};
	struct xs_param G;
	size_t i;

	for (i = 0; i < pinned->count; i++)
		if (pinned->x[i] >= XS_FIT_LEAST_BYTES) {
			xs_points_add(&large, 0, pinned->y[i] / pinned->x[i]);
			xs_points_add(&fixed, 0, lo_ns / pinned->x[i]);
		}
	if (!large.count)
		return seen;
	G = xs_points_median(&large);
	seen.how = "pinned copies";
	seen.sigma = hypot(error_of(&G, large.count),
			   xs_points_median(&fixed).value / RANGE_SIGMAS);
	seen.value = G.value;
	return seen;
}

/* Weighs the profile's value and the trace's. prior: standard error of the
 * profile's. */
static void join_values(const struct seen *seen, double prior,
			struct xs_param *param)
{
	/* a value without a range counts as nearly exact */
	const double weight = 1 / fmax(seen->sigma * seen->sigma, 1e-30);
	double prior_weight = 1 / fmax(prior * prior, 1e-30), sigma;

	if (!seen->how)
		return;
	if (isnan(param->value)) {
		param->value = seen->value;
		prior_weight = 0;
	}
	param->value = (prior_weight * param->value + weight * seen->value) /
		       (prior_weight + weight);
	sigma = 1 / sqrt(prior_weight + weight);
	param->low = fmax(param->value - sigma * RANGE_SIGMAS / 2, 0);
	param->high = param->value + sigma * RANGE_SIGMAS / 2;
}

static void join_rate(const struct seen *seen, struct xs_param *G)
{
	join_values(seen, hypot(sigma_of(G), PROCESSES_DIFFER * G->value), G);
}

static void scale(struct xs_param *param, double by)
{
	param->value *= by;
	param->low *= by;
	param->high *= by;
}

/* A time of the trace is an upper limit of the time without the tracer. */
static void limit(struct xs_param *param, const struct xs_points *points)
{
	const struct xs_param seen = xs_points_median(points);

	if (isnan(param->value) || !(seen.value > 0))
		return;
	if (seen.value < param->value)
		scale(param, seen.value / param->value);
	param->high = fmax(fmin(param->high, seen.high), param->value);
}

/* Calls that follow others without a wait show what they take in streams. */
static void join_call(struct xs_param *param, const struct xs_points *points)
{
	struct xs_points warm = {0};
	struct xs_param median;
	struct seen seen = {.how = NULL};
	size_t i;

	for (i = 0; i < points->count; i++)
		if (points->x[i] > 0)
			xs_points_add(&warm, 0, points->y[i]);
	median = xs_points_median(&warm);
	if (warm.count) {
		seen.how = "calls";
		seen.value = fmax(median.value - TRACER_NS, median.value / 2);
		seen.sigma = hypot(sigma_of(&median) / sqrt((double)warm.count),
				   TRACER_RANGE_NS / RANGE_SIGMAS);
	}
	join_values(&seen, sigma_of(param), param);
	limit(param, points);
}

/* The link's rate while both directions are busy follows that of one. */
static void join_both(const struct xs_points *points, double by,
		      struct xs_param *both, const struct xs_param *G)
{
	const struct xs_param median = xs_points_median(points);
	const struct seen seen = {median.value,
				  error_of(&median, points->count),
				  points->count ? "pinned copies" : NULL};

	if (by > 0 && isfinite(by))
		scale(both, by);
	else if (isnan(both->value))
		*both = xs_machine_usual_both(G);
	join_rate(&seen, both);
}

/* Joins one direction's rates and latency. Returns how its G was seen. */
static const char *join_way(const struct xs_fit_evidence *e,
			    enum xs_fit_direction way, struct xs_param *G,
			    struct xs_param *both, struct xs_param *lo)
{
	const struct seen seen = see_rate(&e->alone[way], lo->value);
	const double before = G->value;

	join_rate(&seen, G);
	join_both(&e->both[way], G->value / before, both, G);
	limit(lo, &e->idle[way]);
	return seen.how;
}

static int by_x(const void *a, const void *b)
{
	const double *p = a, *q = b;

	return (p[0] > q[0]) - (p[0] < q[0]);
}

/* How much pageable copies of one size differ between processes, as a factor to
 * both sides: of the ends of seven calibrations, from 64 KiB on, three quarters
 * are nearer. */
#define PROCESSES_FACTOR 1.23

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
		curve->low_ns[i] = times[at] / PROCESSES_FACTOR;
		curve->high_ns[i] = times[at] * PROCESSES_FACTOR;
	}
	curve->count = kept;
}

static double fastest(const struct xs_points *copies)
{
	double least = INFINITY;

	for (size_t i = 0; i < copies->count; i++)
		if (copies->x[i] >= XS_FIT_LEAST_BYTES)
			least = fmin(least, copies->y[i] / copies->x[i]);
	return least;
}

/* Sets the rates of a direction of which the trace has no pinned copy: as the
 * link can carry, at the least link_least ns per byte, or, where copies beat
 * that, as the other direction's; else unknown. Returns their source. */
static const char *assume_G(const struct xs_fit_evidence *e,
			    enum xs_fit_direction way, double link_least,
			    struct xs_machine *m)
{
	const bool is_in = way == XS_FIT_IN;
	struct xs_param *G = is_in ? &m->G_h2d : &m->G_d2h;
	const double pageable = fastest(&e->pageable[way]);

	if (isnan(G->value))
		return "unknown, without pinned copies and the link";
	if (fastest(&e->alone[!way]) < link_least) {
		*G = is_in ? m->G_d2h : m->G_h2d;
		if (!e->both[way].count)
			*(is_in ? &m->G_both_h2d : &m->G_both_d2h) =
			    xs_machine_usual_both(G);
		return "as the other one, which beats what the link reports";
	}
	if (fmin(fastest(&e->pageable[!way]), pageable) < link_least) {
		*G = (struct xs_param){NAN, NAN, NAN};
		return "unknown, as copies beat what the link reports";
	}
	if (pageable >= G->value)
		return "the link's generation and width";
	G->value = G->high = pageable;
	return "the fastest pageable copy, as far as the link goes";
}

/* Joins all that the trace shows; in, out: how the rates were seen. */
static void join(const struct xs_fit_evidence *e, struct xs_machine *m,
		 const char **in, const char **out)
{
	*in = join_way(e, XS_FIT_IN, &m->G_h2d, &m->G_both_h2d, &m->lo_h2d_ns);
	*out =
	    join_way(e, XS_FIT_OUT, &m->G_d2h, &m->G_both_d2h, &m->lo_d2h_ns);
	join_call(&m->call_launch_ns, &e->launch);
	join_call(&m->call_copy_async_ns, &e->copy_async);
	limit(&m->call_copy_sync_ns, &e->copy_sync);
	limit(&m->call_event_ns, &e->event);
	limit(&m->launch_latency_ns, &e->launch_latency);
	limit(&m->kernel_gap_ns, &e->kernel_gap);
	limit(&m->sync_ns, &e->sync);
}

void xs_machine_join(const struct xs_phases *phases, struct xs_machine *machine)
{
	struct xs_fit_evidence *e = xs_calloc(1, sizeof(*e));
	const char *in, *out;

	xs_fit_evidence_collect(e, phases);
	join(e, machine, &in, &out);
	free(e);
}

static void fit(struct xs_machine *m, const struct xs_fit_evidence *e)
{
	const double link_least = m->G_h2d.low;
	const char *in, *out;

	join(e, m, &in, &out);
	if (!in)
		in = assume_G(e, XS_FIT_IN, link_least, m);
	if (!out)
		out = assume_G(e, XS_FIT_OUT, link_least, m);
	fit_curve(&e->pageable[XS_FIT_IN], &m->pageable_h2d);
	fit_curve(&e->pageable[XS_FIT_OUT], &m->pageable_d2h);
	snprintf(
	    m->notes, sizeof(m->notes),
	    "rate to the device (G): %s; to the host: %s; both directions "
	    "at once: %s; latencies and host calls: the usual values, at "
	    "most as traced. Not known: mapped memory. `xferspy calibrate` "
	    "measures them all.",
	    in, out,
	    e->both[XS_FIT_IN].count && e->both[XS_FIT_OUT].count
		? "as traced"
		: "the usual slow-down");
}

void xs_machine_fit(const struct xs_phases *phases,
		    const struct xs_rec_device *device,
		    struct xs_machine *machine)
{
	struct xs_fit_evidence *e = xs_calloc(1, sizeof(*e));

	xs_machine_usual(device, machine);
	snprintf(machine->name, sizeof(machine->name), "fitted");
	snprintf(machine->source, sizeof(machine->source), "fitted-from-trace");
	xs_fit_evidence_collect(e, phases);
	fit(machine, e);
	free(e);
}
