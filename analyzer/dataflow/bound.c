/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/dataflow.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Returns the part of the SMs that the kernel's threads fill, at most 1. Its
 * registers and shared memory may fill more. */
static double share_of(const struct xs_shape *shape,
		       const struct xs_rec_device *device)
{
	double blocks = 1, threads = 1, resident;

	for (int i = 0; i < 3; i++) {
		blocks *= shape->grid[i];
		threads *= shape->block[i];
	}
	if (!device || !device->sm_count || threads < 1)
		return 1;
	resident = device->max_blocks_per_sm ? device->max_blocks_per_sm : 32;
	if (device->max_threads_per_sm &&
	    device->max_threads_per_sm / threads < resident)
		resident = device->max_threads_per_sm / threads;
	resident *= device->sm_count;
	return blocks < resident ? blocks / resident : 1;
}

static uint64_t length_of(const struct xs_op *op)
{
	return op->end_ns > op->start_ns ? op->end_ns - op->start_ns : 0;
}

static void add_work(const struct xs_trace *trace, const struct xs_op *op,
		     const struct xs_rec_device *device,
		     struct xs_dataflow_bound *bound)
{
	const uint64_t ns = length_of(op);
	const bool one_engine = device && device->copy_engines == 1;
	double share = 1;

	switch (op->kind) {
	case XS_OP_H2D:
	case XS_OP_D2H:
		if (op->kind == XS_OP_H2D || one_engine)
			bound->in_ns += ns;
		if (op->kind == XS_OP_D2H || one_engine)
			bound->out_ns += ns;
		break;
	case XS_OP_KERNEL:
		if (op->shape < trace->shape_count)
			share = share_of(&trace->shapes[op->shape], device);
		bound->kernel_ns += (uint64_t)((double)ns * share);
		break;
	}
}

/* Edges are sorted by their later op. */
void xs_dataflow_bound(const struct xs_trace *trace, uint16_t device,
		       const struct xs_dataflow *dataflow,
		       struct xs_dataflow_bound *bound)
{
	const struct xs_device *found = xs_trace_device(trace, device);
	const struct xs_rec_device *rec = found ? &found->rec : NULL;
	const struct xs_flow *flow = &dataflow->flow;
	uint64_t *end_ns =
	    xs_calloc((size_t)dataflow->op_count + 1, sizeof(*end_ns));
	size_t edge = 0;

	*bound = (struct xs_dataflow_bound){0};
	for (uint32_t i = 0; i < dataflow->op_count; i++) {
		const struct xs_op *op = &trace->ops[dataflow->ops[i]];

		for (; edge < flow->count && flow->edges[edge].to == i;
		     edge++) {
			const struct xs_flow_edge *e = &flow->edges[edge];

			if ((e->kind == XS_FLOW_TRUE ||
			     e->kind == XS_FLOW_UNKNOWN) &&
			    end_ns[e->from] > end_ns[i])
				end_ns[i] = end_ns[e->from];
		}
		end_ns[i] += length_of(op);
		if (end_ns[i] > bound->path_ns)
			bound->path_ns = end_ns[i];
		if (trace->queues[op->queue].device == device)
			add_work(trace, op, rec, bound);
	}
	free(end_ns);
}

uint64_t xs_dataflow_least_ns(const struct xs_dataflow_bound *bound)
{
	const uint64_t parts[] = {bound->in_ns, bound->kernel_ns,
				  bound->out_ns};
	uint64_t least_ns = bound->path_ns;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i] > least_ns)
			least_ns = parts[i];
	return least_ns;
}
