/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/dataflow.h"

#include "analyzer/dataflow/arrays.h"
#include "analyzer/dataflow/host_functions.h"
#include "analyzer/dataflow/issue_order.h"
#include "analyzer/dataflow/waited_ops.h"
#include "analyzer/timeline/live_ranges.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	const struct xs_trace *trace;
	struct xs_dataflow *out;
	struct xs_live_ranges live;
	struct xs_issue_order order;
	struct xs_arrays arrays; /* in the first pass none */
	size_t access_count;
	size_t pointers; /* next entry of trace->pointers */
	struct xs_waited_ops waited;
	uint32_t *accessed; /* by number of a live range: the number of the
			     * last access by a kernel; 0: none yet */
	bool *unread;	 /* by call that allocated memory: copies brought there
			  * what a host function wrote, perhaps addresses; the
			  * last one of all memory */
	uint32_t behind; /* the last copy in that followed a host function */
};

/* range: that the access lies in; NULL: unknown. */
static int add_access(struct builder *b, struct xs_flow_op *op,
		      struct xs_flow_access access,
		      const struct xs_live_range *range)
{
	struct xs_dataflow *out = b->out;
	size_t memories = b->access_count;

	if (access.begin >= access.end)
		return 0;
	if (b->access_count >= XS_FLOW_NONE)
		return -E2BIG;
	access.allocation = xs_live_range_maker(b->trace, range);
	XS_ARRAY_ADD(out->memories, memories, range ? range->call : XS_NONE);
	XS_ARRAY_ADD(out->accesses, b->access_count, access);
	op->access_count++;
	return 0;
}

static struct xs_flow_access any_part(uint64_t begin, uint64_t end, bool reads,
				      bool writes)
{
	return (struct xs_flow_access){begin, end, reads, writes, false, 0};
}

/* All memory that no recorded call allocated is one access, at address 0. */
static struct xs_flow_access outside(bool reads, bool writes)
{
	return any_part(0, 1, reads, writes);
}

/* One end of a copy, or a set. memory: enum xs_memory. */
static int add_end(struct builder *b, struct xs_flow_op *op,
		   const struct xs_call *call, uint64_t address, uint8_t memory,
		   bool writes)
{
	const bool device = memory == XS_MEM_DEVICE || memory == XS_MEM_MANAGED;
	const struct xs_live_range *range =
	    xs_live_ranges_find(&b->live, address);
	struct xs_flow_access access = {
	    address, address + call->bytes, !writes, writes, true, 0};

	if (memory == XS_MEM_ARRAY) {
		/* its handle stands for all of its parts */
		access = any_part(address, address + 1, !writes, writes);
	} else if (device && !range) {
		access = outside(!writes, writes);
		b->out->outside = true;
	} else if (call->rows > 1) {
		/* the pitch is unknown */
		op->unknown |= !range;
		if (range)
			access =
			    any_part(range->begin, range->end, !writes, writes);
	}
	return add_access(b, op, access, range);
}

/* range may be NULL: of memory that is not known. */
static bool *unread_of(const struct builder *b,
		       const struct xs_live_range *range)
{
	return &b->unread[range ? range->call : b->trace->call_count];
}

static bool is_unread(const struct builder *b,
		      const struct xs_live_range *range)
{
	return *unread_of(b, range) || b->unread[b->trace->call_count];
}

/* Returns whether a copy or set to the range fills all of it. */
static bool is_whole(const struct xs_live_range *range,
		     const struct xs_call *call)
{
	return range && range->begin == call->dst && call->rows <= 1 &&
	       call->bytes >= range->end - range->begin;
}

/* Returns whether a copy in may bring what a host function wrote: further ones
 * do so, too, until the host has waited for that one. */
static bool brings_unread(struct builder *b, struct xs_flow_op *op,
			  const struct xs_op *copy)
{
	if (xs_follows_host_function(b->trace, XS_NONE, copy->call)) {
		op->unknown = true;
		b->behind = (uint32_t)(op - b->out->flow_ops) + 1;
	}
	/* of nothing that the host waited for, this is 0 */
	return op->waited + 1 < b->behind && copy->bytes >= sizeof(uint64_t);
}

static int add_copy(struct builder *b, struct xs_flow_op *op,
		    const struct xs_op *copy, const struct xs_call *call)
{
	const bool set = copy->kind == XS_OP_SET, shares = op->unknown;
	const struct xs_live_range *dst =
	    xs_live_ranges_find(&b->live, call->dst);
	const bool brings =
	    copy->kind == XS_OP_H2D
		? brings_unread(b, op, copy)
		: !set && copy->kind != XS_OP_D2H &&
		      is_unread(b, xs_live_ranges_find(&b->live, call->src));
	int rc = 0;

	if (brings && copy->dst_memory != XS_MEM_ARRAY)
		*unread_of(b, dst) = true;
	if (!call->dst || (!set && !call->src) || copy->bytes != call->bytes ||
	    shares) {
		op->unknown = true;
		return 0;
	}
	if (!brings && is_whole(dst, call))
		*unread_of(b, dst) = false;
	if (!set)
		rc = add_end(b, op, call, call->src, copy->src_memory, false);
	if (!rc)
		rc = add_end(b, op, call, call->dst,
			     set ? XS_MEM_DEVICE : copy->dst_memory, true);
	return rc;
}

/* Several pointers often lead into one allocation: the part from the lowest one
 * on has the others'. */
static int add_kernel_access(struct builder *b, struct xs_flow_op *op,
			     const struct xs_live_range *range,
			     uint64_t address)
{
	struct xs_flow_access access =
	    any_part(range->begin, range->end, true, true);
	struct xs_flow_access *before;
	uint32_t *number = &b->accessed[range->number];

	xs_arrays_cut(&b->arrays, range->call, address, &access);
	if (*number <= op->first_access) {
		*number = (uint32_t)b->access_count + 1;
		return add_access(b, op, access, range);
	}
	before = &b->out->accesses[*number - 1];
	if (access.begin < before->begin)
		before->begin = access.begin;
	return 0;
}

/* Sorts what a kernel accesses by address, so that it can be searched. */
static void sort_accesses(struct builder *b, const struct xs_flow_op *op)
{
	const uint32_t count = op->access_count;
	struct xs_flow_access *accesses = b->out->accesses + op->first_access;
	struct xs_key *keys = xs_malloc(2 * (size_t)count * sizeof(*keys));

	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){accesses[i].begin, i};
	xs_keys_sort(keys, count);
	memcpy(keys + count, keys, count * sizeof(*keys));
	xs_keys_apply(keys, count, accesses, sizeof(*accesses));
	xs_keys_apply(keys + count, count, b->out->memories + op->first_access,
		      sizeof(uint32_t));
	free(keys);
}

/* Entries are sorted by call, and so are the ops. */
static int add_kernel(struct builder *b, struct xs_flow_op *op, uint32_t call)
{
	const struct xs_trace *trace = b->trace;
	const struct xs_pointers *all = trace->pointers;
	size_t seen = 0, count = 0;
	bool known = false;
	int rc = 0;

	while (b->pointers < trace->pointers_count &&
	       all[b->pointers].call < call)
		b->pointers++;
	for (size_t i = b->pointers;
	     !rc && i < trace->pointers_count && all[i].call == call; i++) {
		known = all[i].known == XS_POINTERS_ALL;
		count = all[i].count;
		for (size_t k = 0; !rc && k < 4 && all[i].addresses[k]; k++) {
			const struct xs_live_range *range =
			    xs_live_ranges_find(&b->live, all[i].addresses[k]);

			seen++;
			op->unknown |=
			    !range || is_unread(b, range) ||
			    xs_follows_host_function(trace, range->call, call);
			if (range)
				rc = add_kernel_access(b, op, range,
						       all[i].addresses[k]);
		}
	}
	op->unknown |= !known || seen != count;
	if (!rc && b->out->outside)
		rc = add_access(b, op, outside(true, true), NULL);
	if (!rc && op->access_count > 1)
		sort_accesses(b, op);
	return rc;
}

/* Returns whether another op of the program has the same call. */
static bool shares_call(const struct builder *b, uint32_t at)
{
	const struct xs_op *ops = b->trace->ops;
	const uint32_t *of = b->out->ops, call = ops[of[at]].call;

	return (at > 0 && ops[of[at - 1]].call == call) ||
	       (at + 1 < b->out->op_count && ops[of[at + 1]].call == call);
}

static int add_op(struct builder *b, uint32_t at)
{
	const struct xs_op *op = &b->trace->ops[b->out->ops[at]];
	const struct xs_call *call = &b->trace->calls[op->call];
	struct xs_flow_op *to = &b->out->flow_ops[at];

	xs_live_ranges_advance(&b->live, call->start_ns);
	*to = (struct xs_flow_op){
	    .queue = b->order.queues[at],
	    .waited = xs_waited_ops_advance(&b->waited, at, op->call),
	    .first_access = (uint32_t)b->access_count};
	to->unknown = (op->flags & XS_OP_GRAPH) || shares_call(b, at);
	if (op->flags & XS_OP_GRAPH)
		return 0;
	return op->kind == XS_OP_KERNEL ? add_kernel(b, to, op->call)
					: add_copy(b, to, op, call);
}

/* Adds all ops, from the start of the trace on. */
static int add_ops(struct builder *b)
{
	const size_t room = b->trace->call_count + 1;
	int rc = 0;

	xs_live_ranges_free(&b->live);
	xs_live_ranges_begin(b->trace, &b->live);
	memset(b->accessed, 0, room * sizeof(*b->accessed));
	memset(b->unread, 0, room * sizeof(*b->unread));
	b->access_count = b->pointers = b->behind = 0;
	xs_waited_ops_restart(&b->waited);
	for (uint32_t i = 0; !rc && i < b->out->op_count; i++)
		rc = add_op(b, i);
	b->out->access_count = (uint32_t)b->access_count;
	return rc;
}

static void put_ops(struct xs_dataflow *out, struct xs_key *keys,
		    uint32_t count)
{
	out->ops = xs_malloc(((size_t)count + 1) * sizeof(*out->ops));
	out->flow_ops = xs_malloc(((size_t)count + 1) * sizeof(*out->flow_ops));
	xs_keys_sort(keys, count);
	for (uint32_t i = 0; i < count; i++)
		out->ops[i] = keys[i].index;
	out->op_count = count;
}

/* Ops without a call are not in the order of issue: they are left out, and make
 * all kernels unknown. */
static int find_ops(struct builder *b, uint64_t from_ns, uint64_t to_ns)
{
	const struct xs_trace *trace = b->trace;
	struct xs_key *keys = xs_malloc((trace->op_count + 1) * sizeof(*keys));
	uint32_t count = 0;

	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];

		if (op->start_ns < from_ns || op->start_ns >= to_ns)
			continue;
		if (op->call == XS_NONE)
			b->out->unfollowed = XS_UNFOLLOWED_OP;
		else if (trace->calls[op->call].start_ns < to_ns)
			keys[count++] = (struct xs_key){op->call, (uint32_t)i};
	}
	if (count <= XS_DATAFLOW_MOST_OPS)
		put_ops(b->out, keys, count);
	free(keys);
	return count > XS_DATAFLOW_MOST_OPS ? -E2BIG : 0;
}

static void mark_unknown(struct builder *b)
{
	struct xs_dataflow *out = b->out;

	if (b->trace->lost_calls > 0)
		out->unfollowed = XS_UNFOLLOWED_LOSS;
	for (uint32_t i = 0; i < out->op_count; i++) {
		b->out->flow_ops[i].unknown |=
		    out->unfollowed != XS_UNFOLLOWED_NOTHING &&
		    b->trace->ops[out->ops[i]].kind == XS_OP_KERNEL;
		out->unknown_count += b->out->flow_ops[i].unknown;
	}
}

static int build_flow(struct builder *b, uint64_t *steps)
{
	const struct xs_flow_program program = {
	    .ops = b->out->flow_ops,
	    .op_count = b->out->op_count,
	    .accesses = b->out->accesses,
	    .access_count = (uint32_t)b->access_count,
	    .queue_count = b->order.queue_count,
	    .before = b->order.before,
	    .steps = steps};

	mark_unknown(b);
	return xs_flow_build(&program, &b->out->flow);
}

int xs_dataflow_build(const struct xs_trace *trace, uint64_t from_ns,
		      uint64_t to_ns, uint64_t *steps,
		      struct xs_dataflow *dataflow)
{
	struct builder b = {
	    .trace = trace,
	    .out = dataflow,
	    .accessed = xs_calloc(trace->call_count + 1, sizeof(*b.accessed)),
	    .unread = xs_calloc(trace->call_count + 1, sizeof(*b.unread))};
	int rc;

	*dataflow =
	    (struct xs_dataflow){.outside = xs_trace_reads_symbols(trace)};
	rc = find_ops(&b, from_ns, to_ns);
	if (!rc)
		xs_waited_ops_begin(trace, dataflow->ops, &b.waited);
	if (!rc)
		xs_issue_order_build(
		    &(struct xs_issue_order_input){trace, dataflow->ops,
						   dataflow->op_count},
		    &b.order);
	if (!rc)
		rc = add_ops(&b);
	if (!rc)
		xs_arrays_find_all(trace, dataflow, &b.arrays);
	if (!rc && (b.arrays.count || dataflow->outside))
		rc = add_ops(&b);
	if (!rc)
		rc = build_flow(&b, steps);
	xs_live_ranges_free(&b.live);
	xs_arrays_free(&b.arrays);
	xs_issue_order_free(&b.order);
	xs_waited_ops_free(&b.waited);
	free(b.accessed);
	free(b.unread);
	if (rc)
		xs_dataflow_free(dataflow);
	return rc;
}

void xs_dataflow_free(struct xs_dataflow *dataflow)
{
	free(dataflow->ops);
	free(dataflow->flow_ops);
	free(dataflow->accesses);
	free(dataflow->memories);
	xs_flow_free(&dataflow->flow);
	*dataflow = (struct xs_dataflow){0};
}
