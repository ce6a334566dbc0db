/* SPDX-License-Identifier: MIT */
/* Joins what a file of another tool has of a call in several places. */
#include "analyzer/import/foreign.h"

#include "analyzer/import/import.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdio.h>
#include <stdlib.h>

/* CUDA may return from the call of a smaller copy of pageable memory earlier.
 */
#define STAGED_BYTES (1u << 20)

#define FEW	      20   /* one of so many calls may be wrong */
#define RESOLUTION_NS 1000 /* times may be whole microseconds */

static bool is_work(const struct xs_foreign_op *op)
{
	return op->kind != XS_REC_graph && !(op->flags & XS_OP_MIGRATION);
}

/* Sorts the ops with a correlation id by it. Caller frees the result. */
static struct xs_key *ops_by_id(const struct xs_foreign *f, size_t *count)
{
	struct xs_key *keys = xs_calloc(f->op_count + 1, sizeof(*keys));

	*count = 0;
	for (size_t i = 0; i < f->op_count; i++)
		if (f->ops[i].correlation && is_work(&f->ops[i]))
			keys[(*count)++] =
			    (struct xs_key){f->ops[i].correlation, (uint32_t)i};
	xs_keys_sort(keys, *count);
	return keys;
}

/* The cudaMemcpyKind of a direction; 4 (default) if it has none. */
static uint8_t kind_of(uint8_t direction)
{
	switch (direction) {
	case XS_DIR_H2H:
		return 0;
	case XS_DIR_H2D:
		return 1;
	case XS_DIR_D2H:
		return 2;
	case XS_DIR_D2D:
	case XS_DIR_P2P:
		return 3;
	}
	return 4;
}

/* Returns where the kind of a copy's host memory is; NULL: it has none. */
static uint8_t *host_memory(struct xs_foreign_op *op)
{
	if (op->kind != XS_REC_copy)
		return NULL;
	return op->direction == XS_DIR_H2D   ? &op->src_memory
	       : op->direction == XS_DIR_D2H ? &op->dst_memory
					     : NULL;
}

/* If the file does not tell, an asynchronous call of a large copy does: only
 * with pageable memory it lasts until the copy has ended. */
static void infer_memory(struct xs_foreign *f,
			 const struct xs_foreign_call *call,
			 struct xs_foreign_op *op)
{
	const uint64_t tenth_ns = (op->end_ns - op->start_ns) / 10;
	uint8_t *memory = host_memory(op);

	if (!memory || *memory || op->bytes <= STAGED_BYTES)
		return;
	*memory = call->end_ns + tenth_ns >= op->end_ns ? XS_MEM_PAGEABLE
							: XS_MEM_PINNED;
	f->inferred++;
}

static void join_op(struct xs_foreign *f, struct xs_foreign_call *call,
		    struct xs_foreign_op *op)
{
	call->stream = xs_foreign_stream(f, op->queue);
	call->has_stream = true;
	switch (call->call_class) {
	case XS_CALL_COPY_ASYNC:
		infer_memory(f, call, op);
		/* fall through */
	case XS_CALL_SET_ASYNC:
		op->flags |= XS_OP_ASYNC;
		break;
	case XS_CALL_COPY:
	case XS_CALL_SET:
		break;
	default:
		return;
	}
	if (op->kind == XS_REC_copy)
		call->direction = kind_of(op->direction);
	if (__builtin_add_overflow(call->bytes, op->bytes, &call->bytes))
		call->bytes = UINT64_MAX;
}

/* Of calls with one id, the first one has the ops. */
static void join_ops_of(struct xs_foreign *f, struct xs_foreign_call *call,
			struct xs_key *keys, size_t count)
{
	const size_t first = xs_keys_from(keys, count, call->correlation);

	if (first == count || keys[first].key != call->correlation)
		return;
	if (keys[first].index == XS_NONE32) {
		f->mixed++;
		return;
	}
	for (size_t k = first; k < count && keys[k].key == call->correlation;
	     k++)
		join_op(f, call, &f->ops[keys[k].index]);
	keys[first].index = XS_NONE32;
}

static void join_ops(struct xs_foreign *f)
{
	size_t count;
	struct xs_key *keys = ops_by_id(f, &count);

	for (size_t i = 0; i < f->call_count; i++) {
		struct xs_foreign_call *call = &f->calls[i];

		if (!call->correlation || !xs_call_issues(call->call_class))
			continue;
		join_ops_of(f, call, keys, count);
	}
	free(keys);
}

static void join_detail(struct xs_foreign_call *call,
			const struct xs_foreign_detail *detail)
{
	if (detail->has_stream)
		call->stream = detail->stream;
	call->has_stream |= detail->has_stream;
	if (detail->event)
		call->event = detail->event;
	if (detail->address) {
		call->address = detail->address;
		call->bytes = detail->bytes;
	}
}

static void join_details(struct xs_foreign *f)
{
	const size_t count = f->detail_count;
	struct xs_key *keys = xs_calloc(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] =
		    (struct xs_key){f->details[i].correlation, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; count && i < f->call_count; i++) {
		struct xs_foreign_call *call = &f->calls[i];

		if (!call->correlation || xs_call_issues(call->call_class))
			continue;
		for (size_t k = xs_keys_from(keys, count, call->correlation);
		     k < count && keys[k].key == call->correlation; k++)
			join_detail(call, &f->details[keys[k].index]);
	}
	free(keys);
}

/* Returns whether the handle, stream or event, decides what is waited for. */
static bool uses_event(uint8_t call_class)
{
	return call_class == XS_CALL_SYNC_EVENT ||
	       call_class == XS_CALL_EVENT_RECORD ||
	       call_class == XS_CALL_STREAM_WAIT;
}

static bool uses_stream(uint8_t call_class)
{
	return call_class == XS_CALL_SYNC_STREAM ||
	       call_class == XS_CALL_EVENT_RECORD ||
	       call_class == XS_CALL_STREAM_WAIT;
}

/* 0 would be the default stream, and events of one handle one event: an unknown
 * one gets a handle of its own. If all work went to one stream, a wait is for
 * that one. */
static void set_unknown(struct xs_foreign *f)
{
	const bool one = f->queues.count == 1;

	for (size_t i = 0; i < f->call_count; i++) {
		struct xs_foreign_call *call = &f->calls[i];

		if (uses_stream(call->call_class) && !call->has_stream)
			call->stream =
			    one ? xs_foreign_stream(f, 0) : UINT64_MAX - i;
		if (uses_event(call->call_class) && !call->event)
			call->event = UINT64_MAX - i;
	}
}

static uint64_t start_of_call(const void *foreign, uint32_t i)
{
	return ((const struct xs_foreign *)foreign)->calls[i].start_ns;
}

static uint64_t end_of_call(const void *foreign, uint32_t i)
{
	return ((const struct xs_foreign *)foreign)->calls[i].end_ns;
}

/* A call comes before those that it made. */
static void sort_calls(struct xs_foreign *f)
{
	struct xs_key *keys = xs_calloc(f->call_count + 1, sizeof(*keys));

	xs_keys_sort_nested(keys, f->call_count, f, start_of_call, end_of_call);
	xs_keys_apply(keys, f->call_count, f->calls, sizeof(*f->calls));
	free(keys);
}

/* What made a call has its correlation id. Where times are whole us, a call
 * may take none and start where the one that made it ends. */
static bool is_inside(const struct xs_foreign_call *call,
		      const struct xs_foreign_call *other)
{
	return call->end_ns <= other->end_ns &&
	       (call->start_ns < other->end_ns ||
		(call->correlation && call->correlation == other->correlation));
}

/* Drops calls within another one of their thread, such as a driver call that
 * the runtime made. Calls are sorted by start. */
static void drop_inner(struct xs_foreign *f)
{
	struct xs_distinct_map last = {0}; /* kept call + 1, by thread */
	size_t kept = 0;

	for (size_t i = 0; i < f->call_count; i++) {
		const struct xs_foreign_call call = f->calls[i];
		size_t *before = xs_distinct_map_find(
		    &last, &call.thread, sizeof(call.thread), sizeof(*before));

		if (*before && is_inside(&call, &f->calls[*before - 1]))
			continue;
		f->mixed += *before && call.start_ns + RESOLUTION_NS <
					   f->calls[*before - 1].end_ns;
		f->calls[kept++] = call;
		*before = kept;
	}
	xs_distinct_map_release(&last);
	f->call_count = kept;
}

/* The run lasts from its first to its last call or op, if the file does not
 * say more. */
static void find_span(struct xs_foreign *f)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;

	for (size_t i = 0; i < f->call_count; i++) {
		if (f->calls[i].start_ns < begin_ns)
			begin_ns = f->calls[i].start_ns;
		if (f->calls[i].end_ns > end_ns)
			end_ns = f->calls[i].end_ns;
	}
	for (size_t i = 0; i < f->op_count; i++) {
		if (f->ops[i].start_ns < begin_ns)
			begin_ns = f->ops[i].start_ns;
		if (f->ops[i].end_ns > end_ns)
			end_ns = f->ops[i].end_ns;
	}
	/* a length that is shorter than the calls is none */
	f->has_span = f->end_ns > 0 && f->end_ns >= end_ns;
	if (begin_ns < f->begin_ns || !f->has_span)
		f->begin_ns = begin_ns == UINT64_MAX ? f->begin_ns : begin_ns;
	if (!f->has_span)
		f->end_ns = end_ns;
}

/* A run of known length does not last until a range ends. */
static void cut_ranges(struct xs_foreign *f)
{
	for (size_t i = 0; f->has_span && i < f->range_count; i++) {
		struct xs_foreign_range *range = &f->ranges[i];

		if (range->end_ns > f->end_ns)
			range->end_ns = f->end_ns;
		if (range->start_ns > range->end_ns)
			range->start_ns = range->end_ns;
	}
}

static void note_memory(struct xs_foreign *f)
{
	size_t copies = 0, unknown = f->inferred;
	char told[160] = "";

	for (size_t i = 0; i < f->op_count; i++) {
		const uint8_t *memory = host_memory(&f->ops[i]);

		copies += memory != NULL;
		unknown += memory && *memory == XS_MEM_UNKNOWN;
	}
	if (f->inferred)
		snprintf(told, sizeof(told),
			 "; for %zu of these their asynchronous calls tell: "
			 "only one with pageable memory lasts as long as its "
			 "copy",
			 f->inferred);
	if (!unknown)
		return;
	xs_foreign_add_info(
	    f,
	    "note=for %zu of %zu copies between host and device the file does "
	    "not say whether their host memory is pageable or pinned%s",
	    unknown, copies, told);
}

/* Of one process, a thread makes one call at a time, and ids are distinct; one
 * call alone shows nothing. */
static int refuse_mixed(const struct xs_foreign *f, const char **error)
{
	return f->mixed > 1 + f->call_count / FEW
		   ? xs_import_fail(
			 error,
			 "%zu of its %zu calls share an id with another one, "
			 "or begin before their thread's last call ends: it is "
			 "probably of several processes; give the file of one",
			 f->mixed, f->call_count)
		   : 0;
}

int xs_foreign_join(struct xs_foreign *f, const char **error)
{
	int rc;

	if (f->queues.count > XS_WIDE16)
		return xs_import_fail(error, "it has more than 65,534 streams");
	sort_calls(f);
	find_span(f);
	cut_ranges(f);
	drop_inner(f);
	join_ops(f);
	rc = refuse_mixed(f, error);
	if (rc)
		return rc;
	join_details(f);
	set_unknown(f);
	note_memory(f);
	if (!f->has_span)
		xs_foreign_add_info(
		    f, "note=the file does not tell how long the run was: it "
		       "is from the first to the last call or GPU op");
	if (f->left_out)
		xs_foreign_add_info(
		    f,
		    "note=left out: %zu event%s without a time, or with a "
		    "time, stream, size or kind that cannot be",
		    f->left_out, f->left_out == 1 ? "" : "s");
	return 0;
}
