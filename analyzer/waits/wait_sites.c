/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/wait_sites.h"

#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/skipped_calls.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Cache of stream and event handles. Direct-mapped: on a collision the later
 * one stays. */
#define CACHE_SIZE 1024

struct handle_queue {
	uint64_t handle;
	uint32_t queue;
};

/* What is known of a call from its first op. */
struct issued {
	uint32_t op;	 /* index; XS_NONE: none */
	uint32_t device; /* its own, or the last one that its thread used */
	bool pageable;
};

/* Sums of a site, weighted in sampled runs. */
struct sums {
	double calls, gpu_calls, bytes;
	double minor_faults, major_faults, touched_bytes;
	double touching_bytes, touching_ns;
	double own_out_ns;
	double part_ns[XS_WAIT_PARTS];
};

struct builder {
	const struct xs_trace *trace;
	const struct xs_run_span *span;
	struct xs_weights weights;
	double *by_site; /* of a long trace, xs_skipped_call_time(); or NULL */
	struct xs_wait_sites *out;
	struct sums *sums; /* by row of out */
	struct xs_wait_breakdown finder;
	struct issued *issued; /* by call */
	uint32_t *row_of_site; /* into out: index + 1; two for each site: in the
				* span, apart from it */
	size_t next_fault;     /* into the trace's faults, which are sorted by
				* call */
	struct handle_queue streams[CACHE_SIZE], events[CACHE_SIZE];
};

static struct handle_queue *cache_slot(struct handle_queue *table,
				       uint64_t handle)
{
	return &table[xs_hash_mix(handle, 0) % CACHE_SIZE];
}

static void remember(struct handle_queue *table, uint64_t handle,
		     uint32_t queue)
{
	*cache_slot(table, handle) = (struct handle_queue){handle, queue};
}

/* Returns XS_NONE for an unknown handle. The default stream's handle means
 * another queue in each thread, and it also waits for other streams. */
static uint32_t find_queue(struct handle_queue *table, uint64_t handle)
{
	const struct handle_queue *handle_queue = cache_slot(table, handle);

	return handle && handle_queue->handle == handle ? handle_queue->queue
							: XS_NONE;
}

static void find_issued(struct builder *b)
{
	const struct xs_trace *trace = b->trace;

	for (size_t i = 0; i < trace->call_count; i++)
		b->issued[i] = (struct issued){XS_NONE, XS_WAIT_ANY_DEVICE, 0};
	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];
		struct issued *issued;

		if (op->call == XS_NONE)
			continue;
		issued = &b->issued[op->call];
		if (issued->op == XS_NONE)
			issued->op = (uint32_t)i;
		issued->device = trace->queues[op->queue].device;
		issued->pageable |=
		    (op->kind == XS_OP_H2D || op->kind == XS_OP_D2H) &&
		    xs_op_is_pageable(op);
	}
}

/* A call without an op belongs to the device that its thread used last. */
static void find_devices(struct builder *b)
{
	const struct xs_trace *trace = b->trace;
	size_t count = trace->call_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));
	uint32_t device = XS_WAIT_ANY_DEVICE;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){trace->calls[i].thread, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		struct issued *issued = &b->issued[keys[i].index];

		if (i > 0 && keys[i].key != keys[i - 1].key)
			device = XS_WAIT_ANY_DEVICE;
		if (issued->op == XS_NONE)
			issued->device = device;
		device = issued->device;
	}
	free(keys);
}

/* Launch records have no stream. */
static void remember_queues(struct builder *b, const struct xs_call *call,
			    const struct issued *issued)
{
	if (call->call_class == XS_CALL_EVENT_RECORD)
		remember(b->events, call->event,
			 find_queue(b->streams, call->stream));
	else if (call->stream && issued->op != XS_NONE)
		remember(b->streams, call->stream,
			 b->trace->ops[issued->op].queue);
}

/* Returns the queue that the call waits for before all others. */
static uint32_t queue_of(struct builder *b, const struct xs_call *call,
			 const struct issued *issued)
{
	if (issued->op != XS_NONE)
		return b->trace->ops[issued->op].queue;
	if (call->call_class == XS_CALL_SYNC_EVENT ||
	    (call->call_class == XS_CALL_POLL && call->event))
		return find_queue(b->events, call->event);
	if (call->call_class == XS_CALL_SYNC_STREAM ||
	    call->call_class == XS_CALL_POLL)
		return find_queue(b->streams, call->stream);
	return XS_NONE;
}

/* Returns whether the call waits or may wait. *hidden: it waits implicitly. */
static bool may_wait(const struct xs_call *call, const struct issued *issued,
		     bool *hidden)
{
	*hidden = false;
	switch (call->call_class) {
	case XS_CALL_COPY:
		return true;
	case XS_CALL_COPY_ASYNC:
		return issued->pageable;
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

static void add_row(struct builder *b, const struct xs_call *call, bool apart)
{
	struct xs_wait_sites *out = b->out;
	const struct xs_wait_site row = {
	    .site = call->site, .call_class = call->call_class, .apart = apart};
	size_t count = out->count; /* of the sums, too */

	XS_ARRAY_ADD(b->sums, count, (struct sums){0});
	XS_ARRAY_ADD(out->items, out->count, row);
	b->row_of_site[2 * (size_t)call->site + apart] = (uint32_t)out->count;
}

/* Returns whether the call touches at least half of its bytes first. */
static bool add_faults(struct builder *b, uint32_t index, struct sums *sums)
{
	const struct xs_trace *trace = b->trace;
	const double by_calls = xs_weight(b->weights.calls, index);
	const double by_bytes = xs_weight(b->weights.bytes, index);
	const uint64_t most_bytes = trace->calls[index].bytes;
	uint64_t touched = 0;

	while (b->next_fault < trace->fault_count &&
	       trace->faults[b->next_fault].call < index)
		b->next_fault++;
	for (; b->next_fault < trace->fault_count &&
	       trace->faults[b->next_fault].call == index;
	     b->next_fault++) {
		const struct xs_faults *faults = &trace->faults[b->next_fault];

		touched += (uint64_t)faults->minor * faults->page_bytes;
		sums->minor_faults += faults->minor * by_calls;
		sums->major_faults += faults->major * by_calls;
	}
	touched = touched < most_bytes ? touched : most_bytes;
	sums->touched_bytes += (double)touched * by_bytes;
	return touched && touched >= most_bytes / 2;
}

static void add_call(struct builder *b, uint32_t index,
		     const uint64_t part_ns[XS_WAIT_PARTS], struct sums *sums)
{
	const double by_calls = xs_weight(b->weights.calls, index);
	const double by_time =
	    b->by_site ? b->by_site[b->trace->calls[index].site] : by_calls;
	const double bytes = (double)b->trace->calls[index].bytes *
			     xs_weight(b->weights.bytes, index);
	const uint32_t op = b->issued[index].op;

	sums->calls += by_calls;
	if (part_ns[XS_WAIT_H2D] || part_ns[XS_WAIT_KERNEL] ||
	    part_ns[XS_WAIT_D2H] || part_ns[XS_WAIT_OTHER])
		sums->gpu_calls += by_calls;
	sums->bytes += bytes;
	if (op != XS_NONE && b->trace->ops[op].kind == XS_OP_D2H)
		sums->own_out_ns += (double)part_ns[XS_WAIT_OWN] * by_time;
	for (size_t i = 0; i < XS_WAIT_PARTS; i++)
		sums->part_ns[i] += (double)part_ns[i] * by_time;
	if (!add_faults(b, index, sums))
		return;
	sums->touching_bytes += bytes;
	sums->touching_ns +=
	    (double)(part_ns[XS_WAIT_OWN] + part_ns[XS_WAIT_LATENCY] +
		     part_ns[XS_WAIT_HOST]) *
	    by_time;
}

static void add_wait(struct builder *b, uint32_t index, bool hidden)
{
	const struct xs_call *call = &b->trace->calls[index];
	const struct issued *issued = &b->issued[index];
	const struct xs_wait_call wait = {
	    .index = index,
	    .queue = queue_of(b, call, issued),
	    .device = issued->device,
	    .from_ns = call->start_ns,
	    .hidden = hidden,
	};
	const bool apart = !xs_run_span_has(b->span, call->start_ns);
	const size_t slot = 2 * (size_t)call->site + apart;
	uint64_t part_ns[XS_WAIT_PARTS];
	struct xs_wait_site *row;

	if (b->row_of_site[slot] == 0)
		add_row(b, call, apart);
	xs_wait_breakdown_split(&b->finder, &wait, part_ns);
	row = &b->out->items[b->row_of_site[slot] - 1];
	row->pageable |= issued->pageable;
	add_call(b, index, part_ns, &b->sums[row - b->out->items]);
}

static void fill_rows(struct builder *b)
{
	for (size_t i = 0; i < b->out->count; i++) {
		struct xs_wait_site *row = &b->out->items[i];
		const struct sums *sums = &b->sums[i];

		row->calls = xs_weighted(1, sums->calls);
		row->gpu_calls = xs_weighted(1, sums->gpu_calls);
		row->bytes = xs_weighted(1, sums->bytes);
		row->minor_faults = xs_weighted(1, sums->minor_faults);
		row->major_faults = xs_weighted(1, sums->major_faults);
		row->touched_bytes = xs_weighted(1, sums->touched_bytes);
		row->touching_bytes = xs_weighted(1, sums->touching_bytes);
		row->touching_ns = xs_weighted(1, sums->touching_ns);
		row->own_out_ns = xs_weighted(1, sums->own_out_ns);
		for (size_t k = 0; k < XS_WAIT_PARTS; k++) {
			row->part_ns[k] = xs_weighted(1, sums->part_ns[k]);
			row->waited_ns += row->part_ns[k];
		}
	}
}

static int by_wait(const void *a, const void *b)
{
	const struct xs_wait_site *x = a, *y = b;

	if (x->waited_ns != y->waited_ns)
		return x->waited_ns > y->waited_ns ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->apart - y->apart;
}

static void add_calls(struct builder *b)
{
	const struct xs_trace *trace = b->trace;
	struct xs_wait_sites *out = b->out;
	bool hidden;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->error != 0)
			continue;
		remember_queues(b, call, &b->issued[i]);
		if (may_wait(call, &b->issued[i], &hidden))
			add_wait(b, (uint32_t)i, hidden);
	}
	out->unexamined = b->finder.unexamined;
	fill_rows(b);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_wait);
}

static void weigh(struct builder *b)
{
	xs_weights_build(b->trace, NULL, &b->weights);
	if (b->trace->skipped)
		b->by_site = xs_skipped_call_time(b->trace);
}

void xs_wait_sites_build(const struct xs_trace *trace,
			 const struct xs_run_span *span,
			 struct xs_wait_sites *out)
{
	struct builder *b = xs_calloc(1, sizeof(*b));

	*out = (struct xs_wait_sites){0};
	b->trace = trace;
	b->span = span;
	b->out = out;
	b->issued = xs_malloc((trace->call_count + 1) * sizeof(*b->issued));
	b->row_of_site = xs_calloc(trace->site_count + 1, 2 * sizeof(uint32_t));
	xs_wait_breakdown_init(&b->finder, trace);
	weigh(b);
	find_issued(b);
	find_devices(b);
	add_calls(b);
	xs_wait_breakdown_release(&b->finder);
	xs_weights_free(&b->weights);
	free(b->by_site);
	free(b->sums);
	free(b->issued);
	free(b->row_of_site);
	free(b);
}

void xs_wait_sites_free(struct xs_wait_sites *sites)
{
	free(sites->items);
	*sites = (struct xs_wait_sites){0};
}
