/* SPDX-License-Identifier: MIT */
#include "model/formulas/atgpu_phase.h"

#include "analyzer/util/memory.h"
#include "model/replay/round_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What the counters count. */
#define SECTOR_BYTES 32.0

static double words(double bytes)
{
	return bytes / XS_ATGPU_WORD_BYTES;
}

/* Returns the line through the smallest point of a curve of pageable copies and
 * the point of the given size. */
static void line_of(const struct xs_curve *curve, double bytes,
		    double *alpha_ns, double *beta_ns)
{
	const double first = curve->count ? curve->bytes[0] : NAN;
	const double rise =
	    fmax(xs_curve_ns(curve, bytes) - xs_curve_ns(curve, first), 0);

	if (bytes > first) {
		*beta_ns = rise / (bytes - first) * XS_ATGPU_WORD_BYTES;
		*alpha_ns = xs_curve_ns(curve, first) - words(first) * *beta_ns;
	} else {
		*beta_ns = 0;
		*alpha_ns = xs_curve_ns(curve, bytes);
	}
}

/* Sets alpha and beta of one direction from its copies. A direction without
 * copies costs nothing, even if its parameters are unknown. */
static void copies_of(uint64_t bytes, uint64_t ops, uint8_t memory,
		      const struct xs_curve *pageable, double *alpha_ns,
		      double *beta_ns)
{
	if (!ops)
		*alpha_ns = *beta_ns = 0;
	else if (memory == XS_MEM_PAGEABLE)
		line_of(pageable, (double)bytes / (double)ops, alpha_ns,
			beta_ns);
}

static struct xs_atgpu_machine machine_of(const struct xs_phase *phase,
					  const struct xs_machine *machine)
{
	struct xs_atgpu_machine out = xs_atgpu_machine_of(machine);

	copies_of(phase->h2d_bytes, phase->h2d_ops, phase->src_memory,
		  &machine->pageable_h2d, &out.alpha_in_ns, &out.beta_in_ns);
	copies_of(phase->d2h_bytes, phase->d2h_ops, phase->dst_memory,
		  &machine->pageable_d2h, &out.alpha_out_ns, &out.beta_out_ns);
	return out;
}

/* Returns a kernel as launched, with its hardware counters. Each block is
 * assumed to execute an equal part of the instructions, and each memory block
 * to be accessed whole. */
static struct xs_atgpu_launch launch_of(const struct xs_step *step,
					const struct xs_machine *machine)
{
	const struct xs_counts *counts = step->counts;
	const double blocks = (double)step->blocks;

	return (struct xs_atgpu_launch){
	    .blocks = blocks,
	    .shared_words = words(step->shared_bytes),
	    .block_limit = xs_step_blocks_per_sm(step, machine),
	    .operations = counts ? counts->instructions / blocks : NAN,
	    .accesses = counts
			    ? (counts->sectors_read + counts->sectors_written) *
				  SECTOR_BYTES / XS_ATGPU_BLOCK_BYTES
			    : NAN};
}

/* Adds the kernels of the round, up to the room in launches, and their totals.
 */
static void add_kernels(const struct xs_phase *phase,
			const struct xs_machine *machine,
			struct xs_atgpu_launch *launches, size_t *count,
			struct xs_atgpu_phase *out)
{
	uint64_t longest_ns = 0;
	double operations = 0;

	XS_EACH(step, phase->steps, phase->step_count) {
		struct xs_atgpu_launch *launch = &launches[*count];

		if (step->kind != XS_STEP_KERNEL)
			continue;
		(*count)++;
		*launch = launch_of(step, machine);
		operations += launch->operations * launch->blocks;
		out->accesses += launch->accesses;
		out->thread_blocks += launch->blocks;
		out->shared_words =
		    fmax(out->shared_words, launch->shared_words);
		if (step->end_ns - step->start_ns >= longest_ns) {
			longest_ns = step->end_ns - step->start_ns;
			out->blocks_at_once =
			    launch->block_limit > 0 ? launch->block_limit : NAN;
		}
	}
	if (*count)
		out->operations = operations / out->thread_blocks;
}

/* Returns true with the reason if the costs cannot be computed. */
static bool abstains(const struct xs_atgpu_machine *machine,
		     size_t launch_count, struct xs_atgpu_phase *out)
{
	const char *unknown = xs_atgpu_unknown(machine);

	if (launch_count && !(out->thread_blocks > 0))
		snprintf(out->why, sizeof(out->why),
			 "the grids of the kernels are not in the trace");
	else if (launch_count && isnan(out->operations + out->accesses))
		snprintf(out->why, sizeof(out->why),
			 "t_i and q_i were not counted; `xferspy run "
			 "--counters` counts them");
	else if (unknown)
		snprintf(out->why, sizeof(out->why),
			 "the profile lacks %s; `xferspy calibrate` measures "
			 "it",
			 unknown);
	else if (out->shared_words > machine->shared_words)
		snprintf(out->why, sizeof(out->why),
			 "a block needs more shared memory than this machine's "
			 "multiprocessors have");
	else
		return false;
	return true;
}

static double share_observed(const struct xs_phase *phase)
{
	const double copies =
	    (double)phase->h2d_ns.median_ns + (double)phase->d2h_ns.median_ns;
	const double kernels = (double)phase->kernel_ns.median_ns;

	return copies / (copies + kernels);
}

static struct xs_atgpu_phase without_costs(const struct xs_phase *phase,
					   double global_bytes)
{
	return (struct xs_atgpu_phase){
	    .rounds = (double)phase->rounds,
	    .in_words = words((double)phase->h2d_bytes),
	    .out_words = words((double)phase->d2h_bytes),
	    .in_transactions = (double)phase->h2d_ops,
	    .out_transactions = (double)phase->d2h_ops,
	    .global_words = words(global_bytes),
	    .blocks_at_once = NAN,
	    .cost_ns = NAN,
	    .gpu_cost_ns = NAN,
	    .swgpu_cost_ns = NAN,
	    .share = NAN,
	    .share_observed = share_observed(phase)};
}

static size_t count_kernels(const struct xs_phase *phase)
{
	size_t count = 0;

	for (size_t i = 0; i < phase->step_count; i++)
		count += phase->steps[i].kind == XS_STEP_KERNEL;
	return count;
}

void xs_atgpu_of_phase(const struct xs_phase *phase,
		       const struct xs_machine *machine, double global_bytes,
		       struct xs_atgpu_phase *out)
{
	const struct xs_atgpu_machine at = machine_of(phase, machine);
	struct xs_atgpu_launch *launches =
	    xs_calloc(count_kernels(phase) + 1, sizeof(*launches));
	struct xs_atgpu_round round = {.launches = launches};

	*out = without_costs(phase, global_bytes);
	add_kernels(phase, machine, launches, &round.launch_count, out);
	round.in_words = out->in_words;
	round.out_words = out->out_words;
	round.in_transactions = out->in_transactions;
	round.out_transactions = out->out_transactions;
	out->in_ns = xs_atgpu_in_ns(&at, &round);
	out->out_ns = xs_atgpu_out_ns(&at, &round);
	if (!abstains(&at, round.launch_count, out)) {
		out->cost_ns = xs_atgpu_cost_ns(&at, &round, 1);
		out->gpu_cost_ns = xs_atgpu_gpu_cost_ns(&at, &round, 1);
		out->swgpu_cost_ns = xs_swgpu_cost_ns(&at, &round, 1);
		out->share = (out->in_ns + out->out_ns) / out->gpu_cost_ns;
	}
	free(launches);
}
