/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/host_gaps.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Threads that are told apart; calls of further ones do not count. */
#define THREADS_MAX 64

/* Below 1 / WANTED_PART of the longest site's time, a wanted one is not it. */
#define WANTED_PART 4

struct threads {
	struct {
		uint32_t id;
		uint64_t end_ns; /* of its last call */
	} items[THREADS_MAX];
	size_t count;
};

/* Returns when the thread's last call ended, UINT64_MAX if this is the first,
 * and remembers this one. */
static uint64_t last_end(struct threads *threads, const struct xs_call *call)
{
	uint64_t before_ns = UINT64_MAX;
	size_t i = 0;

	while (i < threads->count && threads->items[i].id != call->thread)
		i++;
	if (i == THREADS_MAX)
		return UINT64_MAX;
	if (i < threads->count)
		before_ns = threads->items[i].end_ns;
	else
		threads->items[threads->count++].id = call->thread;
	threads->items[i].end_ns = call->end_ns;
	return before_ns;
}

uint32_t xs_host_gap_longest(const struct xs_trace *trace, uint64_t from_ns,
			     uint64_t to_ns,
			     bool (*is_wanted)(const struct xs_trace *trace,
					       uint32_t site))
{
	uint64_t *sums = xs_calloc(trace->site_count + 1, sizeof(*sums));
	uint64_t window_ns = 0; /* begin of the current window */
	uint64_t last_ns = from_ns, apart_ns = 0;
	struct threads threads = {.count = 0};
	uint32_t longest = XS_NONE, wanted = XS_NONE;
	size_t window = 0;

	for (size_t i = 0; sums && i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		const uint64_t end_ns = last_end(&threads, call);

		while (window < trace->window_count &&
		       trace->windows[window].begin_ns <= call->start_ns)
			window_ns = trace->windows[window++].begin_ns;
		last_ns = call->end_ns > last_ns ? call->end_ns : last_ns;
		if (end_ns >= call->start_ns || end_ns < from_ns ||
		    call->start_ns > to_ns || call->site >= trace->site_count)
			continue;
		if (end_ns < window_ns) {
			apart_ns += call->start_ns - window_ns;
			continue;
		}
		sums[call->site] += call->start_ns - end_ns;
		if (longest == XS_NONE || sums[call->site] > sums[longest])
			longest = call->site;
		if ((wanted == XS_NONE || sums[call->site] > sums[wanted]) &&
		    (!is_wanted || is_wanted(trace, call->site)))
			wanted = call->site;
	}
	if (window && trace->windows[window - 1].end_ns < to_ns)
		to_ns = trace->windows[window - 1].end_ns;
	apart_ns += to_ns > last_ns ? to_ns - last_ns : 0;
	if (wanted != XS_NONE && (apart_ns > sums[wanted] ||
				  sums[wanted] < sums[longest] / WANTED_PART))
		wanted = XS_NONE;
	free(sums);
	return wanted;
}
