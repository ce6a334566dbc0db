/* SPDX-License-Identifier: MIT */
/* Metrics and costs of a phase in the ATGPU model. */
#include "report/build/build.h"

#include "model/formulas/atgpu_phase.h"

#include <math.h>

static void copy(const struct xs_atgpu_phase *in, struct xs_result_atgpu *out)
{
	*out = (struct xs_result_atgpu){
	    .rounds = xs_number_round(in->rounds),
	    .in_words = xs_number_round(in->in_words),
	    .out_words = xs_number_round(in->out_words),
	    .in_transactions = xs_number_round(in->in_transactions),
	    .out_transactions = xs_number_round(in->out_transactions),
	    .global_words = xs_number_round(in->global_words),
	    .shared_words = xs_number_round(in->shared_words),
	    .thread_blocks = xs_number_round(in->thread_blocks),
	    .blocks_per_sm = xs_number_round(in->blocks_at_once),
	    .operations = xs_number_round(in->operations),
	    .memory_blocks = xs_number_round(in->accesses),
	    .in_ns = xs_number_round(in->in_ns),
	    .out_ns = xs_number_round(in->out_ns),
	    .cost_ns = xs_number_round(in->cost_ns),
	    .gpu_cost_ns = xs_number_round(in->gpu_cost_ns),
	    .swgpu_cost_ns = xs_number_round(in->swgpu_cost_ns),
	    .transfer_share = in->share,
	    .transfer_share_observed = in->share_observed,
	};
}

void xs_build_atgpu(struct xs_result *result,
		    const struct xs_allocations *allocations,
		    const struct xs_phase *phase, struct xs_result_atgpu *out)
{
	struct xs_atgpu_phase atgpu;
	uint64_t bytes;
	bool known = xs_allocations_peak(allocations, phase->first_start_ns,
					 phase->last_end_ns, &bytes);

	xs_atgpu_of_phase(phase, &result->machine, known ? (double)bytes : NAN,
			  &atgpu);
	copy(&atgpu, out);
	if (atgpu.why[0])
		out->why = xs_arena_copy(&result->arena, atgpu.why);
}
