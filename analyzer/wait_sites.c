/* SPDX-License-Identifier: MIT */
#include "analyzer/wait_sites.h"

#include "analyzer/idents.h"
#include "analyzer/sampling.h"
#include "analyzer/waits.h"

#include <errno.h>
#include <stdlib.h>

/* Streams and events seen lately; of two in one place the later one stays. */
#define KNOWN 1024

struct known {
	uint64_t handle;
	uint32_t queue;
};

/* What is known of a call from its first op. */
struct asked {
	uint32_t op;	 /* index; XS_NONE: none */
	uint32_t device; /* its own, or where its thread worked last */
	bool pageable;
};

struct builder {
	const struct xs_trace *trace;
	const struct xs_init *init;
	struct xs_wait_sites *out;
	struct xs_wait_finder finder;
	struct asked *asked;   /* by call */
	uint32_t *row_of_site; /* into out, + 1 */
	size_t next_fault;     /* of the trace's, which are by call, too */
	struct known streams[KNOWN], events[KNOWN];
};

static struct known *place(struct known *table, uint64_t handle)
{
	return &table[xs_hash_mix(handle, 0) % KNOWN];
}

static void learn(struct known *table, uint64_t handle, uint32_t queue)
{
	*place(table, handle) = (struct known){handle, queue};
}

/* XS_NONE for what is not known. The default stream's handle means another
 * queue in each thread, and what is done in it waits for others' too. */
static uint32_t look_up(struct known *table, uint64_t handle)
{
	const struct known *known = place(table, handle);

	return handle && known->handle == handle ? known->queue : XS_NONE;
}

static bool is_pageable(const struct xs_op *op)
{
	return (op->kind == XS_OP_H2D || op->kind == XS_OP_D2H) &&
	       (op->src_memory == XS_MEM_PAGEABLE ||
		op->dst_memory == XS_MEM_PAGEABLE);
}

static void ask_ops(struct builder *b)
{
	const struct xs_trace *trace = b->trace;

	for (size_t i = 0; i < trace->call_count; i++)
		b->asked[i] = (struct asked){XS_NONE, XS_WAIT_ANY_DEVICE, 0};
	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];
		struct asked *asked;

		if (op->call == XS_NONE)
			continue;
		asked = &b->asked[op->call];
		if (asked->op == XS_NONE)
			asked->op = (uint32_t)i;
		asked->device = trace->queues[op->queue].device;
		asked->pageable |= is_pageable(op);
	}
}

/* A call without an op is of the device that its thread used last. */
static int find_devices(struct builder *b)
{
	const struct xs_trace *trace = b->trace;
	size_t count = trace->call_count;
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	uint32_t device = XS_WAIT_ANY_DEVICE;
	int rc = -ENOMEM;

	if (!keys)
		return rc;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){trace->calls[i].thread, (uint32_t)i};
	rc = xs_keys_sort(keys, count);
	for (size_t i = 0; !rc && i < count; i++) {
		struct asked *asked = &b->asked[keys[i].index];

		if (i > 0 && keys[i].key != keys[i - 1].key)
			device = XS_WAIT_ANY_DEVICE;
		if (asked->op == XS_NONE)
			asked->device = device;
		device = asked->device;
	}
	free(keys);
	return rc;
}

/* Launches are recorded without their stream. */
static void learn_from(struct builder *b, const struct xs_call *call,
		       const struct asked *asked)
{
	if (call->call_class == XS_CALL_EVENT_RECORD)
		learn(b->events, call->event,
		      look_up(b->streams, call->stream));
	else if (call->stream && asked->op != XS_NONE)
		learn(b->streams, call->stream, b->trace->ops[asked->op].queue);
}

/* Which queue the call waits for before all others. */
static uint32_t queue_of(struct builder *b, const struct xs_call *call,
			 const struct asked *asked)
{
	if (asked->op != XS_NONE)
		return b->trace->ops[asked->op].queue;
	if (call->call_class == XS_CALL_SYNC_EVENT ||
	    (call->call_class == XS_CALL_POLL && call->event))
		return look_up(b->events, call->event);
	if (call->call_class == XS_CALL_SYNC_STREAM ||
	    call->call_class == XS_CALL_POLL)
		return look_up(b->streams, call->stream);
	return XS_NONE;
}

/* Does the call wait, or may it? *hidden: nobody asked it to. */
static bool may_wait(const struct xs_call *call, const struct asked *asked,
		     bool *hidden)
{
	*hidden = false;
	switch (call->call_class) {
	case XS_CALL_COPY:
		return true;
	case XS_CALL_COPY_ASYNC:
		return asked->pageable;
	case XS_CALL_SET:
	case XS_CALL_ALLOC_DEVICE:
	case XS_CALL_ALLOC_PINNED:
	case XS_CALL_REGISTER:
	case XS_CALL_FREE_DEVICE:
	case XS_CALL_FREE_PINNED:
	case XS_CALL_UNREGISTER:
		*hidden = true;
		return true;
	}
	return xs_call_is_sync(call);
}

/* The row of the call's site, new where there is none. NULL: no memory. */
static struct xs_wait_site *row_of(struct builder *b,
				   const struct xs_call *call)
{
	struct xs_wait_sites *out = b->out;
	struct xs_wait_site *items = out->items;

	if (b->row_of_site[call->site] == 0) {
		items = xs_array_grow(items, out->count, sizeof(*items));
		if (!items)
			return NULL;
		out->items = items;
		items[out->count++] =
		    (struct xs_wait_site){.site = call->site,
					  .call_class = call->call_class,
					  .op_kind = XS_OP_KINDS};
		b->row_of_site[call->site] = (uint32_t)out->count;
	}
	return &items[b->row_of_site[call->site] - 1];
}

static void add_faults(struct builder *b, uint32_t index,
		       struct xs_wait_site *row)
{
	const struct xs_trace *trace = b->trace;
	uint64_t most_bytes = trace->calls[index].bytes;

	while (b->next_fault < trace->fault_count &&
	       trace->faults[b->next_fault].call < index)
		b->next_fault++;
	for (; b->next_fault < trace->fault_count &&
	       trace->faults[b->next_fault].call == index;
	     b->next_fault++) {
		const struct xs_faults *faults = &trace->faults[b->next_fault];
		uint64_t bytes = (uint64_t)faults->minor * faults->page_bytes;

		row->minor_faults += faults->minor;
		row->major_faults += faults->major;
		row->touched_bytes += bytes < most_bytes ? bytes : most_bytes;
	}
}

static int add_wait(struct builder *b, uint32_t index, bool hidden)
{
	const struct xs_call *call = &b->trace->calls[index];
	const struct asked *asked = &b->asked[index];
	const struct xs_wait_call wait = {
	    .index = index,
	    .queue = queue_of(b, call, asked),
	    .device = asked->device,
	    .from_ns = xs_init_call_start_ns(b->init, b->trace, index),
	    .hidden = hidden,
	};
	struct xs_wait_site *row = row_of(b, call);
	uint64_t part_ns[XS_WAIT_PARTS];

	if (!row || xs_wait_split(&b->finder, &wait, part_ns))
		return -ENOMEM;
	if (asked->op != XS_NONE)
		row->op_kind = b->trace->ops[asked->op].kind;
	row->pageable |= asked->pageable;
	row->calls++;
	row->gpu_calls += part_ns[XS_WAIT_H2D] || part_ns[XS_WAIT_KERNEL] ||
			  part_ns[XS_WAIT_D2H] || part_ns[XS_WAIT_OTHER];
	row->bytes += call->bytes;
	add_faults(b, index, row);
	for (size_t i = 0; i < XS_WAIT_PARTS; i++) {
		row->part_ns[i] += part_ns[i];
		row->waited_ns += part_ns[i];
	}
	return 0;
}

/* Where only windows of the run were recorded, each site for all its calls. */
static int stand_for_all(const struct xs_trace *trace,
			 struct xs_wait_sites *out)
{
	struct xs_weights weights;

	if (!xs_trace_is_sampled(trace))
		return 0;
	if (xs_weights_build(trace, NULL, &weights))
		return -ENOMEM;
	for (size_t i = 0; i < out->count; i++) {
		struct xs_wait_site *row = &out->items[i];
		double calls = xs_weight(weights.calls, row->site);
		double bytes = xs_weight(weights.bytes, row->site);

		row->calls = xs_weighted(row->calls, calls);
		row->gpu_calls = xs_weighted(row->gpu_calls, calls);
		row->bytes = xs_weighted(row->bytes, bytes);
		row->minor_faults = xs_weighted(row->minor_faults, calls);
		row->major_faults = xs_weighted(row->major_faults, calls);
		row->touched_bytes = xs_weighted(row->touched_bytes, bytes);
		row->waited_ns = 0;
		for (size_t k = 0; k < XS_WAIT_PARTS; k++) {
			row->part_ns[k] = xs_weighted(row->part_ns[k], calls);
			row->waited_ns += row->part_ns[k];
		}
	}
	xs_weights_free(&weights);
	return 0;
}

static int by_wait(const void *a, const void *b)
{
	const struct xs_wait_site *x = a, *y = b;

	if (x->waited_ns != y->waited_ns)
		return x->waited_ns > y->waited_ns ? -1 : 1;
	return x->site < y->site ? -1 : 1;
}

static int add_calls(struct builder *b)
{
	const struct xs_trace *trace = b->trace;
	struct xs_wait_sites *out = b->out;
	bool hidden;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->error != 0)
			continue;
		learn_from(b, call, &b->asked[i]);
		if (may_wait(call, &b->asked[i], &hidden) &&
		    add_wait(b, (uint32_t)i, hidden))
			return -ENOMEM;
	}
	if (stand_for_all(trace, out))
		return -ENOMEM;
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_wait);
	return 0;
}

int xs_wait_sites_build(const struct xs_trace *trace,
			const struct xs_init *init, struct xs_wait_sites *out)
{
	struct builder *b = calloc(1, sizeof(*b));
	int rc = -ENOMEM;

	*out = (struct xs_wait_sites){0};
	if (!b)
		return rc;
	b->trace = trace;
	b->init = init;
	b->out = out;
	b->asked = malloc((trace->call_count + 1) * sizeof(*b->asked));
	b->row_of_site = calloc(trace->site_count + 1, sizeof(uint32_t));
	if (b->asked && b->row_of_site)
		rc = xs_wait_finder_init(&b->finder, trace);
	if (!rc) {
		ask_ops(b);
		rc = find_devices(b);
	}
	if (!rc)
		rc = add_calls(b);
	xs_wait_finder_release(&b->finder);
	free(b->asked);
	free(b->row_of_site);
	free(b);
	if (rc)
		xs_wait_sites_free(out);
	return rc;
}

void xs_wait_sites_free(struct xs_wait_sites *sites)
{
	free(sites->items);
	*sites = (struct xs_wait_sites){0};
}
