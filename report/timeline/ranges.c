/* SPDX-License-Identifier: MIT */
#include "report/timeline/ranges.h"

#include "analyzer/util/sort.h"
#include "report/result/number.h"
#include "report/timeline/lane_names.h"

#include <stdlib.h>
#include <string.h>

/* Ranges of the process are those of thread 0. */
static uint64_t owner_of(const struct xs_nvtx *range)
{
	return range->process ? 0 : range->thread;
}

static void add_range(struct xs_timeline_texts *texts, struct xs_lanes *lanes,
		      const struct xs_nvtx *range, unsigned depth)
{
	const uint64_t begin_ns = texts->trace->begin_ns;
	const struct xs_result_slice slice = {
	    .start_ns = range->start_ns > begin_ns
			    ? xs_number_bounded(range->start_ns - begin_ns)
			    : 0,
	    .end_ns = range->end_ns > begin_ns
			  ? xs_number_bounded(range->end_ns - begin_ns)
			  : 0,
	    .name = xs_timeline_range_name(texts, range),
	};

	xs_lanes_add(
	    lanes,
	    xs_timeline_range_lane(lanes, range->thread, range->process, depth),
	    &slice);
}

/* The first depth at which no range runs; the last one takes all others. */
static unsigned depth_of(const struct xs_nvtx *range, const uint64_t *end_ns)
{
	unsigned depth = 0;

	while (depth < XS_LANES_DEPTHS - 1 && end_ns[depth] > range->start_ns)
		depth++;
	return depth;
}

void xs_timeline_ranges_add(struct xs_timeline_texts *texts,
			    struct xs_lanes *lanes)
{
	const struct xs_trace *trace = texts->trace;
	const size_t count = trace->nvtx_count;
	struct xs_key *keys = malloc((count + 1) * sizeof(*keys));
	uint64_t end_ns[XS_LANES_DEPTHS] = {0};

	for (size_t i = 0; keys && i < count; i++)
		keys[i] =
		    (struct xs_key){owner_of(&trace->nvtx[i]), (uint32_t)i};
	if (!keys || xs_keys_sort(keys, count)) {
		lanes->arena->failed = true;
		free(keys);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct xs_nvtx *range = &trace->nvtx[keys[i].index];
		unsigned depth;

		if (i > 0 && keys[i].key != keys[i - 1].key)
			memset(end_ns, 0, sizeof(end_ns));
		depth = depth_of(range, end_ns);
		if (range->end_ns > end_ns[depth])
			end_ns[depth] = range->end_ns;
		add_range(texts, lanes, range, depth);
	}
	free(keys);
}
