/* SPDX-License-Identifier: MIT */
#include "analyzer/sampling/sampling.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

bool xs_trace_is_sampled(const struct xs_trace *trace)
{
	return trace->begins_counted || trace->window_count > 1 ||
	       (trace->window_count == 1 &&
		trace->windows[0].end_ns != UINT64_MAX);
}

uint64_t xs_weighted(uint64_t value, double weight)
{
	double product = (double)value * weight;

	if (weight == 1)
		return value;
	return product < 0x1p63 ? (uint64_t)(product + 0.5) : UINT64_MAX;
}

size_t xs_window_of(const struct xs_trace *trace, uint64_t time_ns)
{
	size_t low = 0, high = trace->window_count;

	XS_BISECT(low, high, i, trace->windows[i].begin_ns <= time_ns);
	return low;
}

bool xs_in_one_window(const struct xs_trace *trace, uint64_t a_ns,
		      uint64_t b_ns)
{
	return !xs_trace_is_sampled(trace) ||
	       xs_window_of(trace, a_ns) == xs_window_of(trace, b_ns);
}

static void sort_windows(struct xs_trace *trace)
{
	struct xs_key *keys =
	    xs_malloc((trace->window_count + 1) * sizeof(*keys));

	for (size_t i = 0; i < trace->window_count; i++)
		keys[i] =
		    (struct xs_key){trace->windows[i].begin_ns, (uint32_t)i};
	xs_keys_sort(keys, trace->window_count);
	xs_keys_apply(keys, trace->window_count, trace->windows,
		      sizeof(*trace->windows));
	free(keys);
}

/* If no op has a call, the trace has ops only: none of them is dropped. */
static void drop_counted(struct xs_trace *trace)
{
	size_t used = 0;

	if (!xs_trace_is_sampled(trace) || !trace->ops_matched)
		return;
	XS_EACH(op, trace->ops, trace->op_count) {
		if (op->call != XS_NONE)
			trace->ops[used++] = *op;
		else if (trace->skipped)
			xs_skipped_add(&trace->skipped[op->queue], op);
	}
	trace->op_count = used;
}

/* A process that was killed may not have noted that its first window had ended,
 * with the last recorded call: it then only counted. */
static void end_window(struct xs_trace *trace)
{
	uint64_t end_ns = 0;

	if (trace->window_count != 1 || xs_trace_is_sampled(trace) ||
	    !trace->tally_count)
		return;
	for (size_t i = 0; i < trace->call_count; i++)
		if (trace->calls[i].end_ns > end_ns)
			end_ns = trace->calls[i].end_ns;
	trace->windows[0].end_ns = end_ns;
	if (trace->end_ns > end_ns)
		trace->counted_ns = trace->end_ns - end_ns;
}

void xs_sampling_tidy(struct xs_trace *trace)
{
	end_window(trace);
	drop_counted(trace);
	sort_windows(trace);
}
