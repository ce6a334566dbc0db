/* SPDX-License-Identifier: MIT */
#include "analyzer/sampling/sampling.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* The first 1/64 of the calls of the first window set the program up: they are
 * not part of its rate. */
#define SET_UP 64

struct span {
	uint64_t begin_ns, end_ns; /* end_ns 0: no calls */
};

static void find_calls(const struct xs_trace *trace, struct span *spans)
{
	XS_EACH(call, trace->calls, trace->call_count) {
		struct span *span = &spans[xs_window_of(trace, call->start_ns)];

		if (span->end_ns == 0)
			span->begin_ns = call->start_ns;
		if (span->end_ns < call->end_ns)
			span->end_ns = call->end_ns;
	}
}

/* Returns the time after the set-up calls of the first window that has calls.
 */
static uint64_t set_up_ns(const struct xs_trace *trace, size_t window)
{
	size_t first = 0, end;

	while (xs_window_of(trace, trace->calls[first].start_ns) != window)
		first++;
	end = first;
	while (end < trace->call_count &&
	       xs_window_of(trace, trace->calls[end].start_ns) == window)
		end++;
	return trace->calls[first + (end - first) / SET_UP].start_ns;
}

/*
 * A span reaches from a window's begin to its end. The first window begins with
 * its calls, and a window that the run ends in ends with its calls: the time
 * before and after is not part of the rate.
 */
static void find_spans(const struct xs_trace *trace, struct span *spans)
{
	find_calls(trace, spans);
	for (size_t i = 1; i <= trace->window_count; i++) {
		const struct xs_window *window = &trace->windows[i - 1];

		if (spans[i].end_ns == 0)
			continue;
		spans[i].begin_ns = i > 1 || trace->begins_counted
					? window->begin_ns
					: set_up_ns(trace, i);
		if (window->end_ns != UINT64_MAX &&
		    window->end_ns > spans[i].begin_ns)
			spans[i].end_ns = window->end_ns;
	}
}

/* Returns the counted time after the last window with calls, up to a later
 * empty window if there is one. */
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

void xs_window_extrapolate(const struct xs_trace *trace, double *extrapolation)
{
	size_t count = trace->window_count + 1;
	struct span *spans = xs_calloc(count, sizeof(*spans));
	size_t before = count;

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
			extrapolation[before] += gap_ns / 2;
		extrapolation[i] = before < count ? gap_ns / 2 : gap_ns;
		before = i;
	}
	if (before > 0 && before < count)
		extrapolation[before] +=
		    tail_ns(trace, before, spans[before].end_ns);
	for (size_t i = 0; i < count; i++)
		if (spans[i].end_ns > spans[i].begin_ns)
			extrapolation[i] /=
			    (double)(spans[i].end_ns - spans[i].begin_ns);
	free(spans);
}
