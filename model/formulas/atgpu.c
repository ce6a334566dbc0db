/* SPDX-License-Identifier: MIT */
#include "model/formulas/atgpu.h"

#include <math.h>

static double or_nan(double value)
{
	return value > 0 ? value : NAN;
}

struct xs_atgpu_machine xs_atgpu_machine_of(const struct xs_machine *machine)
{
	const double gamma = or_nan(machine->clock_khz) / 1e6;
	const double bytes_ns = or_nan(machine->memory_bandwidth) / 1e9;

	return (struct xs_atgpu_machine){
	    .alpha_in_ns = machine->lo_h2d_ns.value,
	    .alpha_out_ns = machine->lo_d2h_ns.value,
	    .beta_in_ns = machine->G_h2d.value * XS_ATGPU_WORD_BYTES,
	    .beta_out_ns = machine->G_d2h.value * XS_ATGPU_WORD_BYTES,
	    .gamma = gamma,
	    .lambda = XS_ATGPU_BLOCK_BYTES / bytes_ns * gamma,
	    .sigma_ns = machine->sync_ns.value,
	    .multiprocessors = or_nan(machine->sm_count),
	    .block_limit = or_nan(machine->max_blocks_per_sm),
	    .shared_words =
		or_nan(machine->shared_per_sm_bytes) / XS_ATGPU_WORD_BYTES};
}

const char *xs_atgpu_unknown(const struct xs_atgpu_machine *machine)
{
	if (isnan(machine->alpha_in_ns + machine->alpha_out_ns))
		return "alpha (L+o)";
	if (isnan(machine->beta_in_ns + machine->beta_out_ns))
		return "beta (G)";
	if (isnan(machine->sigma_ns))
		return "sigma (sync_ns)";
	if (isnan(machine->gamma))
		return "gamma (clock_khz)";
	if (isnan(machine->lambda))
		return "lambda (memory_bandwidth)";
	if (isnan(machine->multiprocessors))
		return "k' (sm_count)";
	if (isnan(machine->block_limit))
		return "H (max_blocks_per_sm)";
	return NULL;
}

double xs_atgpu_in_ns(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_round *round)
{
	return round->in_transactions * machine->alpha_in_ns +
	       round->in_words * machine->beta_in_ns;
}

double xs_atgpu_out_ns(const struct xs_atgpu_machine *machine,
		       const struct xs_atgpu_round *round)
{
	return round->out_transactions * machine->alpha_out_ns +
	       round->out_words * machine->beta_out_ns;
}

double xs_atgpu_blocks_at_once(const struct xs_atgpu_machine *machine,
			       const struct xs_atgpu_launch *launch)
{
	const double limit = launch->block_limit > 0 ? launch->block_limit
						     : machine->block_limit;

	if (launch->shared_words <= 0)
		return limit;
	return fmin(floor(machine->shared_words / launch->shared_words), limit);
}

double xs_atgpu_waves(const struct xs_atgpu_machine *machine,
		      const struct xs_atgpu_launch *launch)
{
	return ceil(launch->blocks /
		    (machine->multiprocessors *
		     xs_atgpu_blocks_at_once(machine, launch)));
}

static double transfers_ns(const struct xs_atgpu_machine *machine,
			   const struct xs_atgpu_round *round)
{
	return xs_atgpu_in_ns(machine, round) + xs_atgpu_out_ns(machine, round);
}

/* at_once: on the device of expression 1, which runs all blocks at once. */
static double kernels_ns(const struct xs_atgpu_machine *machine,
			 const struct xs_atgpu_round *round, bool at_once)
{
	double cycles = 0;

	for (size_t i = 0; i < round->launch_count; i++) {
		const struct xs_atgpu_launch *launch = &round->launches[i];
		const double waves =
		    at_once ? 1 : xs_atgpu_waves(machine, launch);

		cycles += waves * launch->operations +
			  machine->lambda * launch->accesses;
	}
	return cycles / machine->gamma;
}

double xs_atgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count)
{
	double ns = 0;

	for (size_t i = 0; i < count; i++)
		ns += transfers_ns(machine, &rounds[i]) +
		      kernels_ns(machine, &rounds[i], true) + machine->sigma_ns;
	return ns;
}

double xs_atgpu_gpu_cost_ns(const struct xs_atgpu_machine *machine,
			    const struct xs_atgpu_round *rounds, size_t count)
{
	double ns = xs_swgpu_cost_ns(machine, rounds, count);

	for (size_t i = 0; i < count; i++)
		ns += transfers_ns(machine, &rounds[i]);
	return ns;
}

double xs_swgpu_cost_ns(const struct xs_atgpu_machine *machine,
			const struct xs_atgpu_round *rounds, size_t count)
{
	double ns = 0;

	for (size_t i = 0; i < count; i++)
		ns +=
		    kernels_ns(machine, &rounds[i], false) + machine->sigma_ns;
	return ns;
}
