/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/nvtx_nesting.h"

#include "analyzer/util/bisect.h"

#include <errno.h>
#include <stdlib.h>

/* A damaged trace must not take long. */
#define MOST_DEPTH 1000

static void find_outer(const struct xs_trace *trace,
		       struct xs_nvtx_nesting *out)
{
	for (size_t i = 0; i < out->count; i++) {
		const uint64_t end_ns =
		    trace->nvtx[out->ranges[i].index].end_ns;
		uint32_t outer = XS_NONE;

		if (i > 0 && out->ranges[i - 1].key == out->ranges[i].key)
			outer = (uint32_t)i - 1;
		while (outer != XS_NONE &&
		       trace->nvtx[out->ranges[outer].index].end_ns < end_ns)
			outer = out->outer[outer];
		out->outer[i] = outer;
	}
}

int xs_nvtx_nesting_build(const struct xs_trace *trace,
			  struct xs_nvtx_nesting *out)
{
	const size_t count = trace->nvtx_count;

	*out = (struct xs_nvtx_nesting){
	    .ranges = malloc((count + 1) * sizeof(*out->ranges)),
	    .outer = malloc((count + 1) * sizeof(*out->outer))};
	if (!out->ranges || !out->outer)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!trace->nvtx[i].process)
			out->ranges[out->count++] =
			    (struct xs_key){trace->nvtx[i].thread, (uint32_t)i};
	xs_keys_sort(out->ranges, out->count);
	find_outer(trace, out);
	return 0;
}

void xs_nvtx_nesting_free(struct xs_nvtx_nesting *nesting)
{
	free(nesting->ranges);
	free(nesting->outer);
	*nesting = (struct xs_nvtx_nesting){0};
}

/* The calls that issued a round's ops: the thread of the first one, and the
 * starts of the first and the last one. False if none is known. */
struct issued {
	uint32_t thread;
	uint64_t from_ns, to_ns;
};

static bool find_issued(const struct xs_phase_members *m,
			const struct xs_round *round, struct issued *out)
{
	bool any = false;

	for (uint32_t i = 0; i < round->op_count; i++) {
		const uint32_t index =
		    m->trace->ops[xs_round_op(m->rounds, round, i)].call;
		const struct xs_call *call;

		if (index == XS_NONE)
			continue;
		call = &m->trace->calls[index];
		if (!any || call->start_ns < out->from_ns) {
			out->from_ns = call->start_ns;
			out->thread = call->thread;
		}
		if (!any || call->start_ns > out->to_ns)
			out->to_ns = call->start_ns;
		any = true;
	}
	return any;
}

/* Returns the innermost range around the calls, or NULL. */
static const struct xs_nvtx *around(const struct xs_nvtx_nesting *nesting,
				    const struct xs_trace *trace,
				    const struct issued *issued)
{
	const struct xs_key *ranges = nesting->ranges;
	size_t low = 0, high = nesting->count;
	uint32_t place;

	XS_BISECT(
	    low, high, i,
	    ranges[i].key < issued->thread ||
		(ranges[i].key == issued->thread &&
		 trace->nvtx[ranges[i].index].start_ns <= issued->from_ns));
	place = low ? (uint32_t)low - 1 : XS_NONE;
	if (place == XS_NONE || nesting->ranges[place].key != issued->thread)
		return NULL;
	for (int depth = 0; place != XS_NONE && depth < MOST_DEPTH; depth++) {
		const struct xs_nvtx *range =
		    &trace->nvtx[nesting->ranges[place].index];

		if (range->end_ns >= issued->to_ns)
			return range;
		place = nesting->outer[place];
	}
	return NULL;
}

static const struct xs_nvtx *range_of(const struct xs_nvtx_nesting *nesting,
				      const struct xs_phase_members *m,
				      size_t i)
{
	struct issued issued = {0};

	return find_issued(m, xs_phase_member(m, i), &issued)
		   ? around(nesting, m->trace, &issued)
		   : NULL;
}

static bool same(const struct xs_nvtx *a, const struct xs_nvtx *b)
{
	return a && b ? a->name == b->name && a->domain == b->domain : a == b;
}

/* The name that most rounds have is the only one that can be left after each
 * name has been set off against another one (Boyer and Moore 1991). */
void xs_nvtx_nesting_find(const struct xs_nvtx_nesting *nesting,
			  const struct xs_phase_members *m,
			  struct xs_phase *phase)
{
	const struct xs_nvtx *most = NULL, *range;
	size_t left = 0, rounds = 0;

	for (size_t i = 0; i < m->count; i++) {
		range = range_of(nesting, m, i);
		if (!left)
			most = range;
		left = same(range, most) ? left + 1 : left - 1;
	}
	for (size_t i = 0; most && i < m->count; i++)
		rounds += same(range_of(nesting, m, i), most);
	if (rounds <= m->count / 2)
		return;
	phase->nvtx_name = most->name;
	phase->nvtx_domain = most->domain;
	phase->nvtx_rounds = rounds;
}
