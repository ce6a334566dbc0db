/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/arrays.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

uint32_t xs_flow_memory_at(const struct xs_dataflow *dataflow,
			   const struct xs_flow_op *op, uint64_t address)
{
	uint32_t low = op->first_access, high = low + op->access_count;

	XS_BISECT(low, high, i, dataflow->accesses[i].begin <= address);
	return low > op->first_access &&
		       address < dataflow->accesses[low - 1].end
		   ? dataflow->memories[low - 1]
		   : XS_NONE;
}

static int by_place(const void *a, const void *b)
{
	const struct xs_array *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Lists what is copied of each allocation, each range once. */
static void list_copies(const struct xs_trace *trace,
			const struct xs_dataflow *flow,
			struct xs_arrays *arrays)
{
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < flow->op_count; i++) {
		const struct xs_flow_op *op = &flow->flow_ops[i];

		for (uint32_t k = 0; k < op->access_count; k++) {
			const uint32_t at = op->first_access + k;
			const uint8_t kind = trace->ops[flow->ops[i]].kind;

			if (kind != XS_OP_KERNEL && kind != XS_OP_SET &&
			    flow->memories[at] != XS_NONE)
				arrays->items[count++] = (struct xs_array){
				    flow->memories[at],
				    flow->accesses[at].begin,
				    flow->accesses[at].end, 0};
		}
	}
	if (count)
		qsort(arrays->items, count, sizeof(*arrays->items), by_place);
	for (uint32_t i = 0; i < count; i++)
		if (!kept ||
		    by_place(&arrays->items[kept - 1], &arrays->items[i]) != 0)
			arrays->items[kept++] = arrays->items[i];
	arrays->count = kept;
}

uint32_t xs_arrays_find(const struct xs_arrays *arrays, uint32_t call,
			uint64_t address)
{
	const struct xs_array *items = arrays->items;
	uint32_t low = 0, high = arrays->count;

	XS_BISECT(low, high, i,
		  items[i].call < call ||
		      (items[i].call == call && items[i].begin <= address));
	return low && items[low - 1].call == call &&
		       address < items[low - 1].end
		   ? low - 1
		   : XS_NONE;
}

void xs_arrays_cut(const struct xs_arrays *arrays, uint32_t call,
		   uint64_t address, struct xs_flow_access *access)
{
	const uint32_t at = xs_arrays_find(arrays, call, address);

	if (at != XS_NONE && arrays->items[at].begin == address)
		access->begin = arrays->items[at].first;
}

/* Marks the arrays whose addresses kernels are given. */
static void mark_given(const struct xs_trace *trace,
		       const struct xs_dataflow *flow,
		       const struct xs_arrays *arrays, bool *given)
{
	const struct xs_pointers *all = trace->pointers;

	for (uint32_t i = 0; i < flow->op_count; i++) {
		const uint32_t call = trace->ops[flow->ops[i]].call;
		size_t n = xs_trace_first_pointers(trace, call);

		if (trace->ops[flow->ops[i]].kind != XS_OP_KERNEL)
			continue;
		for (; n < trace->pointers_count && all[n].call == call; n++)
			for (size_t k = 0; k < 4 && all[n].addresses[k]; k++) {
				const uint64_t address = all[n].addresses[k];
				const uint32_t at = xs_arrays_find(
				    arrays,
				    xs_flow_memory_at(flow, &flow->flow_ops[i],
						      address),
				    address);

				if (at != XS_NONE &&
				    arrays->items[at].begin == address)
					given[at] = true;
			}
	}
}

/* Joins the ranges of one allocation, from *at on, to arrays behind `kept`: a
 * range that no kernel is given belongs to the one right before it. Returns the
 * number of arrays; 0 if the allocation is not divided. */
static uint32_t join_ranges(struct xs_arrays *arrays, const bool *given,
			    uint32_t kept, uint32_t *at)
{
	struct xs_array *items = arrays->items;
	const uint32_t call = items[*at].call;
	uint64_t end = 0;
	uint32_t count = 0;
	bool divided = true;

	for (; *at < arrays->count && items[*at].call == call; ++*at) {
		const struct xs_array range = items[*at];

		divided &= range.begin >= end &&
			   (given[*at] || (count && range.begin == end));
		end = range.end;
		if (given[*at])
			items[kept + count++] = range;
		else if (count)
			items[kept + count - 1].end = end;
	}
	return divided ? count : 0;
}

static void keep_divided(struct xs_arrays *arrays, const bool *given)
{
	uint32_t kept = 0;

	for (uint32_t at = 0; at < arrays->count;)
		kept += join_ranges(arrays, given, kept, &at);
	arrays->count = kept;
	for (uint32_t i = 0; i < kept; i++) {
		const struct xs_array *before = &arrays->items[i ? i - 1 : 0];
		struct xs_array *array = &arrays->items[i];

		array->first = i && before->call == array->call &&
				       before->end == array->begin
				   ? before->first
				   : array->begin;
	}
}

void xs_arrays_find_all(const struct xs_trace *trace,
			const struct xs_dataflow *dataflow,
			struct xs_arrays *arrays)
{
	const size_t room = (size_t)dataflow->access_count + 1;
	bool *given = xs_calloc(room, sizeof(*given));

	*arrays = (struct xs_arrays){
	    .items = xs_malloc(room * sizeof(*arrays->items))};
	list_copies(trace, dataflow, arrays);
	mark_given(trace, dataflow, arrays, given);
	keep_divided(arrays, given);
	free(given);
}

void xs_arrays_free(struct xs_arrays *arrays)
{
	free(arrays->items);
	*arrays = (struct xs_arrays){0};
}
