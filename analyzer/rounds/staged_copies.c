/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/staged_copies.h"

#include "analyzer/rounds/phase.h"

#include <string.h>

/* Frames between the call and cupy.asarray() or cupy.array(). */
#define NEAR_FRAMES 4

/* Returns whether the call was made for cupy.asarray() or the like. */
static bool is_of_cupy(const struct xs_trace *trace, uint32_t site)
{
	for (int i = 0; i < NEAR_FRAMES && site < trace->site_count; i++) {
		const struct xs_site *frame = &trace->sites[site];

		if (frame->file && strstr(frame->file, "/cupy/_creation/"))
			return true;
		site = frame->caller;
	}
	return false;
}

bool xs_copy_is_staged(const struct xs_trace *trace, const struct xs_op *op)
{
	return op->kind == XS_OP_H2D && op->src_memory == XS_MEM_PINNED &&
	       op->bytes >= XS_LEAST_HOST_COPY_BYTES && op->call != XS_NONE &&
	       is_of_cupy(trace, trace->calls[op->call].site);
}

/* Returns the round's first op if its call begins the round; NULL: none. */
static const struct xs_op *first_op(const struct xs_trace *trace,
				    const struct xs_rounds *rounds,
				    const struct xs_round *round)
{
	const uint32_t call = rounds->calls[round->first_call];
	const struct xs_op *op;

	if (!round->op_count)
		return NULL;
	op = &trace->ops[rounds->ops[round->first_op]];
	return op->call == call &&
		       trace->calls[call].start_ns == round->begin_ns
		   ? op
		   : NULL;
}

void xs_rounds_begin_with_staging(const struct xs_trace *trace,
				  struct xs_rounds *rounds)
{
	for (size_t i = 1; i < rounds->count; i++) {
		struct xs_round *round = &rounds->items[i];
		const struct xs_op *op;
		const struct xs_call *before;
		uint64_t since_ns = round[-1].end_ns;

		if (!round->call_count || !round->first_call)
			continue;
		op = first_op(trace, rounds, round);
		before = &trace->calls[rounds->calls[round->first_call - 1]];
		if (!op || !xs_copy_is_staged(trace, op) ||
		    before->thread != trace->calls[op->call].thread)
			continue;
		if (since_ns < before->end_ns)
			since_ns = before->end_ns;
		if (since_ns < round->begin_ns &&
		    xs_is_host_copy((double)op->bytes,
				    (double)(round->begin_ns - since_ns)))
			round->begin_ns = since_ns;
	}
}
