/* SPDX-License-Identifier: MIT */
/* Sweeps over calls and ops at once. Both are sorted by start, so the spans of
 * each list are found on the way. */
#include "analyzer/timeline/run_parts.h"

#include "analyzer/timeline/blocking_calls.h"

#include <string.h>

/* Lists of spans, in the order in which they claim an instant. */
enum list {
	STARTUP,
	KERNELS,
	COPIES,
	COPY_CALLS,
	ALLOCATIONS,
	WAITS,
	OTHER_CALLS,
	LISTS
};

static const enum xs_run_part parts[LISTS] = {
    [STARTUP] = XS_PART_STARTUP,	[KERNELS] = XS_PART_KERNELS,
    [COPIES] = XS_PART_COPIES,		[COPY_CALLS] = XS_PART_COPY_CALLS,
    [ALLOCATIONS] = XS_PART_ALLOCATION, [WAITS] = XS_PART_WAITS,
    [OTHER_CALLS] = XS_PART_CALLS,
};

struct span {
	uint64_t start_ns, end_ns;
};

struct sweep {
	const struct xs_trace *trace;
	const bool *blocks;
	const struct xs_cuda_startup *startup;
	struct span spans[LISTS]; /* the current or next one of each list */
	size_t next[LISTS];	  /* item from which the following is found */
};

static enum list list_of_op(const struct xs_op *op)
{
	return op->kind == XS_OP_KERNEL || op->kind == XS_OP_SET ||
		       op->kind == XS_OP_D2D
		   ? KERNELS
		   : COPIES;
}

static enum list list_of_call(const struct sweep *s, size_t index)
{
	const struct xs_call *call = &s->trace->calls[index];

	if (xs_call_allocates(call->call_class) ||
	    xs_call_frees(call->call_class) ||
	    call->call_class == XS_CALL_STREAM_CREATE ||
	    call->call_class == XS_CALL_STREAM_DESTROY)
		return ALLOCATIONS;
	if (xs_call_is_sync(call))
		return WAITS;
	return s->blocks[index] ? COPY_CALLS : OTHER_CALLS;
}

/* Fills the span of item `index` of the list's source. Returns false behind the
 * last one; *is_member: whether it belongs to the list. */
static bool item_at(const struct sweep *s, enum list list, size_t index,
		    struct span *item, bool *is_member)
{
	const struct xs_trace *trace = s->trace;

	if (list == STARTUP) {
		*item = (struct span){s->startup->end_ns - s->startup->ns,
				      s->startup->end_ns};
		*is_member = true;
		return index == 0 && s->startup->ns > 0;
	}
	if (list == KERNELS || list == COPIES) {
		if (index >= trace->op_count)
			return false;
		*item = (struct span){trace->ops[index].start_ns,
				      trace->ops[index].end_ns};
		*is_member = list_of_op(&trace->ops[index]) == list;
		return true;
	}
	if (index >= trace->call_count)
		return false;
	*item = (struct span){trace->calls[index].start_ns,
			      trace->calls[index].end_ns};
	*is_member = list_of_call(s, index) == list;
	return true;
}

/* Moves the list to its next span: items that touch are one span. */
static void advance(struct sweep *s, enum list list)
{
	struct span *span = &s->spans[list], item;
	bool is_member, found = false;

	*span = (struct span){UINT64_MAX, UINT64_MAX};
	for (; item_at(s, list, s->next[list], &item, &is_member);
	     s->next[list]++) {
		if (!is_member || item.end_ns <= item.start_ns)
			continue;
		if (found && item.start_ns > span->end_ns)
			return;
		if (!found)
			*span = item;
		else if (item.end_ns > span->end_ns)
			span->end_ns = item.end_ns;
		found = true;
	}
}

/* Adds the time from `from_ns` to `to_ns`; spans before it are passed. */
static void sweep(struct sweep *s, uint64_t from_ns, uint64_t to_ns,
		  struct xs_run_parts *out)
{
	while (from_ns < to_ns) {
		enum xs_run_part part = XS_PART_HOST;
		uint64_t next_ns = to_ns;
		bool gpu = false;

		for (unsigned list = LISTS; list-- > 0;) {
			const struct span *span = &s->spans[list];
			uint64_t edge_ns;

			while (span->end_ns <= from_ns)
				advance(s, list);
			edge_ns = span->start_ns;
			if (span->start_ns <= from_ns) {
				edge_ns = span->end_ns;
				part = parts[list];
				gpu |= list == KERNELS || list == COPIES;
			}
			if (edge_ns < next_ns)
				next_ns = edge_ns;
		}
		out->ns[part] += next_ns - from_ns;
		out->span_ns += next_ns - from_ns;
		out->gpu_ns += gpu ? next_ns - from_ns : 0;
		from_ns = next_ns;
	}
}

void xs_run_parts(const struct xs_trace *trace, const bool *blocks,
		  const struct xs_cuda_startup *startup, uint64_t from_ns,
		  uint64_t to_ns, struct xs_run_parts *out)
{
	struct sweep s = {.trace = trace, .blocks = blocks, .startup = startup};

	memset(out, 0, sizeof(*out));
	if (!trace->window_count)
		sweep(&s, from_ns, to_ns, out);
	for (size_t i = 0; i < trace->window_count; i++) {
		const struct xs_window *window = &trace->windows[i];

		sweep(&s,
		      window->begin_ns > from_ns ? window->begin_ns : from_ns,
		      window->end_ns < to_ns ? window->end_ns : to_ns, out);
	}
}
