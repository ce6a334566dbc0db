/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a given profile fits the trace: it may be of another GPU, or
 * outdated. Each doubt becomes a note.
 */
#include "report/build/build.h"

#include "analyzer/waits/record_gaps.h"
#include "model/machine/choice.h"
#include "model/machine/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For copies of at least this size the latency is negligible. */
#define LEAST_BYTES  (UINT64_C(8) << 20)
#define LEAST_COPIES 3
/* Relative difference from the profile's G that is more than noise. */
#define RATE_TOLERANCE 0.1

/* Appends "SMs 132 against 66" where both are known and differ. */
static const char *add_fact(struct xs_result *result, const char *list,
			    const char *what, int64_t profile, int64_t trace)
{
	if (profile <= 0 || trace <= 0 || profile == trace)
		return list;
	return xs_print(&result->arena, "%s%s%s %" PRId64 " against %" PRId64,
			list ? list : "", list ? ", " : "", what, profile,
			trace);
}

static void check_device(struct xs_result *result,
			 const struct xs_rec_device *device)
{
	const struct xs_machine *m = &result->machine;
	/* devices with more than two engines still copy in two directions */
	const int64_t engines =
	    device->copy_engines > 2 ? 2 : device->copy_engines;
	const char *list = NULL;

	list = add_fact(result, list, "SMs", m->sm_count, device->sm_count);
	list = add_fact(result, list, "copy engines", m->copy_engines, engines);
	/* The trace has the device's maximum, the profile the link in use:
	 * only a larger value in the profile means another device. */
	if (m->pcie_gen > device->pcie_gen)
		list = add_fact(result, list, "PCIe generation", m->pcie_gen,
				device->pcie_gen);
	if (m->pcie_width > device->pcie_width)
		list = add_fact(result, list, "PCIe lanes", m->pcie_width,
				device->pcie_width);
	if (list)
		xs_build_note(result,
			      "the profile %s was measured on a different "
			      "device of the same name: %s; calibrate again",
			      m->name, list);
}

static bool is_shipped(const struct xs_result *result)
{
	return strcmp(result->machine_choice.origin, "shipped") == 0;
}

/* A profile names the driver and the CUDA version, a trace one of them. The
 * ranges of a shipped profile include what differs between machines. */
static void check_driver(struct xs_result *result)
{
	const struct xs_machine *m = &result->machine;
	const char *traced = result->run.driver_version;

	if (!is_shipped(result) && m->driver[0] && traced &&
	    !strstr(m->driver, traced))
		xs_build_note(
		    result,
		    "the profile %s was measured with driver %s, the trace "
		    "recorded with %s: host costs of calls may differ",
		    m->name, m->driver, traced);
}

/* ISO 8601 dates compare as text within a year. */
static bool is_older_than_a_year(const char *date, const char *now)
{
	const long years = strtol(now, NULL, 10) - strtol(date, NULL, 10);

	return years > 1 || (years == 1 && strcmp(date + 4, now + 4) < 0);
}

static void check_date(struct xs_result *result)
{
	const struct xs_machine *m = &result->machine;
	const char *started = result->run.started_utc;

	if (strlen(m->date) >= 4 && started && strlen(started) >= 4 &&
	    is_older_than_a_year(m->date, started))
		xs_build_note(result,
			      "the profile %s was measured on %.10s, more than "
			      "a year before this trace: calibrate again",
			      m->name, m->date);
}

static bool is_copy(const struct xs_trace *trace, const struct xs_op *op,
		    uint16_t device)
{
	return (op->kind == XS_OP_H2D || op->kind == XS_OP_D2H) &&
	       op->queue < trace->queue_count &&
	       trace->queues[op->queue].device == device;
}

/* A large pinned copy of contiguous bytes. */
static bool is_plain(const struct xs_trace *trace, const struct xs_op *op)
{
	const uint8_t memory =
	    op->kind == XS_OP_H2D ? op->src_memory : op->dst_memory;

	return memory == XS_MEM_PINNED && op->bytes >= LEAST_BYTES &&
	       op->copies == 1 && op->end_ns > op->start_ns &&
	       !xs_copy_is_too_fast(op) &&
	       (op->call == XS_NONE || trace->calls[op->call].rows <= 1);
}

/* Collects ns per byte of plain copies that ran alone on the link. */
static void collect_rates(const struct xs_trace *trace, uint16_t device,
			  struct xs_points *in, struct xs_points *out)
{
	const struct xs_op *op = NULL; /* previous copy, undecided */
	uint64_t busy_until_ns = 0;
	bool alone = false;

	for (size_t i = 0; i <= trace->op_count; i++) {
		const struct xs_op *next =
		    i < trace->op_count ? &trace->ops[i] : NULL;

		if (next && !is_copy(trace, next, device))
			continue;
		if (op && alone && is_plain(trace, op) &&
		    (!next || next->start_ns >= op->end_ns))
			xs_points_add(op->kind == XS_OP_H2D ? in : out, 0,
				      (double)(op->end_ns - op->start_ns) /
					  (double)op->bytes);
		if (!next)
			break;
		op = next;
		alone = op->start_ns >= busy_until_ns;
		if (op->end_ns > busy_until_ns)
			busy_until_ns = op->end_ns;
	}
}

static struct xs_units_text rate(double G)
{
	return xs_units_rate(1000000000, (int64_t)llround(G * 1e9));
}

static void check_rate(struct xs_result *result, const char *way,
		       const struct xs_points *seen,
		       const struct xs_param *profile)
{
	const double G = xs_points_median(seen).value;

	if (seen->count < LEAST_COPIES || !(profile->value > 0) ||
	    fabs(profile->value / G - 1) <= RATE_TOLERANCE)
		return;
	xs_build_note(result,
		      "pinned copies to the %s run at %s in the trace, but the "
		      "profile %s says %s: calibrate again",
		      way, rate(G).s, result->machine.name,
		      rate(profile->value).s);
}

/* A shipped profile has taken the trace's rates. */
static void check_rates(struct xs_result *result, const struct xs_trace *trace,
			uint16_t device)
{
	struct xs_points in = {0}, out = {0};

	if (is_shipped(result))
		return;
	collect_rates(trace, device, &in, &out);
	check_rate(result, "device", &in, &result->machine.G_h2d);
	check_rate(result, "host", &out, &result->machine.G_d2h);
}

/* calibrate's rounds of copies and a kernel are off by a few per cent on an
 * idle machine. */
#define CHECK_TOLERANCE 0.5

static void check_self(struct xs_result *result)
{
	const struct xs_check *check = &result->machine.self_check.explicit;
	const double off = fmax(fabs(check->low), fabs(check->high));

	if (check->cases && off > CHECK_TOLERANCE)
		xs_build_note(
		    result,
		    "when it was measured, predictions by the profile %s were "
		    "off by up to %.0f %%: calibrate again on an idle machine",
		    result->machine.name, off * 100);
}

/* A calibration where pinning failed has none of its costs. */
static void check_host(struct xs_result *result)
{
	const struct xs_machine *m = &result->machine;

	if (m->usual_host && strcmp(m->source, "calibrated") == 0)
		xs_build_note(result,
			      "the profile %s has no costs of pinning or of "
			      "graphs: usual ones of H100 hosts are taken",
			      m->name);
}

void xs_build_check_profile(struct xs_result *result,
			    const struct xs_trace *trace,
			    const struct xs_device *device)
{
	const struct xs_machine *m = &result->machine;
	const char *gpu;

	check_self(result);
	check_host(result);
	if (!device || strcmp(m->source, "fitted-from-trace") == 0)
		return;
	gpu = xs_build_string(result, trace, device->name);
	if (!xs_machine_is_of_gpu(m, gpu)) {
		xs_build_note(
		    result,
		    "the profile %s was measured on %s, this trace is from %s: "
		    "the estimates are for the profile's GPU",
		    m->name, m->gpu, gpu);
		return;
	}
	if (strcmp(m->source, "published") == 0)
		return;
	check_device(result, &device->rec);
	check_rates(result, trace, device->rec.device);
	check_driver(result);
	check_date(result);
}
