/* SPDX-License-Identifier: MIT */
/*
 * batch: merges consecutive small copies of one direction into one copy through
 * a pinned buffer. The host gathers the data in the buffer before the copy, or
 * scatters it from there at the end of the round.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* Fewer copies are not worth a buffer. */
#define LEAST_COPIES 4u

/* Consecutive steps whose copies are merged. */
struct run {
	size_t first, count;
	double bytes;
};

static bool is_copy(const struct xs_step *step)
{
	return (step->kind == XS_STEP_H2D || step->kind == XS_STEP_D2H) &&
	       step->end_ns > 0;
}

/* Returns whether the copy's fixed cost exceeds the time of its bytes. */
static bool is_small(const struct xs_machine *m, const struct xs_step *step)
{
	const bool in = step->kind == XS_STEP_H2D;
	const double fixed_ns = (in ? m->lo_h2d_ns : m->lo_d2h_ns).value +
				xs_or_zero(m->call_copy_async_ns.value);

	return (double)step->bytes * (in ? m->G_h2d : m->G_d2h).value <
	       fixed_ns;
}

static bool is_alike(const struct xs_step *a, const struct xs_step *b)
{
	return a->kind == b->kind && a->queue == b->queue &&
	       a->thread == b->thread && a->async == b->async;
}

/* Returns the run of similar small copies from step first; its count may be 0.
 */
static struct run run_at(const struct xs_strategy_case *c, size_t first)
{
	const struct xs_step *steps = c->phase->steps;
	struct run run = {first, 0, 0};
	size_t i;

	for (i = first; i < c->phase->step_count; i++) {
		if (!is_copy(&steps[i]) || !is_small(c->machine, &steps[i]) ||
		    !is_alike(&steps[first], &steps[i]))
			break;
		run.count++;
		run.bytes += (double)steps[i].bytes;
	}
	return run;
}

/* Finds the next run worth a buffer, at or after step i. Returns false without
 * one. */
static bool next_run(const struct xs_strategy_case *c, size_t i,
		     struct run *run)
{
	while (i < c->phase->step_count) {
		*run = run_at(c, i);
		if (run->count >= LEAST_COPIES)
			return true;
		i += run->count ? run->count : 1;
	}
	return false;
}

/* Returns the host's time to gather or scatter; NAN if it is unknown. A copy
 * from pageable memory gathers as many bytes, too. */
static double gather_ns(const struct xs_machine *m, bool in, double bytes)
{
	return isnan(m->host_copy_byte_ns.value)
		   ? xs_curve_ns(in ? &m->pageable_h2d : &m->pageable_d2h,
				 bytes)
		   : m->host_copy_byte_ns.value * bytes;
}

/* The first copy moves all bytes. The others and their calls are removed; host
 * time between them stays. Returns 0 or -ENOMEM. */
static int merge(const struct xs_strategy_case *c, const struct xs_machine *m,
		 const struct run *run, struct xs_plan *plan)
{
	const struct xs_step *step = &c->phase->steps[run->first];
	const bool in = step->kind == XS_STEP_H2D;
	struct xs_action spread =
	    xs_action_host(gather_ns(m, false, run->bytes));
	struct xs_action *action = &plan->actions[run->first];
	size_t i;

	xs_action_replace(action,
			  xs_action_copy(m, in, run->bytes, !step->async));
	if (in)
		action->gap_ns += gather_ns(m, true, run->bytes);
	for (i = run->first + 1; i < run->first + run->count; i++)
		xs_action_leave_out(&plan->actions[i]);
	spread.thread = action->thread;
	return in ? 0 : xs_plan_add(plan, &spread);
}

static int build_plan(const struct xs_strategy_case *c,
		      const struct xs_estimate *row,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	struct run run;
	size_t i;
	int rc = xs_plan_recorded(c, scenario, plan);

	(void)row;
	for (i = 0; !rc && next_run(c, i, &run); i = run.first + run.count)
		rc = merge(c, &scenario->machine, &run, plan);
	return rc;
}

/* Totals of all runs: their number, their copies, the largest buffer, and the
 * time to gather and scatter. */
struct total {
	unsigned runs, copies;
	double largest_bytes, gather_ns;
};

static struct total add_up(const struct xs_strategy_case *c)
{
	struct total total = {0};
	struct run run;
	size_t i;

	for (i = 0; next_run(c, i, &run); i = run.first + run.count) {
		total.runs++;
		total.copies += (unsigned)run.count;
		total.largest_bytes = fmax(total.largest_bytes, run.bytes);
		total.gather_ns += gather_ns(
		    c->machine, c->phase->steps[run.first].kind == XS_STEP_H2D,
		    run.bytes);
	}
	return total;
}

static int build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	struct xs_estimate row = xs_estimate_init(c);
	const struct total total = add_up(c);
	int rc = 0;

	row.quiet = true;
	xs_estimate_assume(&row, isnan(m->host_copy_byte_ns.value)
				     ? "gathering and scattering take the host "
				       "as long as a pageable copy of the same "
				       "bytes"
				     : "gathering and scattering take the host "
				       "as long a byte as pieces of 64 KiB");
	xs_estimate_assume(&row, "the data is contiguous on the device, or the "
				 "kernels use it where it is");
	if (xs_abstain_without_needs(c, &row, out, &rc))
		return rc;
	if (c->phase->h2d_ops + c->phase->d2h_ops < LEAST_COPIES)
		return xs_estimate_abstain(
		    &row, out, "fewer than %u copies in a round", LEAST_COPIES);
	row.quiet = false;
	if (xs_abstain_without_copy_rates(c, &row, out, &rc))
		return rc;
	row.quiet = true;
	if (!total.runs)
		return xs_estimate_abstain(
		    &row, out,
		    "there are no %u consecutive small copies in one direction",
		    LEAST_COPIES);
	row.quiet = false;
	if (xs_abstain_if_unknown(&row, "the time of pageable copies",
				  total.gather_ns, out, &rc))
		return rc;
	row.setup_ns = xs_pinning_ns(m, 1, total.largest_bytes);
	rc = xs_estimate_replay(c, build_plan, &row);
	snprintf(
	    row.why, sizeof(row.why),
	    "%u small copies merged into %u, gathered or scattered in %.0f ns",
	    total.copies, total.runs, total.gather_ns);
	return rc ? rc : xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_batch = {
    .id = "batch",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_SIZES,
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .keeps_copies = true,
    .build = build,
    .advice =
	"Gather the small copies of {places} in one pinned buffer and copy it "
	"with one call: a round makes {copies} copies of {copy_bytes} on "
	"average.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"memcpy(pinned + offset, part, part_bytes); // for each part\n"
		"cudaMemcpyAsync(dev, pinned, all_bytes, cudaMemcpyDefault, "
		"stream);",
	    [XS_LANGUAGE_PYTORCH] =
		"batch = torch.cat(parts, out=pinned)  # pinned = "
		"torch.empty(..., pin_memory=True)\n"
		"batch = batch.to(device, non_blocking=True)",
	    [XS_LANGUAGE_JAX] = "batch = jax.device_put(numpy.concatenate("
				"parts))",
	    [XS_LANGUAGE_CUPY] =
		"numpy.concatenate(parts, out=pinned)  # pinned = "
		"cupyx.empty_pinned(...), once\n"
		"batch.set(pinned)",
	},
};
