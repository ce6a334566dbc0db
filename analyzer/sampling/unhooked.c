/* SPDX-License-Identifier: MIT */
/*
 * Estimates the number of unhooked calls after light mode has ended its use of
 * CUPTI. Light mode does so once it has recorded enough; from then on calls
 * that pass no hook are not seen.
 *
 * The second half of the recorded calls contains no new kinds of calls, so the
 * rest of the run is assumed to be like this half. The ratio of later calls to
 * calls in this half is that of the hooked calls of the same process, if there
 * are enough of them, else that of the times.
 */
#include "analyzer/sampling/sampling.h"
#include "analyzer/sampling/weights.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* With so many hooked calls the ratio has an error of 6 % (one standard
 * deviation). */
#define ENOUGH_HOOKED 256

struct estimate {
	struct xs_trace *trace;
	struct xs_key *keys; /* space for one key per site, call and tally */
	size_t first;	     /* first call of the second half */
	double growth;	     /* calls after the window per call in that half */
};

/* One kind of calls: place, size and direction. */
struct kind {
	double calls, bytes; /* recorded in the second half */
	double counted;	     /* after it, before CUPTI was detached */
	uint32_t site;
	uint8_t size, direction;
};

static uint64_t key_of(const struct estimate *e,
		       const struct xs_weight_level *level, uint32_t site,
		       unsigned size, unsigned direction)
{
	const struct xs_weight_builder builder = {.trace = e->trace};

	return xs_weights_key(&builder, level, site, size, direction);
}

/* A place has several sites if it has several callers: if one is unhooked,
 * marks all of them. */
static void mark_places(const struct estimate *e)
{
	static const struct xs_weight_level by_place = {.place = true};
	struct xs_site *sites = e->trace->sites;
	const size_t count = e->trace->site_count;

	for (size_t i = 0; i < count; i++)
		e->keys[i] = (struct xs_key){
		    key_of(e, &by_place, (uint32_t)i, 0, 0), (uint32_t)i};
	xs_keys_sort(e->keys, count);
	for (size_t i = 0, end; i < count; i = end) {
		bool unhooked = false;

		for (end = i; end < count && e->keys[end].key == e->keys[i].key;
		     end++)
			unhooked |= sites[e->keys[end].index].unhooked;
		for (size_t j = i; j < end; j++)
			sites[e->keys[j].index].unhooked = unhooked;
	}
}

/* Returns whether the site is hooked and issues work. Others are not compared:
 * the number of waits and queries may vary. */
static bool is_hooked_work(const struct xs_site *site)
{
	return !site->unhooked && xs_call_issues(site->call_class);
}

static void find_growth(struct estimate *e)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_window *last = &trace->windows[trace->window_count - 1];
	const uint64_t from_ns = trace->calls[e->first].start_ns;
	double recorded = 0, counted = 0;

	for (size_t i = e->first; i < trace->call_count; i++)
		recorded += is_hooked_work(&trace->sites[trace->calls[i].site]);
	for (size_t i = 0; i < trace->tally_count; i++)
		if (is_hooked_work(&trace->sites[trace->tallies[i].site]))
			counted += (double)trace->tallies[i].calls;
	if (recorded >= ENOUGH_HOOKED)
		e->growth = counted / recorded;
	else if (last->end_ns > from_ns)
		e->growth = (double)trace->counted_ns /
			    (double)(last->end_ns - from_ns);
}

/* Collects the keys of unhooked calls and tallies; returns how many. The index
 * of a tally follows those of all calls. */
static size_t collect(const struct estimate *e)
{
	const struct xs_trace *trace = e->trace;
	size_t count = 0;

	for (size_t i = e->first; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (trace->sites[call->site].unhooked)
			e->keys[count++] = (struct xs_key){
			    key_of(e, &xs_weight_levels[0], call->site,
				   xs_tally_size(call->bytes),
				   xs_call_direction(call)),
			    (uint32_t)i};
	}
	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];

		if (trace->sites[tally->site].unhooked)
			e->keys[count++] = (struct xs_key){
			    key_of(e, &xs_weight_levels[0], tally->site,
				   tally->size, tally->direction),
			    (uint32_t)(trace->call_count + i)};
	}
	return count;
}

static void add_to_kind(const struct estimate *e, uint32_t index,
			struct kind *kind)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_call *call;

	if (index >= trace->call_count) {
		kind->counted +=
		    (double)trace->tallies[index - trace->call_count].calls;
		return;
	}
	call = &trace->calls[index];
	kind->calls++;
	kind->bytes += (double)call->bytes;
	kind->site = call->site;
	kind->size = xs_tally_size(call->bytes);
	kind->direction = xs_call_direction(call);
}

static void add_tally(const struct estimate *e, const struct kind *kind)
{
	struct xs_trace *trace = e->trace;
	const double calls = kind->calls * e->growth - kind->counted;

	if (kind->calls < 1 || calls < 0.5)
		return;
	const struct xs_tally tally = {
	    .site = kind->site,
	    .size = kind->size,
	    .direction = kind->direction,
	    .estimated = true,
	    .calls = xs_weighted(1, calls),
	    .bytes = xs_weighted(1, kind->bytes / kind->calls * calls),
	};

	XS_ARRAY_ADD(trace->tallies, trace->tally_count, tally);
}

static void add_tallies(const struct estimate *e)
{
	const size_t count = collect(e);

	xs_keys_sort(e->keys, count);
	for (size_t i = 0, end; i < count; i = end) {
		struct kind kind = {0};

		for (end = i; end < count && e->keys[end].key == e->keys[i].key;
		     end++)
			add_to_kind(e, e->keys[end].index, &kind);
		add_tally(e, &kind);
	}
}

void xs_unhooked_estimate(struct xs_trace *trace)
{
	struct estimate e = {.trace = trace, .first = trace->call_count / 2};
	size_t most =
	    trace->site_count + trace->call_count + trace->tally_count;

	if (!trace->hooked_from_ns || !trace->call_count ||
	    !trace->window_count)
		return;
	while (e.first + 1 < trace->call_count &&
	       xs_window_of(trace, trace->calls[e.first].start_ns) <
		   trace->window_count)
		e.first++;
	e.keys = xs_calloc(most, sizeof(*e.keys));
	mark_places(&e);
	find_growth(&e);
	add_tallies(&e);
	free(e.keys);
}
