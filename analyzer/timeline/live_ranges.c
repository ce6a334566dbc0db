/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/live_ranges.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Memory lives from the return of its allocation to the start of its free. */
static uint64_t effect_ns(const struct xs_call *call)
{
	return xs_call_allocates(call->call_class) ? call->end_ns
						   : call->start_ns;
}

/* With several devices, the trace does not show which one was reset. */
static bool has_effect(const struct xs_trace *trace, const struct xs_call *call)
{
	if (call->error)
		return false;
	if (call->call_class == XS_CALL_RESET)
		return trace->device_count <= 1;
	return call->dst != 0 && (xs_call_allocates(call->call_class) ||
				  xs_call_frees(call->call_class));
}

void xs_live_ranges_begin(const struct xs_trace *trace,
			  struct xs_live_ranges *ranges)
{
	struct xs_key *keys = xs_calloc(trace->call_count + 1, sizeof(*keys));
	size_t count = 0;

	*ranges = (struct xs_live_ranges){.trace = trace};
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (has_effect(trace, call))
			keys[count++] =
			    (struct xs_key){effect_ns(call), (uint32_t)i};
	}
	xs_keys_sort(keys, count);
	ranges->events = xs_malloc((count + 1) * sizeof(uint32_t));
	ranges->items = xs_malloc((count + 1) * sizeof(*ranges->items));
	for (size_t i = 0; i < count; i++)
		ranges->events[i] = keys[i].index;
	ranges->event_count = count;
	free(keys);
}

/* Ranges in the tree are disjoint: of any order, at most one is equal. */
static int compare(const void *a, const void *b)
{
	const struct xs_live_range *left = a, *right = b;

	return left->end <= right->begin ? -1 : left->begin >= right->end;
}

/* Returns a live range that overlaps, or NULL. */
static struct xs_live_range *overlap(const struct xs_live_ranges *ranges,
				     const struct xs_live_range *range)
{
	struct xs_live_range *const *found =
	    tfind(range, &ranges->tree, compare);

	return found ? *found : NULL;
}

static struct xs_live_range *find(const struct xs_live_ranges *ranges,
				  uint64_t address)
{
	return overlap(ranges, &(struct xs_live_range){.begin = address,
						       .end = address + 1});
}

static uint64_t device_bytes(const struct xs_live_ranges *ranges,
			     const struct xs_live_range *range)
{
	return ranges->trace->calls[range->call].call_class ==
		       XS_CALL_ALLOC_DEVICE
		   ? range->end - range->begin
		   : 0;
}

static void put(struct xs_live_ranges *ranges, struct xs_live_range *range)
{
	if (range->end <= range->begin)
		return;
	ranges->device_bytes += device_bytes(ranges, range);
	if (!tsearch(range, &ranges->tree, compare))
		xs_no_memory();
}

static void take_out(struct xs_live_ranges *ranges,
		     const struct xs_live_range *range)
{
	ranges->device_bytes -= device_bytes(ranges, range);
	tdelete(range, &ranges->tree, compare);
}

/* Its ranges are owned by the items. */
static void keep(void *range)
{
	(void)range;
}

static void drop_all(struct xs_live_ranges *ranges)
{
	tdestroy(ranges->tree, keep);
	ranges->tree = NULL;
	ranges->device_bytes = 0;
}

static const char *function_of(const struct xs_trace *trace,
			       const struct xs_call *call)
{
	return call->site < trace->site_count
		   ? trace->strings[trace->sites[call->site].function]
		   : "";
}

uint32_t xs_live_range_maker(const struct xs_trace *trace,
			     const struct xs_live_range *range)
{
	const char *name =
	    range ? function_of(trace, &trace->calls[range->call]) : "";

	return strncmp(name, "cudaMalloc", 10) == 0 ||
		       strncmp(name, "cuMemAlloc", 10) == 0
		   ? range->call
		   : XS_NONE;
}

bool xs_call_maps(const struct xs_trace *trace, const struct xs_call *call)
{
	const char *name = function_of(trace, call);

	return strcmp(name, "cuMemMap") == 0 || strcmp(name, "cuMemUnmap") == 0;
}

bool xs_trace_reads_symbols(const struct xs_trace *trace)
{
	static const char name[] = "cudaMemcpyFromSymbol";

	for (size_t i = 0; i < trace->site_count; i++)
		if (strncmp(trace->strings[trace->sites[i].function], name,
			    sizeof(name) - 1) == 0)
			return true;
	return false;
}

static bool is_mapped(const struct xs_live_ranges *ranges,
		      const struct xs_live_range *range)
{
	return xs_call_maps(ranges->trace, &ranges->trace->calls[range->call]);
}

/* Takes a range out of those that live. If both are mapped, it becomes a part
 * of the other: an array may reach over several mappings. */
static void take(struct xs_live_ranges *ranges,
		 const struct xs_live_range *taken, struct xs_live_range *range)
{
	take_out(ranges, taken);
	if (!is_mapped(ranges, taken) || !is_mapped(ranges, range))
		return;
	if (taken->begin < range->begin) {
		range->begin = taken->begin;
		range->call = taken->call;
	}
	if (taken->end > range->end)
		range->end = taken->end;
}

/* Takes the memory that was mapped right before or after it, if any. */
static void take_mapped(struct xs_live_ranges *ranges, uint64_t beside,
			struct xs_live_range *range)
{
	const struct xs_live_range *other = find(ranges, beside);

	if (other && is_mapped(ranges, other))
		take(ranges, other, range);
}

/* Older memory that overlaps was freed by a call that is not in the trace; of
 * what was mapped piece by piece, only the pieces that are mapped again. */
static void add(struct xs_live_ranges *ranges, uint32_t index)
{
	const struct xs_call *call = &ranges->trace->calls[index];
	struct xs_live_range *range = &ranges->items[ranges->next];
	const struct xs_live_range *other;

	*range = (struct xs_live_range){call->dst, call->dst + call->bytes,
					index, (uint32_t)ranges->next};
	if (range->end <= range->begin)
		return;
	while ((other = overlap(ranges, range)))
		take(ranges, other, range);
	if (is_mapped(ranges, range)) {
		take_mapped(ranges, range->begin - 1, range);
		take_mapped(ranges, range->end, range);
	}
	put(ranges, range);
}

/* Unmapping may end a part of what was mapped. The parts before and after it
 * stay live; the part after it is stored in the item of the unmapping call. */
static void cut(struct xs_live_ranges *ranges, const struct xs_call *call,
		struct xs_live_range *range)
{
	struct xs_live_range *rest = &ranges->items[ranges->next];

	*rest = *range;
	rest->number = (uint32_t)ranges->next;
	rest->begin = call->bytes < range->end - call->dst
			  ? call->dst + call->bytes
			  : range->end;
	take_out(ranges, range);
	range->end = call->dst;
	put(ranges, range);
	put(ranges, rest);
}

static void drop(struct xs_live_ranges *ranges, const struct xs_call *call)
{
	struct xs_live_range *range = find(ranges, call->dst);

	if (range && is_mapped(ranges, range)) {
		cut(ranges, call, range);
		return;
	}
	if (range && range->begin == call->dst)
		take_out(ranges, range);
}

static void apply(struct xs_live_ranges *ranges, uint32_t index)
{
	const struct xs_call *call = &ranges->trace->calls[index];

	if (xs_call_allocates(call->call_class)) {
		add(ranges, index);
		return;
	}
	if (call->call_class != XS_CALL_RESET) {
		drop(ranges, call);
		return;
	}
	drop_all(ranges);
}

const struct xs_call *xs_live_ranges_next(const struct xs_live_ranges *ranges,
					  uint64_t *at_ns)
{
	const struct xs_call *call;

	if (ranges->next >= ranges->event_count)
		return NULL;
	call = &ranges->trace->calls[ranges->events[ranges->next]];
	*at_ns = effect_ns(call);
	return call;
}

void xs_live_ranges_apply_next(struct xs_live_ranges *ranges)
{
	apply(ranges, ranges->events[ranges->next]);
	ranges->next++;
}

void xs_live_ranges_advance(struct xs_live_ranges *ranges, uint64_t at_ns)
{
	uint64_t next_ns;

	while (xs_live_ranges_next(ranges, &next_ns) && next_ns <= at_ns)
		xs_live_ranges_apply_next(ranges);
}

const struct xs_live_range *
xs_live_ranges_find(const struct xs_live_ranges *ranges, uint64_t address)
{
	return find(ranges, address);
}

void xs_live_ranges_free(struct xs_live_ranges *ranges)
{
	drop_all(ranges);
	free(ranges->events);
	free(ranges->items);
	*ranges = (struct xs_live_ranges){0};
}
