/* SPDX-License-Identifier: MIT */
/*
 * Infers the memory kinds of copies in traces without CUPTI, which have the
 * addresses of copies and of allocations only.
 */
#include "analyzer/timeline/infer_memory_kind.h"

#include "analyzer/timeline/live_ranges.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

/* An event after a copy completes at most this much later than the call that
 * waited for the copy. */
#define EVENT_LAG_NS 20000

struct ends {
	uint8_t src, dst; /* enum xs_memory */
};

static uint8_t memory_of_call(const struct xs_trace *trace,
			      const struct xs_call *call)
{
	const uint32_t function = trace->sites[call->site].function;

	if (call->call_class != XS_CALL_ALLOC_DEVICE)
		return XS_MEM_PINNED;
	return strcmp(trace->strings[function], "cudaMallocManaged") == 0
		   ? XS_MEM_MANAGED
		   : XS_MEM_DEVICE;
}

static uint8_t memory_at(const struct xs_live_ranges *ranges, uint64_t address)
{
	const struct xs_live_range *range =
	    xs_live_ranges_find(ranges, address);

	return range ? memory_of_call(ranges->trace,
				      &ranges->trace->calls[range->call])
		     : XS_MEM_UNKNOWN;
}

/* Host memory that no call pinned is pageable. */
static uint8_t end_of(const struct xs_live_ranges *ranges, uint64_t address,
		      bool on_device, bool on_host)
{
	const uint8_t memory = memory_at(ranges, address);

	if (on_device)
		return memory == XS_MEM_MANAGED ? memory : XS_MEM_DEVICE;
	if (memory == XS_MEM_UNKNOWN || (on_host && memory == XS_MEM_DEVICE))
		return XS_MEM_PAGEABLE;
	return memory;
}

/* direction: a cudaMemcpyKind. cudaMemcpyDefault (4) leaves it to the
 * addresses. */
static struct ends ends_of(const struct xs_live_ranges *ranges,
			   const struct xs_call *call)
{
	enum { HOST_TO_HOST, TO_DEVICE, TO_HOST, INSIDE };
	const uint8_t way = call->direction;

	return (struct ends){
	    .src = end_of(ranges, call->src, way == TO_HOST || way == INSIDE,
			  way == HOST_TO_HOST || way == TO_DEVICE),
	    .dst = end_of(ranges, call->dst, way == TO_DEVICE || way == INSIDE,
			  way == HOST_TO_HOST || way == TO_HOST),
	};
}

/* Fills, by call, the memory kinds of copies. */
static void follow(const struct xs_trace *trace, struct ends *ends)
{
	struct xs_live_ranges ranges;

	xs_live_ranges_begin(trace, &ranges);
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->error || (call->call_class != XS_CALL_COPY &&
				    call->call_class != XS_CALL_COPY_ASYNC))
			continue;
		xs_live_ranges_advance(&ranges, call->start_ns);
		ends[i] = ends_of(&ranges, call);
	}
	xs_live_ranges_free(&ranges);
}

static bool is_copy(const struct xs_op *op)
{
	return op->kind != XS_OP_SET && op->kind != XS_OP_KERNEL;
}

static uint8_t kind_between(const struct ends *ends)
{
	if (ends->src == XS_MEM_DEVICE)
		return ends->dst == XS_MEM_DEVICE ? XS_OP_D2D : XS_OP_D2H;
	return ends->dst == XS_MEM_DEVICE ? XS_OP_H2D : XS_OP_H2H;
}

/* A copy of pageable memory ends before its call returns, even if the call is
 * asynchronous. The event after it completed a little later. */
static void end_with_call(struct xs_op *op, const struct xs_call *call)
{
	if (xs_op_is_pageable(op) && op->end_ns > call->end_ns &&
	    op->end_ns - call->end_ns < EVENT_LAG_NS &&
	    op->start_ns < call->end_ns)
		op->end_ns = call->end_ns;
}

void xs_infer_memory_kinds(struct xs_trace *trace)
{
	const uint8_t by_addresses = 4; /* cudaMemcpyDefault */
	struct ends *ends;

	if (trace->op_count == 0)
		return;
	ends = xs_calloc(trace->call_count + 1, sizeof(*ends));
	follow(trace, ends);
	for (size_t i = 0; i < trace->op_count; i++) {
		struct xs_op *op = &trace->ops[i];

		if (!is_copy(op) || op->call == XS_NONE || op->src_memory ||
		    op->dst_memory)
			continue;
		op->src_memory = ends[op->call].src;
		op->dst_memory = ends[op->call].dst;
		if (trace->calls[op->call].direction == by_addresses)
			op->kind = kind_between(&ends[op->call]);
		end_with_call(op, &trace->calls[op->call]);
	}
	free(ends);
}
