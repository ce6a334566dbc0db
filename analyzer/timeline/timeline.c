/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/timeline.h"

#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/timeline/interval_union.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

/* Devices that are told apart; higher numbers share an entry. */
#define MOST_DEVICES 64

#define ANY_DEVICE UINT32_MAX

/* What the totals are of. */
struct scope {
	uint32_t device; /* ANY_DEVICE: of all, and of calls, too */
	const struct xs_run_span *span; /* NULL: the whole run */
};

static bool is_of(const struct xs_trace *trace, const struct xs_op *op,
		  const struct scope *scope)
{
	return (scope->device == ANY_DEVICE ||
		trace->queues[op->queue].device == scope->device) &&
	       xs_run_span_has(scope->span, op->start_ns);
}

static bool is_transfer(const struct xs_op *op)
{
	return op->kind == XS_OP_H2D || op->kind == XS_OP_D2H;
}

static void add_ops(const struct xs_trace *trace, const struct scope *scope,
		    struct xs_timeline *out)
{
	struct xs_interval_union busy[XS_OP_KINDS] = {{0, 0}}, gpu = {0, 0};
	struct xs_overlap overlaps[MOST_DEVICES] = {0};

	XS_EACH(op, trace->ops, trace->op_count) {
		if (!is_of(trace, op, scope))
			continue;
		/* its other part has the copy's bytes */
		if (!(op->flags & XS_OP_STAGED_IN)) {
			out->bytes[op->kind] += op->bytes;
			out->count[op->kind] += op->copies;
		}
		out->sum_ns[op->kind] += op->end_ns - op->start_ns;
		xs_interval_union_add(&busy[op->kind], op->start_ns,
				      op->end_ns);
		xs_interval_union_add(&gpu, op->start_ns, op->end_ns);
		xs_overlap_add(
		    &overlaps[trace->queues[op->queue].device % MOST_DEVICES],
		    op);
		if (is_transfer(op) && (op->flags & XS_OP_ASYNC) &&
		    xs_op_is_pageable(op))
			out->pageable_async_ops++;
	}
	for (size_t kind = 0; kind < XS_OP_KINDS; kind++)
		out->busy_ns[kind] = busy[kind].total_ns;
	out->gpu_busy_ns = gpu.total_ns;
	for (size_t i = 0; i < MOST_DEVICES; i++)
		out->overlap_ns += xs_overlap_ns(&overlaps[i]);
}

static void add_migrations(const struct xs_trace *trace,
			   const struct scope *scope, struct xs_timeline *out)
{
	struct xs_interval_union busy[XS_OP_KINDS] = {{0, 0}};

	XS_EACH(op, trace->migrations, trace->migration_count) {
		if (!xs_run_span_has(scope->span, op->start_ns))
			continue;
		out->migrated_bytes[op->kind] += op->bytes;
		xs_interval_union_add(&busy[op->kind], op->start_ns,
				      op->end_ns);
	}
	for (size_t kind = 0; kind < XS_OP_KINDS; kind++)
		out->migrated_ns[kind] = busy[kind].total_ns;
}

/* Adds the time in blocking calls, summed over threads. */
static void add_calls(const struct xs_trace *trace, const bool *blocks,
		      const struct scope *scope, struct xs_timeline *out)
{
	struct xs_key *keys =
	    xs_malloc((trace->call_count + 1) * sizeof(*keys));
	struct xs_interval_union blocked = {0, 0};

	for (size_t i = 0; i < trace->call_count; i++)
		keys[i] = (struct xs_key){trace->calls[i].thread, (uint32_t)i};
	xs_keys_sort(keys, trace->call_count);
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[keys[i].index];

		if (i > 0 && keys[i].key != keys[i - 1].key)
			blocked.end_ns = 0;
		if (!xs_run_span_has(scope->span, call->start_ns))
			continue;
		if (xs_call_pins(call))
			out->pinned_alloc_ns += xs_call_ns(call);
		if (xs_call_unpins(call))
			out->pinned_free_ns += xs_call_ns(call);
		if (blocks[keys[i].index])
			xs_interval_union_add(&blocked, call->start_ns,
					      call->end_ns);
	}
	out->host_blocked_ns = blocked.total_ns;
	free(keys);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 1;
}

/* Adds counted copies and launches that no recorded call stands for. When they
 * were made is not known: they are of any span. */
static void add_unseen(const struct xs_weights *w, double bytes[XS_OP_KINDS],
		       double count[XS_OP_KINDS])
{
	static const uint8_t kinds[XS_WEIGHT_DIRECTIONS] = {
	    [XS_DIR_H2D] = XS_OP_H2D,
	    [XS_DIR_D2H] = XS_OP_D2H,
	    [XS_DIR_D2D] = XS_OP_D2D,
	    [XS_DIR_H2H] = XS_OP_H2H,
	};

	for (unsigned i = XS_DIR_H2D; i <= XS_DIR_H2H; i++) {
		bytes[kinds[i]] += w->unrecorded_bytes[i];
		count[kinds[i]] += w->unrecorded_calls[i];
	}
	count[XS_OP_KERNEL] += w->unrecorded_launches;
}

/* The byte counts of sites are exact. Times are scaled with them; unions of
 * times are scaled like the sums of their parts. */
static void weigh_ops(const struct xs_trace *trace, const struct xs_weights *w,
		      const struct scope *scope, struct xs_timeline *out)
{
	double bytes[XS_OP_KINDS] = {0}, count[XS_OP_KINDS] = {0};
	double ns[XS_OP_KINDS] = {0}, all_ns = 0, seen_ns = 0, factor;

	XS_EACH(op, trace->ops, trace->op_count) {
		double by_bytes = xs_weight(w->bytes, op->call);
		double by_calls = xs_weight(w->calls, op->call);

		if (!is_of(trace, op, scope))
			continue;
		bytes[op->kind] += (double)op->bytes * by_bytes;
		count[op->kind] += op->copies * by_calls;
		ns[op->kind] += (double)(op->end_ns - op->start_ns) *
				(op->bytes ? by_bytes : by_calls);
	}
	if (scope->device == ANY_DEVICE)
		add_unseen(w, bytes, count);
	for (size_t kind = 0; kind < XS_OP_KINDS; kind++) {
		factor = share(ns[kind], (double)out->sum_ns[kind]);
		all_ns += ns[kind];
		seen_ns += (double)out->sum_ns[kind];
		out->bytes[kind] = xs_weighted(1, bytes[kind]);
		out->count[kind] = xs_weighted(1, count[kind]);
		out->sum_ns[kind] = xs_weighted(out->sum_ns[kind], factor);
		out->busy_ns[kind] = xs_weighted(out->busy_ns[kind], factor);
	}
	factor = share(all_ns, seen_ns);
	out->gpu_busy_ns = xs_weighted(out->gpu_busy_ns, factor);
	out->overlap_ns = xs_weighted(out->overlap_ns, factor);
	out->pageable_async_ops = xs_weighted(out->pageable_async_ops, factor);
}

/* Returns which part of the time between the windows lies in the span. */
static double share_of_gaps(const struct xs_trace *trace,
			    const struct xs_run_span *span)
{
	double all_ns = 0, in_ns = 0;

	for (size_t i = 1; i < trace->window_count; i++) {
		const uint64_t from_ns = trace->windows[i - 1].end_ns;
		const uint64_t to_ns = trace->windows[i].begin_ns;
		const uint64_t first_ns =
		    span && span->from_ns > from_ns ? span->from_ns : from_ns;
		const uint64_t last_ns =
		    span && span->to_ns < to_ns ? span->to_ns : to_ns;

		all_ns += (double)(to_ns - from_ns);
		if (first_ns < last_ns)
			in_ns += (double)(last_ns - first_ns);
	}
	return share(in_ns, all_ns);
}

/* Adds the ops of a long trace that were not read: in a span, those of its part
 * of the time between the windows. */
static void add_skipped(const struct xs_trace *trace, const struct scope *scope,
			struct xs_timeline *out)
{
	const double part = share_of_gaps(trace, scope->span);
	struct xs_skipped skipped = {.ns = {0}};
	double seen_ns = 0, all_ns = 0, seen = 0, all = 0;

	for (size_t i = 0; i < trace->queue_count; i++)
		if (scope->device == ANY_DEVICE ||
		    trace->queues[i].device == scope->device)
			xs_skipped_sum(&skipped, &trace->skipped[i]);
	for (size_t k = 0; k < XS_OP_KINDS; k++) {
		const double ns = (double)out->sum_ns[k];

		seen_ns += ns;
		seen += (double)out->count[k];
		out->count[k] += xs_weighted(skipped.count[k], part);
		out->bytes[k] += xs_weighted(skipped.bytes[k], part);
		out->sum_ns[k] += xs_weighted(skipped.ns[k], part);
		out->busy_ns[k] = xs_weighted(
		    out->busy_ns[k], share((double)out->sum_ns[k], ns));
		all_ns += (double)out->sum_ns[k];
		all += (double)out->count[k];
	}
	out->gpu_busy_ns =
	    xs_weighted(out->gpu_busy_ns, share(all_ns, seen_ns));
	out->overlap_ns = xs_weighted(out->overlap_ns, share(all_ns, seen_ns));
	out->pageable_async_ops =
	    xs_weighted(out->pageable_async_ops, share(all, seen));
}

/* The launches of graphs that are recorded as one have no op in the file. */
static void add_unread(const struct xs_trace *trace, const struct xs_weights *w,
		       const struct scope *scope, struct xs_timeline *out)
{
	if (trace->skipped && !trace->graphs_as_one)
		add_skipped(trace, scope, out);
	else
		weigh_ops(trace, w, scope, out);
}

/* blocks: by call. */
static void weigh_calls(const struct xs_trace *trace, const bool *blocks,
			const struct xs_weights *w, const struct scope *scope,
			struct xs_timeline *out)
{
	uint64_t *const sums[] = {&out->host_blocked_ns, &out->pinned_alloc_ns,
				  &out->pinned_free_ns};
	double all[] = {0, 0, 0}, seen[] = {0, 0, 0};

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		const bool is_of[] = {blocks[i], xs_call_pins(call),
				      xs_call_unpins(call)};
		double ns = (double)xs_call_ns(call);
		double weight = xs_weight(w->calls, (uint32_t)i);

		if (!xs_run_span_has(scope->span, call->start_ns))
			continue;
		for (int k = 0; k < 3; k++) {
			all[k] += is_of[k] * ns * weight;
			seen[k] += is_of[k] * ns;
		}
	}
	for (int k = 0; k < 3; k++)
		*sums[k] = xs_weighted(*sums[k], share(all[k], seen[k]));
}

static void build(const struct xs_trace *trace, const struct scope *scope,
		  struct xs_timeline *out)
{
	bool *blocks = xs_calls_blocked(trace);
	struct xs_weights weights = {0};

	xs_weights_build(trace, NULL, &weights);
	memset(out, 0, sizeof(*out));
	out->wall_ns = trace->end_ns - trace->begin_ns - trace->ignored_ns;
	add_ops(trace, scope, out);
	add_migrations(trace, scope, out);
	add_calls(trace, blocks, scope, out);
	if (weights.calls) {
		add_unread(trace, &weights, scope, out);
		weigh_calls(trace, blocks, &weights, scope, out);
	}
	xs_weights_free(&weights);
	free(blocks);
}

void xs_timeline_build(const struct xs_trace *trace, struct xs_timeline *out)
{
	build(trace, &(struct scope){ANY_DEVICE, NULL}, out);
}

void xs_timeline_of_span(const struct xs_trace *trace,
			 const struct xs_run_span *span,
			 struct xs_timeline *out)
{
	build(trace, &(struct scope){ANY_DEVICE, span}, out);
}

void xs_timeline_of_device(const struct xs_trace *trace, uint16_t device,
			   struct xs_timeline *out)
{
	const struct scope scope = {device, NULL};
	struct xs_weights weights;

	xs_weights_build(trace, NULL, &weights);
	memset(out, 0, sizeof(*out));
	add_ops(trace, &scope, out);
	if (weights.calls)
		add_unread(trace, &weights, &scope, out);
	xs_weights_free(&weights);
}
