/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/setup_calls.h"

#include "analyzer/sampling/sampling.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Gaps between rounds in which a call site made or ended something. */
struct seen {
	uint32_t gap; /* last one; 0: none */
	bool again;   /* it was not the first one */
	/* of the rounds that were alone in their thread: */
	uint64_t first_end_ns, last_begin_ns;
};

struct extender {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	struct seen *sites;
	uint32_t gaps; /* seen so far */
	bool extends;  /* in the second pass */
};

/* Calls of one thread between two rounds, or before or after its only one (then
 * the other is NULL): positions in rounds->calls. */
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

/* Returns whether the round begins after one of the others ended, or ends
 * before one began. Threads come by their ids, not by time. */
static bool are_apart(const struct seen *others, const struct xs_round *round)
{
	return round->begin_ns >= others->first_end_ns ||
	       round->end_ns <= others->last_begin_ns;
}

/* only: the only round of the thread, or NULL. */
static void note_sites(struct extender *e, const struct gap *gap,
		       const struct xs_round *only)
{
	for (uint32_t i = gap->first; i < gap->end; i++) {
		const struct xs_call *call = call_at(e, i);
		struct seen *seen;

		if (!is_setup(call))
			continue;
		seen = &e->sites[call->site];
		seen->again |= seen->gap != 0 && seen->gap != e->gaps &&
			       (!only || are_apart(seen, only));
		if (only && (!seen->gap || only->end_ns < seen->first_end_ns))
			seen->first_end_ns = only->end_ns;
		if (only && only->begin_ns > seen->last_begin_ns)
			seen->last_begin_ns = only->begin_ns;
		seen->gap = e->gaps;
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
	if (before && end > gap->first) {
		const uint64_t end_ns = call_at(e, end - 1)->end_ns;

		before->call_count = end - before->first_call;
		if (end_ns > before->end_ns)
			before->end_ns = end_ns;
	}
	if (after && made < gap->end) {
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
	       xs_in_one_window(e->trace, first->start_ns, second->start_ns);
}

/* Returns the round's thread, or XS_NONE if it has no calls. */
static uint32_t thread_of(const struct extender *e,
			  const struct xs_round *round)
{
	return round->call_count ? call_at(e, round->first_call)->thread
				 : XS_NONE;
}

/* Returns whether no other round is of the thread of round i. */
static bool is_alone(const struct extender *e, size_t i)
{
	const struct xs_round *rounds = e->rounds->items;
	const uint32_t thread = thread_of(e, &rounds[i]);

	return !xs_trace_is_sampled(e->trace) &&
	       (i == 0 || thread_of(e, &rounds[i - 1]) != thread) &&
	       (i + 1 == e->rounds->count ||
		thread_of(e, &rounds[i + 1]) != thread);
}

/*
 * Takes what a thread makes before its only round, and ends after it, as calls
 * between rounds if another round that was alone in its thread ended before it
 * began, or began after it: what the first made could have been kept.
 */
static void visit_thread(struct extender *e, struct xs_round *round)
{
	const uint32_t thread = thread_of(e, round);
	const uint32_t last = round->first_call + round->call_count;
	struct gap head = {round->first_call, round->first_call, NULL, round};
	struct gap tail = {last, last, round, NULL};

	while (head.first > 0 && call_at(e, head.first - 1)->thread == thread)
		head.first--;
	while (tail.end < e->trace->call_count &&
	       call_at(e, tail.end)->thread == thread)
		tail.end++;
	if (e->extends) {
		extend(e, &tail);
		extend(e, &head);
		return;
	}
	e->gaps++;
	note_sites(e, &head, round);
	note_sites(e, &tail, round);
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
			e->gaps++;
			if (e->extends)
				extend(e, &gap);
			else
				note_sites(e, &gap, NULL);
		} else if (is_alone(e, i)) {
			visit_thread(e, round);
		}
		if (last > end) {
			end = last;
			before = round;
		}
	}
}

void xs_rounds_add_setup_calls(const struct xs_trace *trace,
			       struct xs_rounds *rounds)
{
	struct extender e = {
	    .trace = trace,
	    .rounds = rounds,
	    .sites = xs_calloc(trace->site_count + 1, sizeof(*e.sites))};

	visit_gaps(&e);
	e.extends = true;
	visit_gaps(&e);
	free(e.sites);
}
