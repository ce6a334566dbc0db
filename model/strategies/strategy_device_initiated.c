/* SPDX-License-Identifier: MIT */
/*
 * device-initiated: one kernel stays on the GPU for all rounds and does the
 * work of their kernels, memsets and copies on it. It loads what the host
 * copied in, stores what the host copied out, and both wait by flags in host
 * memory: Klenk 2014's direct control. If all copies are small, replays the
 * record with these messages instead of copies, launches and waits. Otherwise
 * the kernel uses host memory where it is, as in mapped, without these.
 */
#include "model/formulas/closed_form_klenk.h"
#include "model/replay/mapped_writes.h"
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* A start is not worth changing below this share of the round. */
#define LEAST_SHARE 0.01

/* Kernels that read or write a byte more often need it in the GPU's memory. */
#define MOST_CROSSINGS 1.25

/* What a round has. */
struct found {
	unsigned copies, kernels, starts, waits;
	unsigned others; /* copies on the host, and between GPUs */
	double turns;	 /* of a kernel's blocks on the GPU; 0: unknown */
	bool in_large, out_large; /* copies whose bytes outlast their start */
};

/* NAN: unknown. */
static double start_ns(const struct xs_machine *m, bool in)
{
	return (in ? m->lo_h2d_ns : m->lo_d2h_ns).value +
	       m->call_copy_async_ns.value;
}

static struct found look(const struct xs_strategy_case *c)
{
	const struct xs_machine *m = c->machine;
	struct found found = {0};

	XS_EACH(step, c->phase->steps, c->phase->step_count) {
		const bool in = step->kind == XS_STEP_H2D;
		const bool copy = xs_step_is_copy(step);
		const double G = (in ? m->G_h2d : m->G_d2h).value;
		const double room =
		    m->sm_count * xs_step_blocks_per_sm(step, m);

		if (room > 0)
			found.turns =
			    fmax(found.turns, (double)step->blocks / room);
		found.others += step->peer || step->kind == XS_STEP_H2H;
		found.copies += copy;
		found.kernels += step->kind == XS_STEP_KERNEL;
		found.starts += step->kind <= XS_STEP_KERNEL;
		found.waits += xs_step_is_wait(step) ||
			       (step->kind == XS_STEP_D2H && step->blocking);
		if (copy && (double)step->bytes * G >= start_ns(m, in))
			*(in ? &found.in_large : &found.out_large) = true;
	}
	return found;
}

/* All blocks wait for each other, in the time of a gap between two kernels:
 * half of it until one block knows of all, and half until all know of one. */
static double meet_ns(const struct xs_machine *m)
{
	return m->kernel_gap_ns.value;
}

/* From a store of the host's flag until all blocks of the kernel have it. */
static double told_ns(const struct xs_machine *m)
{
	const struct xs_klenk_path flags = xs_closed_form_klenk_flags(m);

	return flags.read_ns + meet_ns(m) / 2;
}

/* From the last store of a block until the host has the flag behind it. */
static double seen_ns(const struct xs_machine *m)
{
	const struct xs_klenk_path flags = xs_closed_form_klenk_flags(m);

	return meet_ns(m) / 2 + flags.store_ns + flags.latency_ns;
}

/* Blocks of a kernel that follows another one wait for each other. Each loads
 * what it needs, and stores what it has. A memset, or a copy within the GPU, is
 * done as by a kernel, in its time. */
static void take_kernel(const struct xs_machine *m, bool follows,
			struct xs_action *action)
{
	action->blocking = false;
	action->call_ns = action->return_ns = 0;
	action->issue_lag_ns = told_ns(m);
	action->dep_lag_ns = follows ? fmin(action->dep_lag_ns, meet_ns(m)) : 0;
}

/* next: loads or stores of the copy before are under way, too. */
static void take_copy(const struct xs_machine *m, const struct xs_step *step,
		      bool next, struct xs_action *action)
{
	const bool in = step->kind == XS_STEP_H2D;
	const double latency_ns = in && !next ? m->poll_system_ns.value : 0;
	struct xs_action op = {
	    .kind = XS_ACTION_OP,
	    .unit = XS_UNIT_NONE,
	    .blocking = !in && action->blocking,
	    .work_ns =
		latency_ns + (double)step->bytes *
				 (in ? m->mapped_read : m->mapped_write).value,
	    .issue_lag_ns = told_ns(m)};

	if (op.blocking)
		op.return_ns = seen_ns(m);
	xs_action_replace(action, op);
}

/* open: something was issued since the host last saw a flag. */
static void take_wait(const struct xs_machine *m, bool open,
		      struct xs_action *action)
{
	if (open && action->kind != XS_ACTION_HOST)
		action->return_ns = seen_ns(m);
	else
		xs_action_leave_out(action);
}

static void take_steps(const struct xs_phase *phase, const struct xs_machine *m,
		       struct xs_plan *plan)
{
	const struct xs_step *before = NULL;
	bool open = false;

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		struct xs_action *action = &plan->actions[i];

		if (xs_step_is_wait(step)) {
			take_wait(m, open, action);
			before = NULL;
			open = false;
		} else if (action->kind == XS_ACTION_RECORD ||
			   action->kind == XS_ACTION_WAIT) {
			action->call_ns = 0;
		} else if (action->kind == XS_ACTION_OP) {
			if (xs_step_is_copy(step))
				take_copy(m, step,
					  before && before->kind == step->kind,
					  action);
			else
				take_kernel(m,
					    before && !xs_step_is_copy(before),
					    action);
			before = step;
			open = !action->blocking;
		}
	}
}

static void plan_messages(const struct xs_strategy_case *c,
			  const struct xs_estimate *row,
			  const struct xs_scenario *scenario,
			  struct xs_plan *plan)
{
	xs_plan_recorded(c, scenario, plan);
	(void)row;
	xs_plan_reuse(c->phase, &scenario->machine, plan);
	take_steps(c->phase, &scenario->machine, plan);
}

static void plan_mapped(const struct xs_strategy_case *c,
			const struct xs_estimate *row,
			const struct xs_scenario *scenario,
			struct xs_plan *plan)
{
	const struct xs_machine *m = &scenario->machine;

	xs_plan_mapped(c, row, scenario, plan);
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->actions[i].kind == XS_ACTION_OP)
			take_kernel(m, false, &plan->actions[i]);
		else if (plan->actions[i].kind == XS_ACTION_SYNC_ALL)
			take_wait(m, true, &plan->actions[i]);
	}
}

/* Returns why a kernel that stays gains nothing, or cannot take the work over,
 * or NULL. quiet: it has nothing that a flag could make shorter, or tell. */
static const char *why_not(const struct xs_strategy_case *c,
			   const struct found *found, double starts_ns,
			   bool *quiet)
{
	*quiet = true;
	if (c->phase->rounds < 2)
		return "only one round was seen: the kernel would stay for "
		       "many";
	if (!found->copies && !c->options->shares_memory)
		return "it copies nothing, so that the host needs no answer "
		       "from a kernel that stays";
	if (starts_ns < LEAST_SHARE * (double)c->phase->round_ns.median_ns)
		return "to start its copies and kernels, and to wait for them, "
		       "takes less than 1 % of the round";
	*quiet = false;
	if (c->options->language != XS_LANGUAGE_CUDA)
		return "a framework launches the kernels, and has no call for "
		       "one that stays";
	if (xs_rounds_are_concurrent((double)c->phase->concurrent_ns,
				     (double)c->phase->total_ns))
		return "rounds of other threads or GPUs run beside it: its "
		       "kernels may wait for theirs, or theirs for its";
	if (found->others)
		return "its copies on the host or between GPUs are not "
		       "predicted as work of its kernels";
	return NULL;
}

static bool is_unknown(const struct xs_strategy_case *c, double starts_ns,
		       struct xs_estimate *row, struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;
	const struct xs_klenk_path flags = xs_closed_form_klenk_flags(m);

	return xs_abstain_without_copy_rates(c, row, out) ||
	       xs_abstain_if_unknown(row,
				     "the host's time of copies and waits "
				     "(call_copy_async_ns, sync_ns)",
				     starts_ns, out) ||
	       xs_abstain_if_unknown(
		   row, "the time of flags between kernels and the host",
		   flags.store_ns + flags.latency_ns + flags.read_ns, out) ||
	       xs_abstain_if_unknown(row,
				     "the gap between two kernels "
				     "(kernel_gap_ns), in which blocks meet",
				     meet_ns(m), out) ||
	       (c->work.in_copies &&
		xs_abstain_if_unknown(row, "the rate of mapped reads",
				      m->mapped_read.value, out)) ||
	       (c->work.out_copies &&
		xs_abstain_if_unknown(row, "the rate of mapped writes",
				      m->mapped_write.value, out));
}

/* Bytes that take longer than their start must be used where they are. */
static bool must_stay(const struct xs_strategy_case *c,
		      const struct found *found, struct xs_estimate *row,
		      struct xs_estimates *out)
{
	const double reads = xs_mapped_access_reads_per_byte(&c->work);
	const double writes = xs_mapped_access_writes_per_byte(&c->work);

	if (!found->in_large && !found->out_large)
		return false;
	return xs_abstain_if(
		   c->work.stage_count != 1, row, out,
		   "%u kernels use each other's results: nothing shows that "
		   "they read or write once what is copied",
		   c->work.kernels) ||
	       xs_abstain_if(
		   isnan(c->work.read_sectors), row, out,
		   "nothing shows that the kernel reads or writes once what "
		   "is copied; counters of the kernel do (--counters)") ||
	       xs_abstain_if(
		   found->in_large && reads > MOST_CROSSINGS, row, out,
		   "as counted, the kernel reads each byte copied in %.1f "
		   "times, each time over the bus",
		   reads) ||
	       xs_abstain_if(
		   found->out_large && writes > MOST_CROSSINGS &&
		       writes < XS_MAPPED_ELSEWHERE,
		   row, out,
		   "as counted, the kernel writes each byte copied out %.1f "
		   "times, each time over the bus",
		   writes);
}

static void assume(const struct found *found, struct xs_estimate *row)
{
	row->bound = found->turns > 1
			 ? "one kernel that stays on the GPU does the round's "
			   "work there as fast, in a loop over the blocks, "
			   "which do not fit on the GPU at once"
			 : "one kernel that stays on the GPU does the round's "
			   "work there as fast";
	xs_estimate_assume(row, row->bound);
	xs_estimate_assume(
	    row,
	    "its blocks run at once, and meet in a gap between two kernels");
	xs_estimate_assume(
	    row, "it loads what comes in once, not by __restrict__ or __ldg(), "
		 "and joins a warp's atomic additions, "
		 "as the compiler may not in a loop that a flag ends");
	xs_estimate_assume(row, "nothing else needs its SMs, loads a module or "
				"synchronises the device");
	xs_estimate_assume(row, "a host thread polls while it waits");
	if (found->copies)
		xs_estimate_assume(row, "loads and stores of all blocks "
					"together fill the link");
}

static void explain(const struct xs_strategy_case *c, const struct found *found,
		    struct xs_estimate *row)
{
	const double meet = meet_ns(c->machine);
	char become[96] = "the kernel uses host memory where it is, and flags "
			  "replace its launch and the wait";
	int length;

	if (!found->in_large && !found->out_large)
		snprintf(become, sizeof(become),
			 "its copies (%u), launches (%u) and waits (%u) become "
			 "loads, stores and flags",
			 found->copies, found->kernels, found->waits);
	length = snprintf(
	    row->why, sizeof(row->why),
	    "%s: %.0f ns both ways, %.0f ns for blocks to meet", become,
	    told_ns(c->machine) + seen_ns(c->machine) - meet, meet);
	if (found->turns > 1)
		snprintf(row->why + length, sizeof(row->why) - (size_t)length,
			 "; a block that stays does up to %.0f in a loop",
			 ceil(found->turns));
}

/* Blocks that all run at once load, work and store one after the other: what is
 * large moves beside kernels if some load while others work. */
static bool overlaps(const struct found *found)
{
	return (found->in_large || found->out_large) &&
	       !(found->turns > 0 && found->turns <= 1);
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	const struct found found = look(c);
	const double starts_ns = found.starts * start_ns(c->machine, true) +
				 found.waits * c->machine->sync_ns.value;
	struct xs_estimate row = xs_estimate_init(c);
	const char *why;

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	why = why_not(c, &found, starts_ns, &row.quiet);
	if (xs_abstain_if(why, &row, out, "%s", why))
		return;
	if (is_unknown(c, starts_ns, &row, out) ||
	    must_stay(c, &found, &row, out))
		return;
	assume(&found, &row);
	xs_estimate_set_setup(c, 0, &row);
	xs_estimate_replay(c, overlaps(&found) ? plan_mapped : plan_messages,
			   &row);
	explain(c, &found, &row);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_device_initiated = {
    .id = "device-initiated",
    .effort = XS_EFFORT_REWRITE,
    .needs = XS_NEEDS_STEPS | XS_NEEDS_GPU_TIMES | XS_NEEDS_UNMANAGED |
	     XS_NEEDS_KERNEL | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER | XS_CHANGES_SIZES |
	       XS_CHANGES_ALLOCATION | XS_CHANGES_LAUNCHES,
    .spares = XS_CHANGES_HOST,
    .check = XS_CHECK_mapped,
    .error = XS_ERROR_device_initiated,
    .changes_launches = true,
    .build = build,
    .first = "launch one kernel for all rounds instead of those of {places}",
    .advice = "Launch one kernel for all rounds (cudaLaunchCooperativeKernel) "
	      "instead of those of {places}; it loads and stores mapped host "
	      "memory: {why}. go and done are cuda::atomic_ref of that memory, "
	      "as in examples/initiated/advised.cu.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"if (first) while ((*seen = go.load(acquire)) < r) ;\n"
		"grid.sync(); if (*seen == ~0u) return; /* round r */ "
		"grid.sync();\n"
		"if (first) done.store(r, release); // the host: go = r, at "
		"the end ~0u",
	},
};
