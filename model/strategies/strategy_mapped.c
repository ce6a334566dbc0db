/* SPDX-License-Identifier: MIT */
/* mapped: no copies; the kernel reads and writes host memory over the link. */
#include "model/replay/mapped_access.h"
#include "model/replay/mapped_writes.h"
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a kernel is known to be given memory that stays on the device. */
static bool gives_other(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].given_known &&
		    phase->steps[i].given_other_bytes)
			return true;
	return false;
}

void xs_estimate_assume_bus_crossings(const struct xs_strategy_case *c,
				      struct xs_estimate *row)
{
	row->assumes_once = isnan(c->work.read_sectors);
	if (row->assumes_once) {
		xs_estimate_assume(row, XS_BOUND_ONCE);
		return;
	}
	xs_estimate_assume(
	    row, gives_other(c->phase)
		     ? "kernels read the copied data and the other memory that "
		       "they are given by the bytes of each, as no counter "
		       "tells them apart"
		     : "the kernel reads and writes only the copied data");
	if (c->work.out_bytes > 0)
		xs_estimate_need(row, "the kernel's stores fill sectors of 32 "
				      "bytes, which no counter shows");
}

/* Whether it is known what each kernel of the round is given. */
static bool are_kernels_known(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == XS_STEP_KERNEL &&
		    !phase->steps[i].given_known)
			return false;
	return true;
}

/* Returns the time of one kernel. What it is given and is not copied stays on
 * the device. */
static double kernel_ns(const struct xs_strategy_case *c,
			const struct xs_scenario *scenario,
			const struct xs_step *step)
{
	struct xs_round_work work = xs_round_work_of_kernel(step);

	work.in_place = c->work.in_place;
	work.kernel_ns *= scenario->kernel_scale;
	return fmax(
	    work.kernel_ns,
	    xs_mapped_access_times(&scenario->machine, &work, scenario->mapped)
		.both_ns);
}

/* Whether the set is of memory that the round copies. */
static bool sets_copied(const struct xs_phase *phase, const struct xs_step *set)
{
	for (size_t i = 0; set->dst && i < phase->step_count; i++) {
		const struct xs_step *copy = &phase->steps[i];
		const uint64_t device = copy->kind == XS_STEP_H2D   ? copy->dst
					: copy->kind == XS_STEP_D2H ? copy->src
								    : 0;

		if (device && device < set->dst + set->bytes &&
		    set->dst < device + copy->bytes)
			return true;
	}
	return false;
}

/* Returns how much longer the round's sets take: those of copied memory cross
 * the bus. */
static double sets_ns(const struct xs_phase *phase, const struct xs_machine *m)
{
	double ns = 0;

	XS_EACH(set, phase->steps, phase->step_count) {
		if (set->kind == XS_STEP_SET && sets_copied(phase, set))
			ns += fmax((double)set->bytes * m->mapped_write.value -
				       (double)(set->end_ns - set->start_ns),
				   0);
	}
	return ns;
}

/* What comes before the kernels. */
static struct xs_action stays(const struct xs_strategy_case *c,
			      const struct xs_scenario *scenario)
{
	return xs_action_host(c->work.other_ns - c->work.allocation_ns +
			      sets_ns(c->phase, &scenario->machine) +
			      c->work.host_ns * scenario->host_scale);
}

/* What the host does beside them, up to its last wait. */
static void put_end(const struct xs_strategy_case *c,
		    const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_action beside = xs_action_host(c->work.beside_ns);
	const struct xs_action sync = xs_action_sync_all(&scenario->machine);

	xs_plan_add(plan, &beside);
	xs_plan_add(plan, &sync);
}

/* Whether the host waits in the call, or its results do: mapped, they are there
 * after a wait. */
static bool awaits(const struct xs_step *step)
{
	return xs_step_is_wait(step) ||
	       (step->kind == XS_STEP_D2H && step->blocking);
}

/* The kernels of a round, one after the other, and the host's waits between
 * them. */
static void build_by_kernel(const struct xs_strategy_case *c,
			    const struct xs_estimate *row,
			    const struct xs_scenario *scenario,
			    struct xs_plan *plan)
{
	const struct xs_machine *m = &scenario->machine;
	const struct xs_action sync = xs_action_sync_all(m);
	const struct xs_action host = stays(c, scenario);
	bool waits = false;

	xs_plan_add(plan, &host);
	(void)row;
	for (size_t i = 0; i < c->phase->step_count; i++) {
		const struct xs_step *step = &c->phase->steps[i];
		struct xs_action kernel;

		waits |= plan->count > 1 && awaits(step);
		if (step->kind != XS_STEP_KERNEL)
			continue;
		if (waits)
			xs_plan_add(plan, &sync);
		kernel = xs_action_kernel(m, kernel_ns(c, scenario, step));
		if (plan->count > 1 && !waits)
			kernel.dep_lag_ns -= xs_kernel_edges_ns(m);
		waits = false;
		xs_plan_add(plan, &kernel);
	}
	put_end(c, scenario, plan);
}

void xs_plan_mapped(const struct xs_strategy_case *c,
		    const struct xs_estimate *row,
		    const struct xs_scenario *scenario, struct xs_plan *plan)
{
	struct xs_round_work work = c->work;
	const struct xs_action host = stays(c, scenario);
	struct xs_action kernel;
	struct xs_mapped_times mapped;

	(void)row;
	work.kernel_ns *= scenario->kernel_scale;
	mapped =
	    xs_mapped_access_times(&scenario->machine, &work, scenario->mapped);
	kernel = xs_action_kernel(&scenario->machine,
				  fmax(work.kernel_ns, mapped.both_ns));
	xs_plan_add(plan, &host);
	xs_plan_add(plan, &kernel);
	put_end(c, scenario, plan);
}

static bool abstains(const struct xs_strategy_case *c, struct xs_estimate *row,
		     struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;

	return xs_abstain_without_needs(c, row, out) ||
	       xs_abstain_if_chain(c->work.stage_count > 1 &&
				       !are_kernels_known(c->phase),
				   c, row, out) ||
	       (c->work.in_bytes > 0 &&
		xs_abstain_if_unknown(row, "the rate of mapped reads",
				      m->mapped_read.value, out)) ||
	       (c->work.out_bytes > 0 &&
		xs_abstain_if_unknown(row, "the rate of mapped writes",
				      m->mapped_write.value, out));
}

/* The equation needs no mapped rate; it applies if there is one kernel with
 * known times. */
static void add_closed(const struct xs_strategy_case *c,
		       struct xs_estimates *out)
{
	const struct xs_closed_form closed = xs_strategy_case_closed_form(c);

	if (!c->work.kernels || c->work.stage_count > 1 || c->work.managed ||
	    c->work.unseen)
		return;
	if (!c->work.in_copies && !c->work.out_copies)
		return;
	xs_closed_form_add(&closed, "mapped", 0, out);
}

static void explain(const struct xs_strategy_case *c, struct xs_estimate *row,
		    bool is_sure)
{
	const struct xs_mapped_times mapped =
	    xs_mapped_access_times(c->machine, &c->work, XS_MAPPED_USUAL);
	const struct xs_workload crossings =
	    xs_strategy_case_closed_form(c).work;
	const char *longest = c->work.kernel_ns > mapped.both_ns
				  ? "the kernel hides its accesses"
				  : "its accesses outlast the kernel";

	if (is_sure)
		snprintf(row->why, sizeof(row->why),
			 "a round is shorter however the kernels access the "
			 "data, so that none has to change");
	else if (c->work.stage_count > 1)
		snprintf(row->why, sizeof(row->why),
			 "each of %u kernels takes the longest of itself, its "
			 "reads and its writes over the bus, of the copied "
			 "data that it is given",
			 c->work.kernels);
	else if (row->assumes_once)
		snprintf(row->why, sizeof(row->why),
			 "the longest of the kernel, its reads and its writes "
			 "over the bus: %s",
			 longest);
	else
		snprintf(row->why, sizeof(row->why),
			 "as counted, each byte copied in is read %.1f times "
			 "and each copied out written %.1f times: %s",
			 crossings.h2d_crossings, crossings.d2h_crossings,
			 longest);
}

static bool is_by_kernel(const struct xs_strategy_case *c)
{
	return c->work.stage_count > 1 ||
	       (c->work.kernels == 1 && are_kernels_known(c->phase));
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	if (is_by_kernel(c))
		build_by_kernel(c, row, scenario, plan);
	else
		xs_plan_mapped(c, row, scenario, plan);
}

/* The same in the worst case of accesses. */
static void build_worst(const struct xs_strategy_case *c,
			const struct xs_estimate *row,
			const struct xs_scenario *scenario,
			struct xs_plan *plan)
{
	struct xs_scenario worst = *scenario;

	worst.mapped = XS_MAPPED_WORST;
	build_plan(c, row, &worst, plan);
}

/* The same where the worst case is one end of the range. */
static void build_up_to_worst(const struct xs_strategy_case *c,
			      const struct xs_estimate *row,
			      const struct xs_scenario *scenario,
			      struct xs_plan *plan)
{
	if (scenario->mapped == XS_MAPPED_MOST)
		build_worst(c, row, scenario, plan);
	else
		build_plan(c, row, scenario, plan);
}

static const char no_atomics[] = "no kernel uses atomic operations on the data";

static bool is_worst_known(const struct xs_machine *m)
{
	return m->clock_khz > 0 && m->sm_count > 0 &&
	       !isnan(m->mapped_read_32.value +
		      m->mapped_write_partial_ns.value +
		      m->mapped_read_latency_ns.value +
		      m->device_read_latency_ns.value);
}

/* Returns whether a round that was not counted is faster even if its kernels do
 * nothing but read and write sectors over the bus: then none has to change,
 * however it accesses the data. */
static bool is_faster_at_worst(const struct xs_strategy_case *c,
			       const struct xs_estimate *row)
{
	return isnan(c->work.read_sectors) && is_worst_known(c->machine) &&
	       xs_estimate_replay_ns(c, row, build_worst) < c->as_is_ns;
}

/* Adds what the writes would take if the condition of counted accesses did not
 * hold at all. */
static void explain_parts(const struct xs_strategy_case *c,
			  struct xs_estimate *row)
{
	const double parts_ns = xs_mapped_access_parts_ns(c->machine, &c->work);
	const size_t used = strlen(row->why);

	if (row->needs && parts_ns > 0)
		snprintf(row->why + used, sizeof(row->why) - used,
			 "; stored by 4 bytes, the results would take %.0f ns",
			 parts_ns);
}

static void add_row(const struct xs_strategy_case *c, struct xs_estimate *row,
		    struct xs_estimates *out)
{
	const bool is_sure = is_faster_at_worst(c, row);

	if (is_sure) {
		row->assumes_once = false;
		row->other_advice = true;
		row->effort = XS_EFFORT_PLACE;
		row->assumes[0] = row->bound = no_atomics;
	}
	xs_estimate_set_setup(c, 0, row);
	row->setup_ns += c->work.kept_allocation_ns;
	xs_estimate_replay(c, is_sure ? build_up_to_worst : build_plan, row);
	explain(c, row, is_sure);
	explain_parts(c, row);
	xs_estimates_add(out, row);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);

	xs_estimate_assume_bus_crossings(c, &row);
	if (!abstains(c, &row, out))
		add_row(c, &row, out);
	add_closed(c, out);
}

const struct xs_strategy xs_strategy_mapped = {
    .id = "mapped",
    .effort = XS_EFFORT_REWRITE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER | XS_CHANGES_ALLOCATION,
    .check = XS_CHECK_mapped,
    .error = XS_ERROR_mapped,
    .build = build,
    .first = "map the host buffers of {places}",
    .advice =
	"Map the host buffers of {places}{mapped} and let the kernels use them "
	"without copies: {why}. Let the stores of a warp fill sectors of 32 "
	"bytes: parts of a sector cross the bus one by one.",
    .other_advice = "Map the host buffers of {places}{mapped} and let the "
		    "kernels use them without copies: {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"{register}cudaHostRegister(host, bytes, "
		"cudaHostRegisterMapped); // once\n"
		"{allocate}cudaHostAlloc(&host, bytes, cudaHostAllocMapped); "
		"// not malloc()\n"
		"cudaHostGetDevicePointer(&dev, host, 0); // for the kernel\n"
		"{results}cudaDeviceSynchronize(); // where the copy out was",
	    [XS_LANGUAGE_NUMBA] =
		"ary = cuda.mapped_array(shape, dtype)  # once, given to the "
		"kernel",
	},
};
