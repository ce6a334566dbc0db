/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/live_ranges.h"

#include "analyzer/util/sort.h"

#include <errno.h>
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

int xs_live_ranges_begin(const struct xs_trace *trace,
			 struct xs_live_ranges *ranges)
{
	struct xs_key *keys = malloc((trace->call_count + 1) * sizeof(*keys));
	size_t count = 0;
	int rc = keys ? 0 : -ENOMEM;

	*ranges = (struct xs_live_ranges){.trace = trace};
	for (size_t i = 0; !rc && i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (has_effect(trace, call))
			keys[count++] =
			    (struct xs_key){effect_ns(call), (uint32_t)i};
	}
	if (!rc)
		rc = xs_keys_sort(keys, count);
	if (!rc)
		ranges->events = malloc((count + 1) * sizeof(uint32_t));
	if (!rc && !ranges->events)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < count; i++)
		ranges->events[i] = keys[i].index;
	ranges->event_count = rc ? 0 : count;
	free(keys);
	return rc;
}

/* Returns the number of ranges that begin at or below an address. */
static size_t below(const struct xs_live_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop(struct xs_live_ranges *ranges, size_t first, size_t end)
{
	if (first == end)
		return;
	memmove(&ranges->items[first], &ranges->items[end],
		(ranges->count - end) * sizeof(*ranges->items));
	ranges->count -= end - first;
}

static int reserve(struct xs_live_ranges *ranges)
{
	const size_t room = 2 * ranges->room + 64;
	struct xs_live_range *items;

	if (ranges->count < ranges->room)
		return 0;
	items = realloc(ranges->items, room * sizeof(*items));
	if (!items)
		return -ENOMEM;
	ranges->items = items;
	ranges->room = room;
	return 0;
}

/* Older memory that overlaps was freed by a call that is not in the trace. */
static int add(struct xs_live_ranges *ranges, uint32_t index)
{
	const struct xs_call *call = &ranges->trace->calls[index];
	const uint64_t begin = call->dst, bytes = call->bytes;
	const uint64_t end = begin + bytes;
	size_t last, first;

	if (bytes == 0 || end < begin)
		return 0;
	last = below(ranges, end - 1);
	first = last;
	while (first > 0 && ranges->items[first - 1].end > begin)
		first--;
	drop(ranges, first, last);
	if (reserve(ranges))
		return -ENOMEM;
	memmove(&ranges->items[first + 1], &ranges->items[first],
		(ranges->count - first) * sizeof(*ranges->items));
	ranges->items[first] = (struct xs_live_range){begin, end, index};
	ranges->count++;
	return 0;
}

static int apply(struct xs_live_ranges *ranges, uint32_t index)
{
	const struct xs_call *call = &ranges->trace->calls[index];
	const size_t at = below(ranges, call->dst);

	if (xs_call_allocates(call->call_class))
		return add(ranges, index);
	if (call->call_class == XS_CALL_RESET)
		ranges->count = 0;
	else if (at > 0 && ranges->items[at - 1].begin == call->dst)
		drop(ranges, at - 1, at);
	return 0;
}

int xs_live_ranges_advance(struct xs_live_ranges *ranges, uint64_t at_ns)
{
	int rc = 0;

	for (; !rc && ranges->next < ranges->event_count; ranges->next++) {
		const uint32_t index = ranges->events[ranges->next];

		if (effect_ns(&ranges->trace->calls[index]) > at_ns)
			break;
		rc = apply(ranges, index);
	}
	return rc;
}

const struct xs_live_range *
xs_live_ranges_find(const struct xs_live_ranges *ranges, uint64_t address)
{
	const size_t at = below(ranges, address);

	return at > 0 && ranges->items[at - 1].end > address
		   ? &ranges->items[at - 1]
		   : NULL;
}

void xs_live_ranges_free(struct xs_live_ranges *ranges)
{
	free(ranges->events);
	free(ranges->items);
	*ranges = (struct xs_live_ranges){0};
}
