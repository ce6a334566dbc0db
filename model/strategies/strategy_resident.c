/* SPDX-License-Identifier: MIT */
/*
 * resident: data that is copied out and later in again, or in from the same
 * host memory in every round, stays on the device, whose buffers then outlast a
 * round. Replays the record without these copies in, which gives the largest
 * possible saving; the result of a round is still copied out. If contents were
 * hashed, it is measured which copies in bring the same bytes: only these are
 * left out.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include "analyzer/util/memory.h"
#include "model/replay/recorded_plan.h"
#include "model/replay/roundtrip.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Instead of a copy in: a copy from a second buffer on the device. If its time
 * is unknown, the copy in stays: it takes longer. */
static void restore(const struct xs_machine *machine,
		    const struct xs_step *step, struct xs_action *action)
{
	const double moved_bytes = 2 * (double)step->bytes;

	if (machine->memory_bandwidth > 0)
		xs_action_replace(
		    action,
		    xs_action_kernel(machine, moved_bytes * 1e9 /
						  machine->memory_bandwidth));
}

/* Data that a round only copies in may be changed by its kernels: at worst it
 * is then copied on the device. */
static void keep_on_device(const struct xs_strategy_case *c,
			   const struct xs_scenario *scenario,
			   const bool *marks, const bool *returning,
			   struct xs_plan *plan)
{
	for (size_t i = 0; i < c->phase->step_count; i++) {
		const struct xs_step *step = &c->phase->steps[i];

		if (marks[i] && scenario->shares && !returning[i] &&
		    plan->actions[i].kind == XS_ACTION_OP)
			restore(&scenario->machine, step, &plan->actions[i]);
		else if (marks[i])
			xs_action_leave_out(&plan->actions[i]);
	}
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const size_t count = c->phase->step_count + 1;
	bool *marks = xs_calloc(count, sizeof(*marks));
	bool *returning = xs_calloc(count, sizeof(*returning));
	struct xs_roundtrips found;
	size_t copies;

	(void)row;
	xs_resident_mark(c->phase, true, marks, &copies);
	if (scenario->shares)
		xs_roundtrip_mark(c->phase, returning, &found);
	xs_plan_recorded(c, scenario, plan);
	xs_plan_reuse(c->phase, &scenario->machine, plan);
	keep_on_device(c, scenario, marks, returning, plan);
	free(marks);
	free(returning);
}

/* By place; of one place, the largest first. */
static int by_place(const void *a, const void *b)
{
	const struct xs_step *x = *(const struct xs_step *const *)a;
	const struct xs_step *y = *(const struct xs_step *const *)b;

	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Sets the memory for data that a round copies to one place after another: each
 * that stays there needs a place of its own. *results: whether copies out to
 * pageable memory stay. */
static void set_more_bytes(const struct xs_phase *phase,
			   struct xs_estimate *row, bool *results)
{
	const size_t count = phase->step_count + 1;
	bool *marks = xs_calloc(count, sizeof(*marks));
	const struct xs_step **places = xs_calloc(count, sizeof(*places));
	size_t used = 0, copies;

	xs_resident_mark(phase, true, marks, &copies);
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		*results |= !marks[i] && step->kind == XS_STEP_D2H &&
			    step->bytes >= XS_SMALL_COPY_BYTES &&
			    xs_step_is_pageable(step);
		if (marks[i] && step->kind == XS_STEP_H2D && step->dst)
			places[used++] = step;
	}
	if (used)
		qsort(places, used, sizeof(*places), by_place);
	for (size_t i = 1; i < used; i++)
		if (places[i]->dst == places[i - 1]->dst)
			row->more_bytes += (double)places[i]->bytes;
	free(places);
	free(marks);
}

/* Fills the times, and adds to the row's reason. The first round still brings
 * the data, and its buffers are allocated before it. */
static void replay_row(const struct xs_strategy_case *c,
		       struct xs_estimate *row)
{
	const size_t used = strlen(row->why);
	bool results = false;

	xs_estimate_replay(c, build_plan, row);
	set_more_bytes(c->phase, row, &results);
	if (results)
		snprintf(row->why + used, sizeof(row->why) - used,
			 "; results still go to pageable memory: pin them");
	row->setup_ns = fmax(c->as_is_ns - row->round_ns, 0);
	row->loop_ns = fmax(row->setup_ns - c->work.allocation_ns, 0);
}

static void estimate_measured(const struct xs_strategy_case *c,
			      struct xs_estimate *row,
			      const struct xs_repeat_counts *sum,
			      struct xs_estimates *out)
{
	const struct xs_phase *phase = c->phase;
	bool sampled = false;
	size_t copies = 0;

	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_repeats(&phase->steps[i])) {
			sampled |= phase->steps[i].repeats.sampled;
			copies++;
		}
	if (xs_abstain_if(!copies, row, out,
			  "measured: no call site copies in the same bytes "
			  "each time (%" PRIu64 " of %" PRIu64 " copies do)",
			  sum->same, sum->compared))
		return;
	if (sampled)
		row->bound = "the bytes that were not sampled are equal, too "
			     "(XFERSPY_HASH=full hashes all)";
	xs_estimate_assume(row, row->bound
				    ? row->bound
				    : "kernels do not change the data on the "
				      "device, or a copy of it is kept there");
	snprintf(row->why, sizeof(row->why),
		 "measured: the same bytes again in %" PRIu64 " of %" PRIu64
		 " copies in, %" PRIu64 " of them just copied out; a round "
		 "without the %zu cop%s in that always bring%s the same bytes",
		 sum->same, sum->compared, sum->back, copies,
		 copies == 1 ? "y" : "ies", copies == 1 ? "s" : "");
	replay_row(c, row);
	xs_estimates_add(out, row);
}

#define COMPARED "(XFERSPY_HASH=1 compares the bytes)"

static void say_why(struct xs_estimate *row, size_t copies,
		    const struct xs_roundtrips *returning)
{
	const size_t same = copies - returning->in;

	if (!returning->in)
		snprintf(row->why, sizeof(row->why),
			 "each round copies it in from the same host "
			 "memory " COMPARED "; if only kernels change it, "
			 "restore it in each round from a second copy on the "
			 "GPU");
	else if (same)
		snprintf(row->why, sizeof(row->why),
			 "each round makes %zu cop%s in from the same host "
			 "memory, and %zu of what was copied out " COMPARED,
			 same, same == 1 ? "y" : "ies", returning->in);
	else
		snprintf(
		    row->why, sizeof(row->why),
		    "%zu cop%s in bring%s back what was copied out%s " COMPARED,
		    copies, copies == 1 ? "y" : "ies", copies == 1 ? "s" : "",
		    returning->out ? ", which need not be copied out" : "");
}

/* Whether the trace tells where any copy's memory is. */
static bool has_addresses(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind <= XS_STEP_D2H &&
		    (phase->steps[i].src || phase->steps[i].dst))
			return true;
	return false;
}

/* Whether all rounds copy in what no other one does: data that goes through the
 * GPU once. */
static bool is_streamed(const struct xs_phase *phase)
{
	return phase->rounds > 1 && phase->h2d_buffers &&
	       phase->h2d_buffer_bytes >= phase->h2d_bytes * phase->rounds;
}

/* Why no copy in can be left out. */
static const char *why_none(const struct xs_phase *phase)
{
	if (!has_addresses(phase))
		return "cannot, because the trace has no addresses of copies";
	if (is_streamed(phase))
		return "each round copies in data that no other round does: "
		       "what is used once has no reason to stay";
	return "no copy in is known to bring back data of a copy out, or the "
	       "same data in every round";
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	struct xs_repeat_counts sum;
	struct xs_roundtrips returning;
	size_t copies = 0;

	row.quiet = true;
	if (xs_abstain_without_needs(c, &row, out))
		return;
	if (xs_repeats_measured(c->phase, &sum)) {
		estimate_measured(c, &row, &sum, out);
		return;
	}
	xs_resident_count(c->phase, true, &copies);
	xs_roundtrip_count(c->phase, &returning);
	row.bound =
	    returning.out  ? "the host neither changes nor needs the data "
			     "in between"
	    : returning.in ? "nothing but copies out changes the data on "
			     "the host between rounds"
			   : "neither the host nor a kernel changes the data "
			     "between rounds";
	xs_estimate_assume(&row, row.bound);
	if (copies > returning.in)
		xs_estimate_assume(
		    &row, "kernels do not change the data that is copied in "
			  "only, or a copy of it is kept on the device");
	if (xs_abstain_if(!copies, &row, out, "%s", why_none(c->phase)))
		return;
	say_why(&row, copies, &returning);
	replay_row(c, &row);
	xs_estimates_add(out, &row);
}

const struct xs_strategy xs_strategy_resident = {
    .id = "resident",
    .effort = XS_EFFORT_PLACE,
    .needs = XS_NEEDS_TIMED_COPIES,
    .changes = XS_CHANGES_TRAFFIC | XS_CHANGES_ALLOCATION,
    .spares = XS_CHANGES_COPIES,
    .check = XS_CHECK_NONE,
    .error = XS_ERROR_resident,
    .keeps_copies = true,
    .changes_inputs = true,
    .build = build,
    .first = "copy the data of {places} in only once",
    .advice = "Copy the data of {places} only before the rounds, to device "
	      "buffers that stay{once}: {why}.{buffers}",
    .code =
	{
	    [XS_LANGUAGE_CUDA] = "cudaMemcpy(dev, host, bytes, "
				 "cudaMemcpyDefault); // before the "
				 "loop",
	    [XS_LANGUAGE_PYTORCH] =
		"tensor = tensor.to(device)  # once, before the loop",
	    [XS_LANGUAGE_JAX] =
		"array = jax.device_put(array)  # once, before the loop",
	    [XS_LANGUAGE_CUPY] =
		"device = cupy.asarray(array)  # once, before the loop",
	    [XS_LANGUAGE_NUMBA] =
		"dev = cuda.to_device(ary)  # once, before the loop; kernels "
		"take dev",
	    [XS_LANGUAGE_OPENMP] =
		"#pragma omp target enter data map(to: in[:n]) // before the "
		"loop\n"
		"// OpenACC: #pragma acc enter data copyin(in[:n])",
	},
};
