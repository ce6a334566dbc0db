/* SPDX-License-Identifier: MIT */
/*
 * prefetch: the copies in of a round's next stage, such as the next layer, run
 * on a second stream during the kernels of this one, which need none of them;
 * the copies out of a stage run during the kernels of the next. Kernels stay
 * whole and in order. double-buffer does the same with the next round.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/plan_ahead.h"

#include "model/replay/roundtrip.h"

enum { QUEUE_IN, QUEUE_KERNELS, QUEUE_OUT };

/* Copies out of the last stage follow its kernels anyway. */
static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_action sync = xs_action_sync_all(&scenario->machine);
	const struct xs_ahead_queues queues = {QUEUE_IN, QUEUE_KERNELS,
					       QUEUE_OUT};
	const struct xs_host_time host =
	    xs_strategy_case_host_time(c, scenario);
	struct xs_copy_stages stages;

	xs_copy_stages_build(c->phase, &stages);
	(void)row;
	xs_plan_ahead(c, scenario, &stages, &queues,
		      (host.before_ns + host.between_ns) / stages.count,
		      host.beside_ns, plan);
	xs_copy_stages_free(&stages);
	xs_plan_add(plan, &sync);
}

/* Returns whether the host had the time to make a copy's input after an earlier
 * copy out. */
static bool may_return(const struct xs_phase *phase)
{
	uint64_t returned_ns = 0;
	bool out = false;

	XS_EACH(step, phase->steps, phase->step_count) {
		if (out && step->kind == XS_STEP_H2D &&
		    step->call_ns > returned_ns &&
		    (double)(step->call_ns - returned_ns) >=
			XS_WRITE_BYTE_NS * (double)step->bytes)
			return true;
		out |= step->kind == XS_STEP_D2H;
		if (step->return_ns > returned_ns)
			returned_ns = step->return_ns;
	}
	return false;
}

/* Whether a round copies a state in, then runs its kernels, then copies out to
 * the same memory. */
static bool is_state(const struct xs_phase *phase)
{
	enum xs_step_kind last = XS_STEP_H2D;
	bool same = false;

	XS_EACH(step, phase->steps, phase->step_count) {
		if (step->kind != XS_STEP_H2D && step->kind != XS_STEP_D2H &&
		    step->kind != XS_STEP_KERNEL)
			continue;
		if (step->kind != last &&
		    (step->kind == XS_STEP_H2D || last == XS_STEP_D2H))
			return false;
		last = step->kind;
		if (last != XS_STEP_D2H)
			continue;
		XS_EACH(in, phase->steps, phase->step_count)
			same |= in->kind == XS_STEP_H2D && step->dst &&
				in->src == step->dst &&
				in->bytes == step->bytes;
	}
	return same;
}

/* Abstains for reasons of the phase. */
static bool abstains(const struct xs_strategy_case *c,
		     const struct xs_copy_stages *stages,
		     struct xs_estimate *row, struct xs_estimates *out)
{
	struct xs_roundtrips returning;

	xs_roundtrip_count(c->phase, &returning);
	return xs_abstain_if(
		   !stages->ahead && !stages->early, row, out,
		   "each round's first kernel may need all of its copies in, "
		   "and its copies out the last: see double-buffer") ||
	       xs_abstain_if(
		   is_state(c->phase), row, out,
		   "a round copies out to memory that it copied in from: the "
		   "next one may need its results") ||
	       xs_abstain_if(returning.out, row, out,
			     "data that a round copies out is copied in again");
}

static const char *plural(unsigned count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* "7 copies in and 1 copy out can run beside copies of the other direction and
 * kernels that do not need them" */
static void say_why(const struct xs_strategy_case *c,
		    const struct xs_copy_stages *stages,
		    struct xs_estimate *row)
{
	const size_t room = sizeof(row->why);
	const unsigned in = stages->ahead, outs = stages->early;
	size_t length = 0;

	if (in)
		length += (size_t)snprintf(row->why, room, "%u cop%s in", in,
					   plural(in, "y", "ies"));
	if (outs)
		length += (size_t)snprintf(row->why + length, room - length,
					   "%s%u cop%s out", in ? " and " : "",
					   outs, plural(outs, "y", "ies"));
	snprintf(row->why + length, room - length,
		 " can run beside %skernels that do not need %s",
		 in && outs && c->machine->copy_engines != 1
		     ? "copies of the other direction and "
		     : "",
		 plural(in + outs, "it", "them"));
}

static void estimate(const struct xs_strategy_case *c,
		     const struct xs_copy_stages *stages,
		     struct xs_estimate *row, struct xs_estimates *out)
{
	if (abstains(c, stages, row, out))
		return;
	if (may_return(c->phase)) {
		row->bound =
		    "no copy in needs what its round copied out before";
		xs_estimate_assume(row, row->bound);
	}
	xs_estimate_need(row, "the input of the next kernels is in host "
			      "memory while the present ones run");
	row->quiet = false;
	/* frameworks have the events and the second buffer at one place */
	if (c->options->language == XS_LANGUAGE_CUDA)
		row->effort = XS_EFFORT_PLACES;
	if (xs_abstain_without_copy_rates(c, row, out))
		return;
	row->more_bytes = stages->more_bytes;
	xs_estimate_set_setup(c, stages->early ? 2 : 1, row);
	xs_estimate_replay(c, build_plan, row);
	say_why(c, stages, row);
	xs_estimates_add(out, row);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_copy_stages stages;

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	xs_copy_stages_build(c->phase, &stages);
	estimate(c, &stages, &row, out);
	xs_copy_stages_free(&stages);
}

const struct xs_strategy xs_strategy_prefetch = {
    .id = "prefetch",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER,
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .changes_inputs = true,
    .build = build,
    .first = "issue the copies of {places} one step ahead",
    .advice =
	"{no_waits}Issue the copies of {places} one step ahead{pinned}, on a "
	"second stream: {why}. A kernel waits for the event of its copy, and a "
	"copy for that of the last kernel that used its buffer.{buffers}",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"cudaStreamWaitEvent(c, used), cudaMemcpyAsync(b, in[i + 1], "
		"..., c);\n"
		"cudaEventRecord(copied, c), f<<<..., k>>>(a), "
		"cudaEventRecord(used, k);\n"
		"cudaStreamWaitEvent(k, copied), std::swap(a, b); "
		"// a: in[0] first",
	    [XS_LANGUAGE_PYTORCH] =
		"with torch.cuda.stream(side):  # torch.cuda.Stream(); the "
		"next one\n"
		"    x, copied = host.to(device, non_blocking=True), "
		"side.record_event()\n"
		"main.wait_event(copied), x.record_stream(main)  # "
		"current_stream()",
	    [XS_LANGUAGE_JAX] =
		"following = jax.device_put(host[i + 1])  # before this one is "
		"used",
	    [XS_LANGUAGE_CUPY] =
		"copies.wait_event(used)  # recorded behind its last kernel\n"
		"with copies: following.set(host[i + 1])  # from pinned "
		"memory\n"
		"cupy.cuda.get_current_stream().wait_event(copies.record())",
	    [XS_LANGUAGE_NUMBA] =
		"used.wait(copies), dev[(i + 1) % 2].copy_to_device(ary[i + "
		"1], copies)\n"
		"f[blocks, threads, kernels](dev[i % 2]), "
		"used.record(kernels)\n"
		"copied.record(copies), copied.wait(kernels)  # before its use",
	},
};
