/* SPDX-License-Identifier: MIT */
/*
 * batch: merges consecutive small copies of one direction into one copy, also
 * if the host waits for each. Copies of pinned memory that follow each other on
 * the host and on the device are one copy as they are. Others go through a
 * pinned buffer: the host gathers the data there before the copy, or scatters
 * it from there at the end of the round.
 */
#include "model/replay/recorded_plan.h"
#include "model/replay/split_arrays.h"
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* Fewer copies are not worth a buffer. */
#define LEAST_COPIES 4u

/* Steps [first, end) whose copies are merged; the others are waits. */
struct run {
	size_t first, end;
	unsigned copies, waits;
	double bytes;
	bool apart; /* in memory: the data goes through a buffer */
};

/* Without its call, what the host does before a copy is not known. */
static bool is_copy(const struct xs_step *step)
{
	return xs_step_is_copy(step) && step->end_ns > 0 && step->return_ns > 0;
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

/* Appends step i, a copy. before: the copy before it in the run, or NULL. */
static void add_copy(struct run *run, const struct xs_step *before,
		     const struct xs_step *steps, size_t i)
{
	run->apart |= xs_step_is_pageable(&steps[i]) ||
		      (before && !xs_step_continues(before, &steps[i]));
	run->bytes += (double)steps[i].bytes;
	run->copies++;
	run->end = i + 1;
}

/* Returns the run of similar small copies from step first; without copies if
 * there is none. */
static struct run run_at(const struct xs_strategy_case *c, size_t first)
{
	const struct xs_step *steps = c->phase->steps, *before = NULL;
	struct run run = {.first = first, .end = first + 1};
	unsigned waits = 0;
	size_t i;

	for (i = first; i < c->phase->step_count; i++) {
		const struct xs_step *step = &steps[i];

		if (before && xs_step_is_wait(step) &&
		    step->thread == before->thread) {
			waits++;
			continue;
		}
		if (!is_copy(step) || !is_small(c->machine, step) ||
		    !is_alike(&steps[first], step))
			break;
		add_copy(&run, before, steps, i);
		run.waits = waits;
		before = step;
	}
	return run;
}

/* Finds the next run worth merging, at or after step i. Returns false without
 * one. */
static bool next_run(const struct xs_strategy_case *c, size_t i,
		     struct run *run)
{
	for (; i < c->phase->step_count; i = run->end) {
		*run = run_at(c, i);
		if (run->copies >= LEAST_COPIES)
			return true;
	}
	return false;
}

/* Returns the host's time to gather or scatter; NAN if it is unknown. A copy
 * from pageable memory gathers as many bytes, too. */
static double gather_ns(const struct xs_machine *m, const struct run *run,
			bool in)
{
	if (!run->apart)
		return 0;
	return isnan(m->host_copy_byte_ns.value)
		   ? xs_curve_ns(in ? &m->pageable_h2d : &m->pageable_d2h,
				 run->bytes)
		   : m->host_copy_byte_ns.value * run->bytes;
}

/* Removes the host's work between the copies of a run. Returns its time. */
static double take_work(const struct run *run, struct xs_plan *plan)
{
	double host_ns = 0;

	for (size_t i = run->first + 1; i < run->end; i++) {
		host_ns += plan->actions[i].gap_ns;
		plan->actions[i].gap_ns = 0;
	}
	return host_ns;
}

/* The last copy moves all bytes. The others, their calls and the waits between
 * them are removed; keeps: the host's work between them stays. Returns 0 or
 * -ENOMEM. */
static int merge(const struct xs_strategy_case *c, const struct xs_machine *m,
		 const struct run *run, bool keeps, struct xs_plan *plan)
{
	const double work_ns = take_work(run, plan);
	const size_t last = run->end - 1;
	const struct xs_step *step = &c->phase->steps[last];
	const bool in = step->kind == XS_STEP_H2D;
	const double host_ns = gather_ns(m, run, in);
	struct xs_action spread = xs_action_host(host_ns);
	struct xs_action *action = &plan->actions[last];
	size_t i;

	action->after = plan->actions[run->first].after;
	xs_action_replace(action,
			  xs_action_copy(m, in, run->bytes, !step->async));
	if (keeps)
		action->gap_ns += work_ns;
	if (in)
		action->gap_ns += host_ns;
	for (i = run->first; i < last; i++)
		xs_action_leave_out(&plan->actions[i]);
	spread.thread = action->thread;
	return in || !run->apart ? 0 : xs_plan_add(plan, &spread);
}

static int plan_batch(const struct xs_strategy_case *c,
		      const struct xs_scenario *scenario, bool keeps,
		      struct xs_plan *plan)
{
	struct run run;
	size_t i;
	int rc = xs_plan_recorded(c, scenario, plan);

	for (i = 0; !rc && next_run(c, i, &run); i = run.end)
		rc = merge(c, &scenario->machine, &run, keeps, plan);
	return rc;
}

static int build_plan(const struct xs_strategy_case *c,
		      const struct xs_estimate *row,
		      const struct xs_scenario *scenario, struct xs_plan *plan)
{
	(void)row;
	return plan_batch(c, scenario, false, plan);
}

static int build_plan_with_work(const struct xs_strategy_case *c,
				const struct xs_estimate *row,
				const struct xs_scenario *scenario,
				struct xs_plan *plan)
{
	(void)row;
	return plan_batch(c, scenario, true, plan);
}

/* Totals of all runs: their number, their copies and the waits between these,
 * the largest buffer, and the time to gather and scatter. */
struct total {
	unsigned runs, copies, waits;
	double bytes, buffer_bytes, gather_ns;
};

static struct total add_up(const struct xs_strategy_case *c)
{
	struct total total = {0};
	struct run run;
	size_t i;

	for (i = 0; next_run(c, i, &run); i = run.end) {
		total.runs++;
		total.copies += run.copies;
		total.waits += run.waits;
		total.bytes += run.bytes;
		total.gather_ns +=
		    gather_ns(c->machine, &run,
			      c->phase->steps[run.first].kind == XS_STEP_H2D);
		if (run.apart)
			total.buffer_bytes =
			    fmax(total.buffer_bytes, run.bytes);
	}
	return total;
}

/* torch.cat() and index_select() use several threads. */
static bool gathers_in_threads(const struct xs_strategy_case *c)
{
	return c->options->language == XS_LANGUAGE_PYTORCH;
}

/* What the host's work on the buffer rests on. */
static void assume_gathering(const struct xs_machine *m,
			     struct xs_estimate *row)
{
	xs_estimate_assume(
	    row, isnan(m->host_copy_byte_ns.value)
		     ? "gathering and scattering take the host as long as a "
		       "pageable copy of the same bytes"
		     : "one host thread gathers and scatters bytes, at the "
		       "rate measured for pieces of 64 KiB");
	xs_estimate_need(row, "the data is contiguous on the device, or the "
			      "kernels use it where it is");
}

static void explain(const struct xs_strategy_case *c, const struct total *total,
		    struct xs_estimate *row)
{
	char waits[48] = "", gathered[128] = "";

	if (total->waits)
		snprintf(waits, sizeof(waits), " and %u waits between them",
			 total->waits);
	if (total->buffer_bytes > 0)
		snprintf(gathered, sizeof(gathered),
			 ", gathered or scattered in %.0f ns by one host "
			 "thread%s",
			 total->gather_ns,
			 gathers_in_threads(c)
			     ? ", less by several, as PyTorch has them"
			     : "");
	snprintf(row->why, sizeof(row->why),
		 "%u copies of %.0f bytes on average%s become %u%s",
		 total->copies, total->bytes / total->copies, waits,
		 total->runs, gathered);
}

/* Lowers the interval by the time of one thread. */
static void reach_to_no_gathering(const struct total *total,
				  struct xs_estimate *row)
{
	const double down_ns =
	    hypot(row->round_ns - row->low_ns, total->gather_ns);

	row->low_ns = fmax(row->round_ns - down_ns, 0);
}

/* A framework of Python takes up to this time to issue a copy. */
#define ISSUES_NS 10000

/* The time between a framework's copies is that of issuing them, unless it is
 * longer: it is then not known what takes it. */
static void know_issuing(const struct xs_strategy_case *c, unsigned copies,
			 struct xs_estimate *row)
{
	if (c->options->language != XS_LANGUAGE_CUDA &&
	    row->otherwise_ns - row->round_ns < (double)copies * ISSUES_NS)
		row->otherwise_ns = NAN;
}

static int build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	struct xs_estimate row = xs_estimate_init(c);
	const struct total total = add_up(c);
	int rc = 0;

	row.quiet = true;
	if (!total.runs || total.buffer_bytes > 0)
		assume_gathering(m, &row);
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
	row.setup_ns =
	    total.buffer_bytes > 0
		? xs_pinning_ns(m, c->options->language, 1, total.buffer_bytes)
		: 0;
	rc = xs_estimate_replay(c, build_plan, &row);
	if (!rc && gathers_in_threads(c))
		reach_to_no_gathering(&total, &row);
	if (!rc)
		rc = xs_estimate_only_issues(c, build_plan_with_work, &row);
	know_issuing(c, total.copies, &row);
	explain(c, &total, &row);
	return rc ? rc : xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_batch = {
    .id = "batch",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_SIZES,
    .spares = XS_CHANGES_HOST, /* less work to issue, and fewer waits */
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .keeps_copies = true,
    .least_copies = LEAST_COPIES,
    .build = build,
    .advice = "Merge the small copies of {places} into one at the place of "
	      "the last{gathered}: in a round, {why}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"{apart}memcpy(pinned + offset, part, part_bytes); // each "
		"part\n"
		"{apart}cudaMemcpyAsync(dev, pinned, all_bytes, "
		"cudaMemcpyDefault, stream);\n"
		"{joined}cudaMemcpy(first_to, first_from, all_bytes, "
		"cudaMemcpyDefault);",
	    [XS_LANGUAGE_PYTORCH] =
		"torch.cat(parts, out=pinned)  # of torch.empty(..., "
		"pin_memory=True)\n"
		"batch = pinned.to(device, non_blocking=True)",
	    [XS_LANGUAGE_JAX] = "batch = jax.device_put(numpy.concatenate("
				"parts))",
	    [XS_LANGUAGE_CUPY] =
		"numpy.concatenate(parts, out=pinned)  # pinned = "
		"cupyx.empty_pinned(...), once\n"
		"batch.set(pinned)",
	    [XS_LANGUAGE_NUMBA] = "numpy.concatenate(parts, out=ary)  # ary = "
				  "cuda.pinned_array(...), once\n"
				  "batch.copy_to_device(ary, stream=s)",
	},
};
