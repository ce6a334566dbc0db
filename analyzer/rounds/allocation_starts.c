/* SPDX-License-Identifier: MIT */
/* Copies whose memory is the start of an allocation: two copies of adjacent
 * memory may then be of two arrays. */
#include "analyzer/rounds/allocation_starts.h"

#include "analyzer/timeline/live_ranges.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

static bool is_start(const struct xs_live_ranges *ranges, uint64_t address)
{
	const struct xs_live_range *range =
	    xs_live_ranges_find(ranges, address);

	return range && range->begin == address;
}

void xs_allocation_starts_find(const struct xs_trace *trace, uint8_t **starts)
{
	uint8_t *flags = xs_calloc(trace->call_count + 1, sizeof(*flags));
	struct xs_live_ranges ranges;

	xs_live_ranges_begin(trace, &ranges);
	*starts = flags;
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->call_class != XS_CALL_COPY &&
		    call->call_class != XS_CALL_COPY_ASYNC)
			continue;
		xs_live_ranges_advance(&ranges, call->start_ns);
		if (is_start(&ranges, call->src))
			flags[i] |= XS_SRC_STARTS;
		if (is_start(&ranges, call->dst))
			flags[i] |= XS_DST_STARTS;
	}
	xs_live_ranges_free(&ranges);
}
