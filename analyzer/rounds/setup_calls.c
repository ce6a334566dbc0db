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

/* Calls of one thread between two rounds: positions in rounds->calls. */
struct gap {
	uint32_t first, end;
	struct xs_round *before, *after;
};

bool xs_call_makes(uint8_t call_class)
{
	return xs_call_allocates(call_class) ||
	       call_class == XS_CALL_STREAM_CREATE;
}

bool xs_call_unmakes(uint8_t call_class)
{
	return xs_call_frees(call_class) ||
	       call_class == XS_CALL_STREAM_DESTROY;
}

bool xs_call_frees_at_once(const struct xs_call *call)
{
	return xs_call_unmakes(call->call_class) && !call->stream &&
	       call->call_class != XS_CALL_STREAM_DESTROY;
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

static void extend(const struct extender *e, const struct gap *gap)
{
	struct xs_round *before = gap->before, *after = gap->after;
	uint32_t made, end = gap->first;

	for (made = gap->first; made < gap->end; made++) {
		const struct xs_call *call = call_at(e, made);

		if (is_repeated(e, call) && xs_call_makes(call->call_class))
			break;
		if (is_repeated(e, call))
			end = made + 1;
	}
	if (end > gap->first) {
		const uint64_t end_ns = call_at(e, end - 1)->end_ns;

		before->call_count = end - before->first_call;
		if (end_ns > before->end_ns)
			before->end_ns = end_ns;
	}
	if (made < gap->end) {
		after->call_count += after->first_call - made;
		after->first_call = made;
		after->begin_ns = call_at(e, made)->start_ns;
	}
}

/* Returns whether both calls are of one thread and one sample window. */
static bool are_together(const struct extender *e, uint32_t a, uint32_t b)
{
	const struct xs_call *first = call_at(e, a), *second = call_at(e, b);

	return first->thread == second->thread &&
	       (!xs_trace_is_sampled(e->trace) ||
		xs_window_of(e->trace, first->start_ns) ==
		    xs_window_of(e->trace, second->start_ns));
}

/* Visits all gaps. Rounds are in the order of their first calls; those of other
 * devices of a thread may lie inside each other, without a gap. */
static void visit_gaps(struct extender *e)
{
	struct xs_rounds *rounds = e->rounds;
	struct xs_round *before = NULL;
	uint32_t end = 0; /* of all rounds so far */

	for (size_t i = 0; i < rounds->count; i++) {
		struct xs_round *round = &rounds->items[i];
		const struct gap gap = {end, round->first_call, before, round};
		const uint32_t last = round->first_call + round->call_count;

		if (!round->call_count)
			continue;
		if (before && gap.first < gap.end &&
		    are_together(e, gap.first - 1, gap.end)) {
			if (e->extends)
				extend(e, &gap);
			else
				note_sites(e, &gap);
		}
		if (last > end) {
			end = last;
			before = round;
		}
	}
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
	visit_gaps(&e);
	e.extends = true;
	visit_gaps(&e);
	free(e.sites);
	return 0;
}
