/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/setup_calls.h"

#include "analyzer/sampling/sampling.h"

#include <errno.h>
#include <stdlib.h>

/* Gaps between rounds in which a call site made or ended something. */
struct seen {
	uint32_t gap; /* last one; 0: none */
	bool again;   /* it was not the first one */
};

struct extender {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	struct seen *sites;
	uint32_t gaps; /* seen so far */
	bool extends;  /* in the second pass */
};

/* Calls of one thread after a round, before the next one: positions in
 * rounds->calls. */
struct gap {
	uint32_t first, end;
	struct xs_round *before, *after; /* NULL: none */
};

bool xs_call_makes(uint8_t call_class)
{
	return call_class == XS_CALL_ALLOC_DEVICE ||
	       call_class == XS_CALL_ALLOC_PINNED ||
	       call_class == XS_CALL_REGISTER ||
	       call_class == XS_CALL_STREAM_CREATE;
}

bool xs_call_unmakes(uint8_t call_class)
{
	return call_class == XS_CALL_FREE_DEVICE ||
	       call_class == XS_CALL_FREE_PINNED ||
	       call_class == XS_CALL_UNREGISTER ||
	       call_class == XS_CALL_STREAM_DESTROY;
}

static const struct xs_call *call_at(const struct extender *e,
				     uint32_t position)
{
	return &e->trace->calls[e->rounds->calls[position]];
}

static bool is_setup(const struct xs_call *call)
{
	return call->error == 0 && call->site != XS_NONE &&
	       (xs_call_makes(call->call_class) ||
		xs_call_unmakes(call->call_class));
}

static void note_sites(struct extender *e, const struct gap *gap)
{
	const uint32_t number = ++e->gaps;

	for (uint32_t i = gap->first; i < gap->end; i++) {
		const struct xs_call *call = call_at(e, i);
		struct seen *seen;

		if (!is_setup(call))
			continue;
		seen = &e->sites[call->site];
		seen->again |= seen->gap != 0 && seen->gap != number;
		seen->gap = number;
	}
}

static bool is_repeated(const struct extender *e, const struct xs_call *call)
{
	return is_setup(call) && e->sites[call->site].again;
}

/* What is made before a thread's first round belongs to the program's start. */
static void extend(const struct extender *e, const struct gap *gap)
{
	uint32_t made, end = gap->first;

	for (made = gap->first; made < gap->end; made++) {
		const struct xs_call *call = call_at(e, made);

		if (is_repeated(e, call) && xs_call_makes(call->call_class))
			break;
		if (is_repeated(e, call))
			end = made + 1;
	}
	if (gap->before && end > gap->first) {
		struct xs_round *round = gap->before;

		round->call_count = end - round->first_call;
		round->end_ns = call_at(e, end - 1)->end_ns;
	}
	if (gap->before && gap->after && made < gap->end) {
		struct xs_round *round = gap->after;

		round->call_count += round->first_call - made;
		round->first_call = made;
		round->begin_ns = call_at(e, made)->start_ns;
	}
}

/* Whether both calls, neighbours in rounds->calls, are of one thread and one
 * sample window. */
static bool are_together(const struct extender *e, uint32_t a, uint32_t b)
{
	const struct xs_call *first = call_at(e, a), *second = call_at(e, b);

	return first->thread == second->thread &&
	       (!xs_trace_is_sampled(e->trace) ||
		xs_window_of(e->trace, first->start_ns) ==
		    xs_window_of(e->trace, second->start_ns));
}

/* Visits the calls from position `first` to `end`, in gaps of one thread and
 * window each. */
static void visit_gaps(struct extender *e, struct xs_round *before,
		       uint32_t first, uint32_t end, struct xs_round *after)
{
	for (uint32_t begin = first; begin < end;) {
		struct gap gap = {.first = begin, .end = begin + 1};

		while (gap.end < end && are_together(e, gap.end - 1, gap.end))
			gap.end++;
		if (begin == first && begin > 0 &&
		    are_together(e, begin - 1, begin))
			gap.before = before;
		if (after && gap.end == end && are_together(e, end - 1, end))
			gap.after = after;
		if (e->extends)
			extend(e, &gap);
		else
			note_sites(e, &gap);
		begin = gap.end;
	}
}

/* Visits all gaps. Rounds are in the order of their first calls; those of other
 * devices of a thread may lie inside each other, without a gap. */
static void visit_rounds(struct extender *e)
{
	struct xs_rounds *rounds = e->rounds;
	struct xs_round *before = NULL;
	uint32_t end = 0; /* of all rounds so far */

	for (size_t i = 0; i < rounds->count; i++) {
		struct xs_round *round = &rounds->items[i];
		const uint32_t last = round->first_call + round->call_count;

		if (!round->call_count)
			continue;
		visit_gaps(e, before, end, round->first_call, round);
		if (last > end) {
			end = last;
			before = round;
		}
	}
	visit_gaps(e, before, end, (uint32_t)e->trace->call_count, NULL);
}

int xs_rounds_add_setup_calls(const struct xs_trace *trace,
			      struct xs_rounds *rounds)
{
	struct extender e = {
	    .trace = trace,
	    .rounds = rounds,
	    .sites = calloc(trace->site_count + 1, sizeof(*e.sites))};

	if (!e.sites)
		return -ENOMEM;
	visit_rounds(&e);
	e.extends = true;
	visit_rounds(&e);
	free(e.sites);
	return 0;
}
