/* SPDX-License-Identifier: MIT */
/*
 * First joins iterations that wait between their kernels, found as equal
 * sequences of rounds (mark_iterations). Then joins rounds that always follow
 * the same kind of round (mark_followers), in passes: joined rounds may be of
 * one kind that were of two.
 */
#include "analyzer/rounds/join_rounds.h"

#include "analyzer/rounds/phase.h"
#include "analyzer/util/hash.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* The recorded programs take at most 2 passes over followers. With more, a
 * trace could make the time the square of its rounds. */
#define MOST_PASSES 16

/* Rounds with the same ops. */
struct kind {
	uint32_t follows;    /* times that one directly follows a round */
	uint32_t next;	     /* kind of the round that follows, or XS_NONE */
	uint32_t before;     /* kind of the round before, or XS_NONE */
	bool first;	     /* one copies data in, or follows no round */
	bool behind;	     /* one follows a round that does not copy in */
	bool before_varies;  /* they follow different kinds */
	bool next_varies;    /* different kinds follow, or once none */
	bool decided, joins; /* whether they join those before */
};

struct joiner {
	const struct xs_trace *trace;
	struct xs_rounds *rounds;
	uint32_t *kind_of; /* by round */
	struct kind *kinds;
	uint32_t *joined; /* by round: its new number */
};

static bool copies_in(const struct xs_round *round)
{
	return round->h2d_bytes > XS_ARGUMENT_BYTES;
}

static const struct xs_call *first_call(const struct joiner *j, size_t i)
{
	return &j->trace
		    ->calls[j->rounds->calls[j->rounds->items[i].first_call]];
}

/* Returns whether round i directly follows the one before it: in the same
 * thread, on the same device. */
static bool follows(const struct joiner *j, size_t i)
{
	const struct xs_round *round;

	if (i == 0 || i >= j->rounds->count)
		return false;
	round = &j->rounds->items[i];
	return round->call_count > 0 && round[-1].call_count > 0 &&
	       round->device == round[-1].device &&
	       first_call(j, i)->thread == first_call(j, i - 1)->thread;
}

/* Returns whether round i or the one before it is incomplete. */
static bool is_cut(const struct joiner *j, size_t i)
{
	const struct xs_round *items = j->rounds->items;

	return (i < j->rounds->count && items[i].partial) ||
	       (i > 0 && items[i - 1].partial);
}

/* Numbers the kinds of rounds. */
static void number_kinds(struct joiner *j)
{
	const size_t count = j->rounds->count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));
	uint32_t kind = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){
		    xs_hash_mix(j->rounds->items[i].key,
				copies_in(&j->rounds->items[i])),
		    (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		kind += i > 0 && keys[i].key != keys[i - 1].key;
		j->kind_of[keys[i].index] = kind;
	}
	free(keys);
}

/* Notes that the kind follows round i - 1. */
static void note_before(const struct joiner *j, struct kind *kind, size_t i)
{
	const uint32_t before = j->kind_of[i - 1];

	kind->follows++;
	kind->behind |= !copies_in(&j->rounds->items[i - 1]);
	kind->before_varies |=
	    kind->before != XS_NONE && kind->before != before;
	kind->before = before;
}

/* Notes that the kind of round i - 1 is followed by that of round i. */
static void note_neighbours(struct joiner *j, size_t i)
{
	const struct xs_round *items = j->rounds->items;
	const bool pair = follows(j, i);
	struct kind *kind;

	if (is_cut(j, i))
		return;
	if (i > 0) {
		const uint32_t next = pair ? j->kind_of[i] : XS_NONE;

		kind = &j->kinds[j->kind_of[i - 1]];
		kind->next_varies |=
		    !pair || (kind->next != XS_NONE && kind->next != next);
		kind->next = next;
	}
	if (i < j->rounds->count) {
		kind = &j->kinds[j->kind_of[i]];
		kind->first |= copies_in(&items[i]) || !pair;
		if (pair)
			note_before(j, kind, i);
	}
}

static void note_all_neighbours(struct joiner *j)
{
	const size_t count = j->rounds->count;

	for (size_t i = 0; i < count; i++)
		j->kinds[j->kind_of[i]] =
		    (struct kind){.next = XS_NONE, .before = XS_NONE};
	for (size_t i = 0; i <= count; i++)
		note_neighbours(j, i);
}

/* Rounds join those that copy in, or that join such rounds themselves: an
 * iteration of many rounds takes one pass. Kinds are decided in the order in
 * which they occur, so the kind before was decided before. */
static void decide_kind(struct joiner *j, struct kind *kind)
{
	const struct kind *before;

	if (kind->decided)
		return;
	kind->decided = true;
	if (kind->first || kind->follows <= 1)
		return;
	before = &j->kinds[kind->before];
	kind->joins = !kind->behind || (!kind->before_varies && before->joins &&
					!before->next_varies);
}

static bool is_follower(const struct joiner *j, size_t i)
{
	return j->kinds[j->kind_of[i]].joins && !is_cut(j, i) &&
	       !j->kinds[j->kind_of[i - 1]].next_varies &&
	       (j->joined[i - 1] || copies_in(&j->rounds->items[i - 1]));
}

static void mark_followers(struct joiner *j)
{
	for (size_t i = 0; i < j->rounds->count; i++) {
		decide_kind(j, &j->kinds[j->kind_of[i]]);
		j->joined[i] = is_follower(j, i);
	}
}

static void join(struct xs_round *into, const struct xs_round *round)
{
	if (round->end_ns > into->end_ns)
		into->end_ns = round->end_ns;
	into->key += round->key;
	into->memory += round->memory;
	into->h2d_bytes += round->h2d_bytes;
	into->d2h_bytes += round->d2h_bytes;
	into->op_count += round->op_count;
	into->call_count =
	    round->first_call + round->call_count - into->first_call;
}

/* Joins to the round before it each round of which j->joined says so. Returns
 * whether there was one. */
static bool join_all(struct joiner *j, uint32_t *round_of_op)
{
	struct xs_round *items = j->rounds->items;
	const size_t count = j->rounds->count;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (j->joined[i])
			join(&items[kept - 1], &items[i]);
		else
			items[kept++] = items[i];
		j->joined[i] = (uint32_t)kept - 1;
	}
	j->rounds->count = kept;
	for (size_t i = 0; i < j->trace->op_count; i++)
		round_of_op[i] = j->joined[round_of_op[i]];
	return kept < count;
}

/* Returns the round after those of an iteration that begins with round i and
 * waits between its kernels: the first one copies in, the last one out, and
 * those between neither. i: it is no such iteration. Stores its hash. */
static size_t iteration_end(const struct joiner *j, size_t i, uint64_t *hash)
{
	const struct xs_round *items = j->rounds->items;
	size_t end = i;

	*hash = 0;
	if (!copies_in(&items[i]) || items[i].d2h_bytes || items[i].partial)
		return i;
	do
		*hash = xs_hash_mix(*hash, items[end++].key);
	while (follows(j, end) && !items[end].partial &&
	       !copies_in(&items[end]) && !items[end - 1].d2h_bytes);
	return items[end - 1].d2h_bytes ? end : i;
}

/* Sets for each round whether it belongs to the iteration of the round before,
 * of which there are others that are equal. */
static void mark_iterations(struct joiner *j)
{
	const size_t count = j->rounds->count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));
	size_t found = 0, end;
	uint64_t hash;

	for (size_t i = 0; i < count; i++) {
		j->joined[i] = false;
		if (iteration_end(j, i, &hash) > i)
			keys[found++] = (struct xs_key){hash, (uint32_t)i};
	}
	xs_keys_sort(keys, found);
	for (size_t k = 0; k < found; k++) {
		if ((k == 0 || keys[k - 1].key != keys[k].key) &&
		    (k + 1 == found || keys[k + 1].key != keys[k].key))
			continue;
		end = iteration_end(j, keys[k].index, &hash);
		for (size_t i = keys[k].index + 1; i < end; i++)
			j->joined[i] = true;
	}
	free(keys);
}

void xs_rounds_join(const struct xs_trace *trace, struct xs_rounds *rounds,
		    uint32_t *round_of_op)
{
	const size_t count = rounds->count + 1;
	struct joiner j = {.trace = trace,
			   .rounds = rounds,
			   .kind_of = xs_malloc(count * sizeof(uint32_t)),
			   .kinds = xs_malloc(count * sizeof(*j.kinds)),
			   .joined = xs_malloc(count * sizeof(uint32_t))};

	mark_iterations(&j);
	join_all(&j, round_of_op);
	for (unsigned pass = 0; pass < MOST_PASSES; pass++) {
		number_kinds(&j);
		note_all_neighbours(&j);
		mark_followers(&j);
		if (!join_all(&j, round_of_op))
			break;
	}
	free(j.kind_of);
	free(j.kinds);
	free(j.joined);
}
