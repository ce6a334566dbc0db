/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/nvtx_sums.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

typedef uint64_t values[XS_NVTX_MEASURES];

/* Calls in an order in which those of a range follow each other. before[i]: the
 * sums of the calls before the i-th. */
struct ordered {
	uint32_t *calls;
	values *before;
};

struct builder {
	const struct xs_trace *trace;
	struct xs_nvtx_sums *out;
	struct ordered by_thread; /* then by start */
	struct ordered by_start;
	const struct xs_nvtx **ranges; /* by name, then by thread and start */
	uint64_t *lengths;	       /* of ranges of the current name */
};

static bool has_name_of(const struct xs_nvtx *a, const struct xs_nvtx *b)
{
	return a->domain == b->domain && a->name == b->name &&
	       a->process == b->process;
}

static int by_name(const void *left, const void *right)
{
	const struct xs_nvtx *a = *(const struct xs_nvtx *const *)left,
			     *b = *(const struct xs_nvtx *const *)right;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->process != b->process)
		return a->process - b->process;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a < b ? -1 : a > b; /* all are sorted by start */
}

static void add_op(const struct xs_op *op, uint64_t *sum)
{
	const uint64_t ns = op->end_ns - op->start_ns;

	switch (op->kind) {
	case XS_OP_H2D:
		sum[XS_NVTX_H2D_BYTES] += op->bytes;
		sum[XS_NVTX_H2D_NS] += ns;
		break;
	case XS_OP_D2H:
		sum[XS_NVTX_D2H_BYTES] += op->bytes;
		sum[XS_NVTX_D2H_NS] += ns;
		break;
	case XS_OP_KERNEL:
		sum[XS_NVTX_KERNELS]++;
		sum[XS_NVTX_KERNEL_NS] += ns;
		break;
	}
}

/* Fills before from calls. */
static void sum_up(const struct xs_trace *trace, struct ordered *ordered)
{
	const size_t count = trace->call_count;
	uint32_t *place = xs_malloc((count + 1) * sizeof(*place));
	bool *blocked = xs_calls_blocked(trace);
	values *before = xs_calloc(count + 1, sizeof(*before));

	ordered->before = before;
	for (size_t i = 0; i < count; i++) {
		const struct xs_call *call = &trace->calls[ordered->calls[i]];

		place[ordered->calls[i]] = (uint32_t)i;
		if (blocked[ordered->calls[i]])
			before[i + 1][XS_NVTX_BLOCKED_NS] =
			    call->end_ns - call->start_ns;
	}
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			add_op(&trace->ops[i],
			       before[place[trace->ops[i].call] + 1]);
	for (size_t i = 1; i <= count; i++)
		for (int m = 0; m < XS_NVTX_MEASURES; m++)
			before[i][m] += before[i - 1][m];
	free(place);
	free(blocked);
}

static void order_calls(const struct xs_trace *trace, bool by_thread,
			struct ordered *ordered)
{
	const size_t count = trace->call_count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));

	ordered->calls = xs_malloc((count + 1) * sizeof(*ordered->calls));
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){
		    by_thread ? trace->calls[i].thread : 0, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++)
		ordered->calls[i] = keys[i].index;
	free(keys);
	sum_up(trace, ordered);
}

static void order_ranges(struct builder *b)
{
	const size_t count = b->trace->nvtx_count;

	b->ranges = xs_malloc((count + 1) * sizeof(*b->ranges));
	for (size_t i = 0; i < count; i++)
		b->ranges[i] = &b->trace->nvtx[i];
	qsort(b->ranges, count, sizeof(*b->ranges), by_name);
}

static bool is_before(const struct xs_call *call, const struct xs_nvtx *range,
		      uint64_t time_ns)
{
	return range->process || call->thread == range->thread
		   ? call->start_ns < time_ns
		   : call->thread < range->thread;
}

/* Returns the number of calls before the thread's first one at time_ns or
 * later. */
static size_t calls_before(const struct builder *b, const struct xs_nvtx *range,
			   uint64_t time_ns)
{
	const struct ordered *ordered =
	    range->process ? &b->by_start : &b->by_thread;
	size_t low = 0, high = b->trace->call_count;

	XS_BISECT(
	    low, high, i,
	    is_before(&b->trace->calls[ordered->calls[i]], range, time_ns));
	return low;
}

static void add_range(const struct builder *b, const struct xs_nvtx *range,
		      struct xs_nvtx_sum *sum)
{
	const values *before =
	    (range->process ? &b->by_start : &b->by_thread)->before;
	const size_t first = calls_before(b, range, range->start_ns);
	const size_t end = calls_before(b, range, range->end_ns);

	for (int m = 0; m < XS_NVTX_MEASURES; m++)
		sum->total[m] += before[end][m] - before[first][m];
	b->lengths[sum->count] = range->end_ns - range->start_ns;
	sum->total[XS_NVTX_NS] += b->lengths[sum->count++];
}

/* Adds the ranges of one name, of which there is at least one. */
static void add_name(struct builder *b, const struct xs_nvtx **ranges,
		     size_t count)
{
	const struct xs_nvtx *last = NULL;
	struct xs_nvtx_sum *sum;

	XS_ARRAY_ADD(b->out->items, b->out->count, (struct xs_nvtx_sum){0});
	sum = &b->out->items[b->out->count - 1];
	for (size_t i = 0; i < count; i++) {
		const struct xs_nvtx *range = ranges[i];

		if (last && !range->process && range->thread == last->thread &&
		    range->start_ns < last->end_ns &&
		    range->end_ns <= last->end_ns)
			continue;
		last = range;
		add_range(b, range, sum);
	}
	sum->domain = ranges[0]->domain;
	sum->name = ranges[0]->name;
	sum->process = ranges[0]->process;
	xs_values_sort(b->lengths, sum->count);
	sum->median_ns = b->lengths[(sum->count - 1) / 2];
}

static void add_names(struct builder *b)
{
	const size_t count = b->trace->nvtx_count;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1;
		     end < count &&
		     has_name_of(b->ranges[end], b->ranges[first]);
		     end++)
			;
		add_name(b, b->ranges + first, end - first);
	}
}

static int by_total(const void *a, const void *b)
{
	const struct xs_nvtx_sum *x = a, *y = b;
	const uint64_t of_x = x->total[XS_NVTX_NS], of_y = y->total[XS_NVTX_NS];

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->process - y->process;
}

void xs_nvtx_sums_build(const struct xs_trace *trace, struct xs_nvtx_sums *out)
{
	struct builder b = {.trace = trace, .out = out};

	*out = (struct xs_nvtx_sums){0};
	if (!trace->nvtx_count)
		return;
	order_calls(trace, true, &b.by_thread);
	order_calls(trace, false, &b.by_start);
	order_ranges(&b);
	b.lengths = xs_malloc((trace->nvtx_count + 1) * sizeof(*b.lengths));
	add_names(&b);
	free(b.lengths);
	free(b.ranges);
	free(b.by_thread.calls);
	free(b.by_thread.before);
	free(b.by_start.calls);
	free(b.by_start.before);
	qsort(out->items, out->count, sizeof(*out->items), by_total);
}

void xs_nvtx_sums_free(struct xs_nvtx_sums *sums)
{
	free(sums->items);
	*sums = (struct xs_nvtx_sums){0};
}
