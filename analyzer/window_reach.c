/* SPDX-License-Identifier: MIT */
#include "analyzer/sampling.h"

#include <errno.h>
#include <stdlib.h>

/* From the first to the last of a window's calls. */
struct span {
	uint64_t begin_ns, end_ns; /* end 0: it has none */
};

static void find_spans(const struct xs_trace *trace, struct span *spans)
{
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		struct span *span = &spans[xs_window_of(trace, call->start_ns)];

		if (span->end_ns == 0)
			span->begin_ns = call->start_ns;
		if (span->end_ns < call->end_ns)
			span->end_ns = call->end_ns;
	}
}

/* What was counted after the last window with calls: until the one that waits
 * for more, where there is one. */
static double tail_ns(const struct xs_trace *trace, size_t window,
		      uint64_t from_ns)
{
	const size_t last = trace->window_count;
	uint64_t until_ns = trace->end_ns;

	if (trace->windows[window - 1].end_ns == UINT64_MAX)
		return 0;
	if (window < last)
		until_ns = trace->windows[last - 1].begin_ns;
	return until_ns > from_ns ? (double)(until_ns - from_ns) : 0;
}

int xs_window_reaches(const struct xs_trace *trace, double *reach)
{
	size_t count = trace->window_count + 1;
	struct span *spans = calloc(count, sizeof(*spans));
	size_t before = count;

	if (!spans)
		return -ENOMEM;
	find_spans(trace, spans);
	for (size_t i = 0; i < count; i++) {
		uint64_t from_ns = before < count ? spans[before].end_ns
				   : trace->begins_counted ? trace->begin_ns
							   : UINT64_MAX;
		double gap_ns;

		if (spans[i].end_ns == 0)
			continue;
		gap_ns = from_ns < spans[i].begin_ns
			     ? (double)(spans[i].begin_ns - from_ns)
			     : 0;
		if (before < count)
			reach[before] += gap_ns / 2;
		reach[i] = before < count ? gap_ns / 2 : gap_ns;
		before = i;
	}
	if (before > 0 && before < count)
		reach[before] += tail_ns(trace, before, spans[before].end_ns);
	free(spans);
	return 0;
}
