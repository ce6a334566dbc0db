/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/allocations.h"

#include "analyzer/timeline/live_ranges.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

static bool is_of_device(const struct xs_call *call)
{
	return call->call_class == XS_CALL_ALLOC_DEVICE ||
	       call->call_class == XS_CALL_FREE_DEVICE ||
	       call->call_class == XS_CALL_RESET;
}

static void follow(struct xs_live_ranges *ranges, struct xs_allocations *out)
{
	const struct xs_call *call;
	uint64_t at_ns;

	while ((call = xs_live_ranges_next(ranges, &at_ns))) {
		xs_live_ranges_apply_next(ranges);
		if (!is_of_device(call))
			continue;
		out->at_ns[out->count] = at_ns;
		out->bytes[out->count++] = ranges->device_bytes;
	}
}

void xs_allocations_build(const struct xs_trace *trace,
			  struct xs_allocations *out)
{
	struct xs_live_ranges ranges;
	size_t room;

	xs_live_ranges_begin(trace, &ranges);
	room = ranges.event_count + 1;

	*out = (struct xs_allocations){
	    .at_ns = xs_calloc(room, sizeof(*out->at_ns)),
	    .bytes = xs_calloc(room, sizeof(*out->bytes))};
	follow(&ranges, out);
	xs_live_ranges_free(&ranges);
}

void xs_allocations_free(struct xs_allocations *allocations)
{
	free(allocations->at_ns);
	free(allocations->bytes);
	*allocations = (struct xs_allocations){0};
}

/* Returns the number of events up to and including a time. */
static size_t events_until(const struct xs_allocations *allocations,
			   uint64_t ns)
{
	size_t low = 0, high = allocations->count;

	XS_BISECT(low, high, i, allocations->at_ns[i] <= ns);
	return low;
}

bool xs_allocations_peak(const struct xs_allocations *allocations,
			 uint64_t from_ns, uint64_t to_ns, uint64_t *bytes)
{
	const size_t first = events_until(allocations, from_ns);
	const size_t end = events_until(allocations, to_ns);

	*bytes = 0;
	/* the level at from_ns was set by the event before */
	for (size_t i = first ? first - 1 : 0; i < end; i++)
		if (allocations->bytes[i] > *bytes)
			*bytes = allocations->bytes[i];
	return end > 0;
}
