/* SPDX-License-Identifier: MIT */
/*
 * resident-throughout: all data stays on the device from the first round to the
 * last. It is copied in before the rounds and out after them, so no round waits
 * for the one before. The time is that of one round of many. Estimated where
 * data is known to come back in.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "model/replay/roundtrip.h"

static void put_round(const struct xs_strategy_case *c,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_round_work *w = &c->work;
	const struct xs_action host =
	    xs_action_host(w->other_ns - w->allocation_ns +
			   w->host_ns * scenario->host_scale + w->beside_ns);
	const double kernel_ns =
	    w->kernel_ns / w->kernels * scenario->kernel_scale;

	xs_plan_add(plan, &host);
	xs_plan_put(plan, xs_action_kernel(&scenario->machine, kernel_ns), 0,
		    w->kernels);
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_action sync = xs_action_sync_all(&scenario->machine);
	const struct xs_plan_rounds rounds = xs_plan_rounds_of(c->phase);
	unsigned round;

	(void)row;
	for (round = 0; round < rounds.before + rounds.timed; round++) {
		put_round(c, scenario, plan);
		if (round + 1 == rounds.before ||
		    round + 1 == rounds.before + rounds.timed)
			xs_plan_add(plan, &sync);
		if (round + 1 == rounds.before)
			plan->untimed = plan->count;
	}
	plan->rounds = rounds.timed;
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_repeat_counts sum;
	size_t copies = 0;

	row.quiet = true;
	row.bound = "the host neither changes nor needs the data between the "
		    "first round and the last";
	xs_estimate_assume(&row, row.bound);
	if (xs_abstain_without_needs(c, &row, out))
		return;
	xs_resident_count(c->phase, false, &copies);
	if (xs_abstain_if(c->phase->rounds < 2, &row, out,
			  "only one round was recorded") ||
	    xs_abstain_if(!copies, &row, out,
			  "no copy is known to bring data back"))
		return;
	/* the copies into the first round and out of the last */
	row.setup_ns = (double)c->phase->h2d_ns.median_ns +
		       (double)c->phase->d2h_ns.median_ns;
	row.loop_ns = row.setup_ns;
	row.setup_ns += c->work.allocation_ns;
	xs_estimate_replay(c, build_plan, &row);
	snprintf(row.why, sizeof(row.why), "a round's %u copies then go%s",
		 (unsigned)(c->phase->h2d_ops + c->phase->d2h_ops),
		 xs_repeats_measured(c->phase, &sum)
		     ? ""
		     : " (XFERSPY_HASH=1 compares the bytes)");
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_resident_throughout = {
    .id = "resident-throughout",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL,
    .changes = XS_CHANGES_TRAFFIC | XS_CHANGES_ALLOCATION,
    .spares = XS_CHANGES_COPIES,
    .check = XS_CHECK_NONE,
    .error = XS_ERROR_resident,
    .build = build,
    .first = "keep the data of {places} on the device",
    .advice =
	"Copy the data of {places} only before the first round, to "
	"device buffers that stay{once}, and back only after the last: {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"cudaMemcpy(dev, host, bytes, cudaMemcpyDefault); // before "
		"the loop\n"
		"cudaMemcpy(host, dev, bytes, cudaMemcpyDefault); // after it",
	    [XS_LANGUAGE_PYTORCH] =
		"tensor = tensor.to(device)  # once, before the loop\n"
		"tensor = tensor.cpu()  # once, after it",
	    [XS_LANGUAGE_JAX] =
		"array = jax.device_put(array)  # once, before the loop\n"
		"array = numpy.asarray(array)  # once, after it",
	    [XS_LANGUAGE_CUPY] =
		"device = cupy.asarray(array)  # once, before the loop\n"
		"array = device.get()  # once, after it",
	    [XS_LANGUAGE_NUMBA] = "dev = cuda.to_device(ary)  # once, before "
				  "the loop; kernels take dev\n"
				  "dev.copy_to_host(ary)  # once, after it",
	    [XS_LANGUAGE_OPENMP] =
		"#pragma omp target enter data map(to: a[:n]) // before the "
		"loop\n"
		"#pragma omp target exit data map(from: a[:n]) // after it\n"
		"// OpenACC: acc enter data copyin(a[:n]), acc exit data "
		"copyout(a[:n])",
	},
};
