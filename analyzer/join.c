/* SPDX-License-Identifier: MIT */
#include "analyzer/capture.h"
#include "analyzer/decode.h"
#include "analyzer/sort.h"

#include <errno.h>
#include <stdlib.h>

static int sort_ops(struct xs_op *ops, size_t count)
{
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	int rc;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){ops[i].start_ns, (uint32_t)i};
	rc = xs_keys_sort(keys, count);
	if (!rc)
		xs_keys_apply(keys, count, ops, sizeof(*ops));
	free(keys);
	return rc;
}

static int sort_calls(struct xs_trace *trace)
{
	struct xs_key *keys = malloc((trace->call_count + 1) * sizeof(*keys));
	int rc;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < trace->call_count; i++)
		keys[i] =
		    (struct xs_key){trace->calls[i].start_ns, (uint32_t)i};
	rc = xs_keys_sort(keys, trace->call_count);
	if (!rc)
		xs_keys_apply(keys, trace->call_count, trace->calls,
			      sizeof(*trace->calls));
	free(keys);
	return rc;
}

/* The call of that thread that began then, or XS_NONE. */
static uint32_t call_that_began(const struct xs_trace *trace, uint32_t thread,
				uint64_t start_ns)
{
	size_t low = 0, high = trace->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (trace->calls[middle].start_ns < start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (;
	     low < trace->call_count && trace->calls[low].start_ns == start_ns;
	     low++)
		if (trace->calls[low].thread == thread)
			return (uint32_t)low;
	return XS_NONE;
}

static int by_fault_call(const void *a, const void *b)
{
	const struct xs_faults *x = a, *y = b;

	return (x->call > y->call) - (x->call < y->call);
}

static int by_content_call(const void *a, const void *b)
{
	const struct xs_content *x = a, *y = b;

	return (x->call > y->call) - (x->call < y->call);
}

/* What more is known of copies: by the thread and start of the copy. */
static void join_details(struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->fault_count; i++) {
		struct xs_faults *faults = &trace->faults[i];

		faults->call =
		    call_that_began(trace, faults->thread, faults->start_ns);
	}
	for (size_t i = 0; i < trace->content_count; i++) {
		struct xs_content *content = &trace->contents[i];

		content->call =
		    call_that_began(trace, content->thread, content->start_ns);
	}
	if (trace->fault_count)
		qsort(trace->faults, trace->fault_count, sizeof(*trace->faults),
		      by_fault_call);
	if (trace->content_count)
		qsort(trace->contents, trace->content_count,
		      sizeof(*trace->contents), by_content_call);
}

/* The calls that have a correlation, by correlation and then by start. */
static struct xs_key *calls_by_correlation(const struct xs_trace *trace,
					   size_t *count)
{
	struct xs_key *keys = malloc((trace->call_count + 1) * sizeof(*keys));

	if (!keys)
		return NULL;
	*count = 0;
	for (size_t i = 0; i < trace->call_count; i++)
		if (trace->calls[i].correlation != 0)
			keys[(*count)++] = (struct xs_key){
			    trace->calls[i].correlation, (uint32_t)i};
	if (xs_keys_sort(keys, *count)) {
		free(keys);
		return NULL;
	}
	return keys;
}

/* Is the keyed call at or before the op, by correlation and then by start? */
static bool comes_before(const struct xs_trace *trace, const struct xs_key *key,
			 const struct xs_op *op)
{
	if (key->key != op->correlation)
		return key->key < op->correlation;
	return trace->calls[key->index].start_ns <= op->start_ns;
}

/*
 * How many keys come before the op. Ops come in about the order of their
 * calls, so the search spreads out from where the last one ended.
 */
static size_t keys_before(const struct xs_trace *trace,
			  const struct xs_key *keys, size_t count, size_t from,
			  const struct xs_op *op)
{
	size_t low = from, high = from, step = 1;

	while (low > 0 && !comes_before(trace, &keys[low - 1], op)) {
		high = low - 1;
		low = low > step ? low - step : 0;
		step *= 2;
	}
	if (low == from) {
		high = low;
		while (high < count && comes_before(trace, &keys[high], op)) {
			low = high + 1;
			high = count - high > step ? high + step : count;
			step *= 2;
		}
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (comes_before(trace, &keys[middle], op))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * The call of an op: of those with its correlation (ids wrap at 32 bits) the
 * nearest in time. before: how many keys come before the op.
 */
static uint32_t nearest_call(const struct xs_trace *trace,
			     const struct xs_key *keys, size_t count,
			     size_t before, const struct xs_op *op)
{
	uint32_t best = XS_NONE;

	if (before > 0 && keys[before - 1].key == op->correlation)
		best = keys[before - 1].index;
	if (before < count && keys[before].key == op->correlation) {
		uint32_t next = keys[before].index;

		if (best == XS_NONE ||
		    distance(trace->calls[next].start_ns, op->start_ns) <
			distance(trace->calls[best].start_ns, op->start_ns))
			best = next;
	}
	return best;
}

int xs_trace_join(struct xs_trace *trace)
{
	struct xs_key *keys;
	size_t count = 0, before = 0;
	int rc = sort_ops(trace->ops, trace->op_count);

	if (!rc)
		rc = sort_ops(trace->migrations, trace->migration_count);
	if (!rc)
		rc = sort_calls(trace);
	if (rc)
		return rc;
	join_details(trace);
	keys = calls_by_correlation(trace, &count);
	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < trace->op_count; i++) {
		struct xs_op *op = &trace->ops[i];

		if (op->correlation == 0)
			continue;
		before = keys_before(trace, keys, count, before, op);
		op->call = nearest_call(trace, keys, count, before, op);
		if (op->call != XS_NONE)
			trace->ops_matched++;
	}
	free(keys);
	return xs_capture_mark(trace);
}
