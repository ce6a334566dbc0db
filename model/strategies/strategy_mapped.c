/* SPDX-License-Identifier: MIT */
/* mapped: no copies; the kernel reads and writes host memory over the link. */
#include "model/replay/mapped_access.h"
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>
#include <stdio.h>

int xs_plan_mapped(const struct xs_strategy_case *c,
		   const struct xs_estimate *row,
		   const struct xs_scenario *scenario, struct xs_plan *plan)
{
	struct xs_round_work work = c->work;
	struct xs_action kernel, stays, sync;
	struct xs_mapped_times mapped;
	int rc;

	(void)row;
	work.kernel_ns *= scenario->kernel_scale;
	mapped =
	    xs_mapped_access_times(&scenario->machine, &work, scenario->mapped);
	stays = xs_action_host(work.other_ns - work.allocation_ns +
			       work.host_ns * scenario->host_scale);
	sync = xs_action_sync_all(&scenario->machine);
	kernel = xs_action_kernel(&scenario->machine,
				  fmax(work.kernel_ns, mapped.both_ns));
	rc = xs_plan_add(plan, &stays);
	if (!rc)
		rc = xs_plan_add(plan, &kernel);
	return rc ? rc : xs_plan_add(plan, &sync);
}

static bool abstains(const struct xs_strategy_case *c, struct xs_estimate *row,
		     struct xs_estimates *out, int *rc)
{
	const struct xs_machine *m = c->machine;

	return xs_abstain_without_needs(c, row, out, rc) ||
	       (c->work.in_bytes > 0 &&
		xs_abstain_if_unknown(row, "the rate of mapped reads",
				      m->mapped_read.value, out, rc)) ||
	       (c->work.out_bytes > 0 &&
		xs_abstain_if_unknown(row, "the rate of mapped writes",
				      m->mapped_write.value, out, rc));
}

/* The equation needs no mapped rate; it applies if there is one kernel with
 * known times. */
static int add_closed(const struct xs_strategy_case *c,
		      struct xs_estimates *out)
{
	const struct xs_closed_form closed = xs_strategy_case_closed_form(c);

	if (!c->work.kernels || c->work.stage_count > 1 || c->work.managed ||
	    c->work.unseen)
		return 0;
	if (!c->work.in_copies && !c->work.out_copies)
		return 0;
	return xs_closed_form_add(&closed, "mapped", 0, out);
}

static void explain(const struct xs_strategy_case *c, struct xs_estimate *row)
{
	const struct xs_mapped_times mapped =
	    xs_mapped_access_times(c->machine, &c->work, XS_MAPPED_USUAL);
	const struct xs_workload crossings =
	    xs_strategy_case_closed_form(c).work;
	const char *longest = c->work.kernel_ns > mapped.both_ns
				  ? "the kernel hides its accesses"
				  : "its accesses outlast the kernel";

	if (row->assumes_once)
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

static int build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	int rc = 0;

	xs_estimate_assume_bus_crossings(c, &row);
	if (!abstains(c, &row, out, &rc)) {
		xs_estimate_set_setup(c, 0, &row);
		rc = xs_estimate_replay(c, xs_plan_mapped, &row);
		explain(c, &row);
		if (!rc)
			rc = xs_estimates_add(out, &row);
	}
	return rc ? rc : add_closed(c, out);
}

const struct xs_strategy xs_strategy_mapped = {
    .id = "mapped",
    .effort = XS_EFFORT_REWRITE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL | XS_NEEDS_ONE_STAGE,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER | XS_CHANGES_ALLOCATION,
    .check = XS_CHECK_mapped,
    .error = XS_ERROR_mapped,
    .build = build,
    .advice =
	"Map the host buffers of {places} (cudaHostAllocMapped) and let the "
	"kernels use them without copies.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"cudaHostAlloc(&host, bytes, cudaHostAllocMapped); // once\n"
		"cudaHostGetDevicePointer(&dev, host, 0); // for the kernel",
	    [XS_LANGUAGE_NUMBA] =
		"ary = cuda.mapped_array(shape, dtype)  # once, given to the "
		"kernel",
	},
};
