/* SPDX-License-Identifier: MIT */
/* pinned: the same calls with pinned instead of pageable memory. Blocking
 * copies stay blocking; asynchronous copies, which block with pageable memory,
 * become asynchronous, and PyTorch no longer waits for those to the device.
 * Where CuPy stages data, it is pinned where it is. */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "model/replay/allocation_time.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/tracer_overhead.h"

#include <math.h>

/* The part of the host time before a staged copy that copies its data; at least
 * if the rest may be the program's own work. */
static double staging_ns(const struct xs_strategy_case *c, size_t step)
{
	const double ns = xs_step_staging_ns(c->phase, step);

	return c->keeps_work
		   ? fmin(ns, (double)c->phase->steps[step].bytes *
				  xs_or_zero(c->machine->host_copy_byte_ns.low))
		   : ns;
}

/* Whether the step is a wait of PyTorch, which follows each copy in, unless it
 * is non_blocking, which then works: what uses the data follows in the stream.
 */
static bool is_left_out(const struct xs_strategy_case *c,
			const struct xs_step *step)
{
	return c->options->language == XS_LANGUAGE_PYTORCH &&
	       step > c->phase->steps && step->kind == XS_STEP_SYNC_STREAM &&
	       step[-1].kind == XS_STEP_H2D && xs_step_is_pageable(step - 1) &&
	       step[-1].thread == step->thread && step[-1].queue == step->queue;
}

/* A stream that waits for an event may be behind the copy, too. */
static bool waits_for(const struct xs_step *copy, const struct xs_step *wait)
{
	bool recorded = !wait->event;

	for (const struct xs_step *step = copy + 1; step < wait; step++) {
		if (step->kind == XS_STEP_STREAM_WAIT)
			return true;
		recorded |= step->kind == XS_STEP_EVENT_RECORD &&
			    step->event == wait->event &&
			    step->queue == copy->queue;
	}
	return wait->kind == XS_STEP_SYNC_EVENT
		   ? recorded
		   : wait->kind == XS_STEP_SYNC_DEVICE ||
			 wait->queue == copy->queue;
}

/* The last asynchronous copy of the kind, of pageable memory, for which the
 * host waits by nothing but the call, which then returns early; NULL: there is
 * none.
 */
static const struct xs_step *unawaited(const struct xs_strategy_case *c,
				       enum xs_step_kind kind)
{
	const struct xs_step *end = c->phase->steps + c->phase->step_count;
	const struct xs_step *last = NULL;

	XS_EACH(step, c->phase->steps, c->phase->step_count) {
		const struct xs_step *wait = step + 1;

		if (step->kind != kind || !xs_step_is_pageable(step) ||
		    !step->async)
			continue;
		while (wait < end &&
		       !(xs_step_is_wait(wait) && waits_for(step, wait) &&
			 !is_left_out(c, wait)))
			wait++;
		if (wait == end)
			last = step;
	}
	return last;
}

/* The host has to wait for it by another call. */
static void wait_for(const struct xs_phase *phase,
		     const struct xs_machine *machine,
		     const struct xs_step *copy, struct xs_plan *plan)
{
	if (copy)
		xs_action_replace(
		    &plan->actions[copy - phase->steps],
		    xs_action_copy(machine, false, (double)copy->bytes, true));
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_recorded_plan_change change = {
	    true, scenario->kernel_scale, scenario->host_scale};

	xs_recorded_plan_build(c->phase, &scenario->machine, &change, plan);
	(void)row;
	for (size_t i = 0; i < c->phase->step_count; i++) {
		plan->actions[i].gap_ns =
		    fmax(plan->actions[i].gap_ns -
			     scenario->host_scale * staging_ns(c, i),
			 0);
		if (is_left_out(c, &c->phase->steps[i]))
			xs_action_leave_out(&plan->actions[i]);
	}
	wait_for(c->phase, &scenario->machine, unawaited(c, XS_STEP_D2H), plan);
	xs_tracer_overhead_remove(plan, c->phase, &scenario->machine);
	if (!scenario->calls_recorded)
		xs_allocations_limit(plan, c->phase, &scenario->machine);
}

/* How much of the time before a staged copy goes is not known. */
static void bound_staging(const struct xs_strategy_case *c,
			  struct xs_estimate *row)
{
	if (c->work.staging_ns <= 0)
		return;
	row->bound = "the host's time right before the copies in is CuPy's "
		     "copy of arrays neither pinned nor parts of a larger one";
	xs_estimate_assume(row, row->bound);
	row->otherwise_ns = xs_estimate_with_work_ns(c, row, build_plan);
}

static bool abstains(const struct xs_strategy_case *c, struct xs_estimate *row,
		     struct xs_estimates *out)
{
	return xs_abstain_without_needs(c, row, out) ||
	       xs_abstain_if(!c->work.pageable && c->work.staging_ns <= 0, row,
			     out,
			     "no copy is known to use pageable memory: "
			     "nothing is left to pin") ||
	       xs_abstain_without_copy_rates(c, row, out);
}

static bool are_buffers_known(const struct xs_phase *phase)
{
	return (phase->h2d_buffers || !phase->h2d_ops) &&
	       (phase->d2h_buffers || !phase->d2h_ops);
}

/* How memory is pinned, other than by registering it. */
static const char *const ways[XS_LANGUAGES] = {
    [XS_LANGUAGE_PYTORCH] = "pin_memory(), then copy with non_blocking=True",
    [XS_LANGUAGE_JAX] = "the memory kind \"pinned_host\"",
    [XS_LANGUAGE_CUPY] = "cupyx.empty_pinned() or empty_like_pinned()",
    [XS_LANGUAGE_NUMBA] = "cuda.pinned_array()",
};

/* What all rounds save without the setup: rounds side by side as if some of
 * them ran alone. */
static double rounds_save_ns(const struct xs_strategy_case *c,
			     const struct xs_estimate *row)
{
	return (c->as_is_ns - row->round_ns) * (double)c->phase->rounds *
	       xs_rounds_share((double)c->phase->concurrent_ns,
			       (double)c->phase->wall_ns,
			       (double)c->phase->total_ns);
}

/* Without the buffers of small copies, which may stay pageable: of so many, if
 * each copy has its own, or of that part. *known: it is their number. */
static struct xs_strategy_case without_small(const struct xs_strategy_case *c,
					     bool *known)
{
	struct xs_strategy_case out = *c;
	double copies = 0, small = 0;

	XS_EACH(step, c->phase->steps, c->phase->step_count) {
		if (!xs_step_is_pageable(step))
			continue;
		copies++;
		small += step->bytes < XS_SMALL_COPY_BYTES &&
			 (double)step->bytes * XS_SMALL_COPY_PART <
			     c->work.in_bytes + c->work.out_bytes;
	}
	*known = are_buffers_known(c->phase);
	if (*known && small < copies)
		out.work.pinned_buffers = fmax(
		    round(c->work.pinned_buffers * (1 - small / copies)), 1);
	*known &= small == 0 || copies == c->work.pinned_buffers;
	return out;
}

/* "; keeping them unpinned saves 4.06 s", of new buffers: the first touch of
 * their pages; "; a round's allocations and frees take 115 us less", if that is
 * a twentieth of the saving; or "". */
static void say_kept(const struct xs_strategy_case *c,
		     const struct xs_estimate *row, char *text, size_t size)
{
	const double part = c->work.fresh_bytes *
			    xs_or_zero(c->machine->touch_byte_ns.value) /
			    (c->as_is_ns - row->round_ns);

	text[0] = '\0';
	if (part > 0 && xs_buffers_are_new(&c->work))
		snprintf(text, size, "; keeping them unpinned saves %.0f ns",
			 fmin(part, 1) * rounds_save_ns(c, row));
	else if (row->calls_ns > 0 &&
		 row->calls_ns * 20 > c->as_is_ns - row->round_ns)
		snprintf(text, size,
			 "; a round's allocations and frees then take %.0f ns "
			 "less",
			 row->calls_ns);
}

/* The call that the setup is of, and what the other one would take. */
static void explain_calls(const struct xs_strategy_case *c,
			  struct xs_estimate *row, bool known, const char *kept)
{
	const double ns = xs_registering_work_ns(c->machine, &c->work);
	const double other_ns = xs_allocating_work_ns(c->machine, &c->work);
	char buffers[32] = "";

	if (known)
		snprintf(buffers, sizeof(buffers), "%.0f buffer%s; ",
			 c->work.pinned_buffers,
			 c->work.pinned_buffers == 1 ? "" : "s");
	if (isnan(ns) || isnan(other_ns))
		snprintf(row->why, sizeof(row->why),
			 "cudaHostRegister or cudaMallocHost");
	else if (row->pins_new)
		snprintf(row->why, sizeof(row->why),
			 "cudaMallocHost in place of malloc (%s"
			 "cudaHostRegister would take %.0f ns%s)",
			 buffers, ns, kept);
	else
		snprintf(row->why, sizeof(row->why),
			 "cudaHostRegister (%scudaMallocHost would take %.0f "
			 "ns%s%s)",
			 buffers, other_ns,
			 other_ns > rounds_save_ns(c, row)
			     ? ", more than is saved"
			     : "",
			 kept);
}

static void explain(const struct xs_strategy_case *c, bool known,
		    struct xs_estimate *row)
{
	char kept[80];

	say_kept(c, row, kept, sizeof(kept));
	if (c->work.staging_ns > 0)
		snprintf(
		    row->why, sizeof(row->why),
		    "cupyx.empty_like_pinned(): CuPy then does not copy the "
		    "data to pinned memory first");
	else if (c->options->language != XS_LANGUAGE_CUDA)
		snprintf(row->why, sizeof(row->why), "%s%s",
			 ways[c->options->language], kept);
	else
		explain_calls(c, row, known, kept);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	const struct xs_closed_form closed = xs_strategy_case_closed_form(c);
	bool known;
	const struct xs_strategy_case large = without_small(c, &known);

	if (abstains(c, &row, out))
		return;
	row.needs = xs_estimate_set_setup(&large, 0, &row);
	if (row.needs && xs_buffers_are_new(&c->work))
		row.effort = XS_EFFORT_PLACE;
	if (unawaited(c, XS_STEP_D2H))
		xs_estimate_assume(&row, "the host waits before it reads the "
					 "results: copies out no longer block");
	if (unawaited(c, XS_STEP_H2D))
		xs_estimate_assume(&row,
				   "the host waits before it changes what "
				   "it copies in, which no longer blocks");
	xs_estimate_replay(c, build_plan, &row);
	bound_staging(c, &row);
	explain(&large, known, &row);
	xs_estimates_add(out, &row);
	xs_closed_form_add(&closed, "pinned", 0, out);
}

const struct xs_strategy xs_strategy_pinned = {
    .id = "pinned",
    .effort = XS_EFFORT_CALL,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING,
    .check = XS_CHECK_explicit,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .build = build,
    .first = "pin the host buffers of {places}",
    .advice = "Pin the host buffers of {places} once with {why}{small}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"{register}cudaHostRegister(host, bytes, "
		"cudaHostRegisterDefault); // after malloc\n"
		"{allocate}cudaMallocHost(&host, bytes); // once, in place of "
		"malloc(bytes)",
	    [XS_LANGUAGE_PYTORCH] =
		"{in}x = host.to(device, non_blocking=True)  # host: "
		"pin_memory(), once\n"
		"{only_in}# or DataLoader(data, pin_memory=True), if it makes "
		"the batches\n"
		"{out}out = torch.empty(shape, pin_memory=True)  # once\n"
		"{out}out.copy_(result, non_blocking=True); "
		"s.synchronize()  # s: its stream",
	    [XS_LANGUAGE_JAX] =
		"host = jax.device_put(array, sharding.with_memory_kind("
		"\"pinned_host\"))\n"
		"device = jax.device_put(host, sharding)  # host: once, before "
		"the loop",
	    [XS_LANGUAGE_CUPY] =
		"pinned = cupyx.empty_like_pinned(array)  # once\n"
		"device.set(pinned)  # an array of the device; compute into "
		"pinned\n"
		"{out}device.get(out=pinned)  # instead of cupy.asnumpy()",
	    [XS_LANGUAGE_NUMBA] =
		"ary = cuda.pinned_array(shape, dtype)  # once, instead of "
		"numpy.empty",
	},
};
