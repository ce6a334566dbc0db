/* SPDX-License-Identifier: MIT */
/*
 * What was counted is of calls like those that were recorded: of the same
 * place, size and direction, and where none of these was recorded, of what is
 * most like them.
 */
#include "analyzer/sampling.h"

#include "analyzer/idents.h"
#include "analyzer/sort.h"

#include <errno.h>
#include <stdlib.h>

/* Calls of one kind in one window, whoever called; all weigh the same. */
struct group {
	uint32_t site; /* of one of them */
	uint32_t window;
	uint32_t kind; /* the same in all windows */
	uint8_t size, direction;
	bool counted;		       /* so were calls of its place */
	double calls, bytes;	       /* recorded */
	double kept_calls, kept_bytes; /* and used */
	double call_weight, byte_weight;
};

/* What was counted, or recorded and not used; less what is made up for. */
struct rest {
	uint32_t site;
	uint8_t size, direction;
	unsigned last_level; /* that may make up for it */
	double calls, bytes;
};

/* What a rest and the groups that stand for it have in common: the function,
 * and what is set here. */
struct level {
	bool place, size, direction;
	bool any_size;	/* is for rests that do not tell sizes apart */
	bool uncounted; /* groups of which nothing was counted by place */
};

static const struct level levels[] = {
    {.place = true, .size = true, .direction = true},
    {.place = true, .direction = true},
    {.place = true, .any_size = true},
    {.size = true, .direction = true, .uncounted = true},
    {.size = true, .direction = true},
    {.direction = true, .uncounted = true},
    {.direction = true},
    {.any_size = true, .uncounted = true},
    {.any_size = true},
};

#define LEVELS	      (sizeof(levels) / sizeof(*levels))
#define LAST_OF_PLACE 2u

struct builder {
	const struct xs_trace *trace;
	const bool *kept;   /* by call; NULL: all */
	double *reach;	    /* by window: xs_window_reaches() */
	double *in_window;  /* by window; of the bucket at hand */
	uint32_t *group_of; /* by call */
	struct group *groups;
	size_t group_count;
	struct rest *rests;
	size_t rest_count;
	struct xs_key *keys; /* room for one of each of all these */
};

static uint64_t key_of(const struct builder *b, const struct level *level,
		       uint32_t site, unsigned size, unsigned direction)
{
	const struct xs_site *s = &b->trace->sites[site];
	uint64_t key = xs_hash_mix(0, s->function);

	if (level->place)
		key = xs_hash_mix(xs_hash_mix(key, s->module), s->offset);
	if (level->size)
		key = xs_hash_mix(key, size);
	if (level->direction)
		key = xs_hash_mix(key, direction);
	return key;
}

static bool is_copy(uint8_t call_class)
{
	return call_class == XS_CALL_COPY || call_class == XS_CALL_COPY_ASYNC;
}

static uint8_t direction_of(const struct xs_call *call)
{
	if (call->error || !is_copy(call->call_class))
		return XS_DIR_UNKNOWN;
	return xs_tally_direction(call->direction);
}

static void add_to_group(struct builder *b, uint32_t index, bool first)
{
	const struct xs_call *call = &b->trace->calls[index];
	struct group *group;

	if (first)
		b->groups[b->group_count++] = (struct group){
		    .site = call->site,
		    .window = (uint32_t)xs_window_of(b->trace, call->start_ns),
		    .size = xs_tally_size(call->bytes),
		    .direction = direction_of(call),
		    .call_weight = 1,
		    .byte_weight = 1,
		};
	b->group_of[index] = (uint32_t)b->group_count - 1;
	group = &b->groups[b->group_count - 1];
	group->calls++;
	group->bytes += (double)call->bytes;
	if (b->kept && !b->kept[index])
		return;
	group->kept_calls++;
	group->kept_bytes += (double)call->bytes;
}

static int group_calls(struct builder *b)
{
	const struct xs_trace *trace = b->trace;
	int rc;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];
		uint64_t key =
		    key_of(b, &levels[0], call->site,
			   xs_tally_size(call->bytes), direction_of(call));

		b->keys[i] = (struct xs_key){
		    xs_hash_mix(key, xs_window_of(trace, call->start_ns)),
		    (uint32_t)i};
	}
	rc = xs_keys_sort(b->keys, trace->call_count);
	for (size_t i = 0; !rc && i < trace->call_count; i++)
		add_to_group(b, b->keys[i].index,
			     i == 0 || b->keys[i].key != b->keys[i - 1].key);
	return rc;
}

/* Calls were recorded and not used: others of their kind make up for them. */
static void add_unused(struct builder *b)
{
	for (size_t i = 0; i < b->group_count; i++) {
		const struct group *group = &b->groups[i];

		if (group->calls == group->kept_calls)
			continue;
		b->rests[b->rest_count++] = (struct rest){
		    .site = group->site,
		    .size = group->size,
		    .direction = group->direction,
		    .last_level = 0,
		    .calls = group->calls - group->kept_calls,
		    .bytes = group->bytes - group->kept_bytes,
		};
	}
}

/* Rounds of a phase do not stand for places that are in none. */
static void add_tallies(struct builder *b)
{
	const struct xs_trace *trace = b->trace;

	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];
		bool of_place = trace->sites[tally->site].module != XS_NONE;

		b->rests[b->rest_count++] = (struct rest){
		    .site = tally->site,
		    .size = tally->size,
		    .direction = tally->direction,
		    .last_level =
			b->kept && of_place ? LAST_OF_PLACE : LEVELS - 1,
		    .calls = (double)tally->calls,
		    .bytes = (double)tally->bytes,
		};
	}
}

static bool is_any_size(const struct rest *rest)
{
	return rest->size == 0;
}

/* The keys of one level: of groups, and behind their numbers of rests. */
static int sort_level(struct builder *b, unsigned number, size_t *count)
{
	const struct level *level = &levels[number];

	*count = 0;
	for (size_t i = 0; i < b->group_count; i++) {
		const struct group *g = &b->groups[i];

		if (g->kept_calls > 0 && !(level->uncounted && g->counted))
			b->keys[(*count)++] = (struct xs_key){
			    key_of(b, level, g->site, g->size, g->direction),
			    (uint32_t)i};
	}
	for (size_t i = 0; i < b->rest_count; i++) {
		const struct rest *r = &b->rests[i];

		if ((r->calls > 0 || r->bytes > 0) && number <= r->last_level &&
		    is_any_size(r) == level->any_size)
			b->keys[(*count)++] = (struct xs_key){
			    key_of(b, level, r->site, r->size, r->direction),
			    (uint32_t)(b->group_count + i)};
	}
	return xs_keys_sort(b->keys, *count);
}

/* Groups and rests of one key. */
struct bucket {
	struct builder *b;
	const struct xs_key *keys;
	size_t count;
};

static struct group *group_at(const struct bucket *k, size_t i)
{
	return k->keys[i].index < k->b->group_count
		   ? &k->b->groups[k->keys[i].index]
		   : NULL;
}

static struct rest *rest_at(const struct bucket *k, size_t i)
{
	return &k->b->rests[k->keys[i].index - k->b->group_count];
}

static double kept_of(const struct group *group, bool bytes)
{
	return bytes ? group->kept_bytes : group->kept_calls;
}

/* By window, what the bucket's groups have in it. Returns how long the windows
 * reach that have any. */
static double add_up_windows(const struct bucket *k, bool bytes)
{
	struct builder *b = k->b;
	double reach = 0;

	for (size_t i = 0; i < k->count; i++)
		if (group_at(k, i))
			b->in_window[group_at(k, i)->window] = 0;
	for (size_t i = 0; i < k->count; i++) {
		const struct group *g = group_at(k, i);

		if (!g || kept_of(g, bytes) <= 0)
			continue;
		if (b->in_window[g->window] == 0)
			reach += b->reach[g->window];
		b->in_window[g->window] += kept_of(g, bytes);
	}
	return reach;
}

/* The calls, or bytes, of the bucket's rests, which are made up for now. */
static double take_rests(const struct bucket *k, bool bytes)
{
	double sum = 0;

	for (size_t i = 0; i < k->count; i++) {
		double *left;

		if (group_at(k, i))
			continue;
		left = bytes ? &rest_at(k, i)->bytes : &rest_at(k, i)->calls;
		sum += *left;
		*left = 0;
	}
	return sum;
}

/* Lets the groups of the bucket stand for its rests: each window for its part
 * of the run, or where none has any, all for the same. */
static void spread(const struct bucket *k, bool bytes)
{
	const double reach = add_up_windows(k, bytes);
	double rest, kept = 0;

	for (size_t i = 0; i < k->count; i++)
		if (group_at(k, i))
			kept += kept_of(group_at(k, i), bytes);
	if (kept <= 0)
		return;
	rest = take_rests(k, bytes);
	for (size_t i = 0; i < k->count; i++) {
		struct group *g = group_at(k, i);
		double weight;

		if (!g || kept_of(g, bytes) <= 0)
			continue;
		weight = reach > 0 ? rest * k->b->reach[g->window] / reach /
					 k->b->in_window[g->window]
				   : rest / kept;
		if (bytes)
			g->byte_weight += weight;
		else
			g->call_weight += weight;
	}
}

static int spread_level(struct builder *b, unsigned number)
{
	size_t count;
	int rc = sort_level(b, number, &count);

	for (size_t first = 0, end; !rc && first < count; first = end) {
		struct bucket bucket = {.b = b, .keys = b->keys + first};

		for (end = first;
		     end < count && b->keys[end].key == b->keys[first].key;
		     end++)
			;
		bucket.count = end - first;
		spread(&bucket, false);
		spread(&bucket, true);
	}
	return rc;
}

/* Marks the groups at whose places something was counted. */
static int mark_counted(struct builder *b)
{
	static const struct level by_place = {.place = true};
	const struct xs_trace *trace = b->trace;
	size_t count = 0;
	bool counted = false;
	int rc;

	/* of equal keys those of tallies come first: the sort is stable */
	for (size_t i = 0; i < trace->tally_count; i++)
		b->keys[count++] = (struct xs_key){
		    key_of(b, &by_place, trace->tallies[i].site, 0, 0),
		    UINT32_MAX};
	for (size_t i = 0; i < b->group_count; i++)
		b->keys[count++] = (struct xs_key){
		    key_of(b, &by_place, b->groups[i].site, 0, 0), (uint32_t)i};
	rc = xs_keys_sort(b->keys, count);
	for (size_t i = 0; !rc && i < count; i++) {
		counted = b->keys[i].index == UINT32_MAX ||
			  (counted && b->keys[i].key == b->keys[i - 1].key);
		if (b->keys[i].index != UINT32_MAX)
			b->groups[b->keys[i].index].counted = counted;
	}
	return rc;
}

/* Numbers what is one kind in all windows. */
static int number_kinds(struct builder *b, struct xs_weights *weights)
{
	int rc;

	for (size_t i = 0; i < b->group_count; i++) {
		const struct group *g = &b->groups[i];

		b->keys[i] = (struct xs_key){
		    key_of(b, &levels[0], g->site, g->size, g->direction),
		    (uint32_t)i};
	}
	rc = xs_keys_sort(b->keys, b->group_count);
	for (size_t i = 0; !rc && i < b->group_count; i++) {
		weights->kind_count +=
		    i == 0 || b->keys[i].key != b->keys[i - 1].key;
		b->groups[b->keys[i].index].kind =
		    (uint32_t)weights->kind_count - 1;
	}
	return rc;
}

static void fill(const struct builder *b, struct xs_weights *weights)
{
	for (size_t i = 0; i < b->trace->call_count; i++) {
		const struct group *g = &b->groups[b->group_of[i]];

		weights->calls[i] = g->call_weight;
		weights->bytes[i] =
		    g->kept_bytes > 0 ? g->byte_weight : g->call_weight;
		weights->kinds[i] = g->kind;
	}
}

/* What of the counted copies no record tells of. */
static void find_unseen(const struct builder *b, struct xs_weights *weights)
{
	const struct xs_trace *trace = b->trace;

	for (size_t i = 0; i < trace->tally_count; i++) {
		const struct xs_tally *tally = &trace->tallies[i];
		const struct xs_site *site = &trace->sites[tally->site];

		if (is_copy(site->call_class) &&
		    tally->direction == XS_DIR_UNKNOWN &&
		    (tally->size || site->module == XS_NONE))
			weights->unsure_bytes += (double)tally->bytes;
	}
	for (size_t i = 0; i < b->rest_count; i++) {
		const struct rest *rest = &b->rests[i];

		if (rest->direction < XS_WEIGHT_DIRECTIONS) {
			weights->unseen_calls[rest->direction] += rest->calls;
			weights->unseen_bytes[rest->direction] += rest->bytes;
		}
	}
}

static int build(struct builder *b, struct xs_weights *weights)
{
	const struct xs_trace *trace = b->trace;
	const size_t most = 2 * trace->call_count + trace->tally_count + 1;
	int rc = -ENOMEM;

	b->reach = calloc(trace->window_count + 1, sizeof(*b->reach));
	b->in_window = calloc(trace->window_count + 1, sizeof(*b->in_window));
	b->group_of = calloc(most, sizeof(*b->group_of));
	b->groups = calloc(most, sizeof(*b->groups));
	b->rests = calloc(most, sizeof(*b->rests));
	b->keys = calloc(2 * most, sizeof(*b->keys));
	weights->calls = calloc(most, sizeof(double));
	weights->bytes = calloc(most, sizeof(double));
	weights->kinds = calloc(most, sizeof(*weights->kinds));
	if (b->reach && b->in_window && b->group_of && b->groups && b->rests &&
	    b->keys && weights->calls && weights->bytes && weights->kinds)
		rc = xs_window_reaches(trace, b->reach);
	if (!rc)
		rc = group_calls(b);
	if (!rc)
		rc = mark_counted(b);
	if (!rc)
		rc = number_kinds(b, weights);
	if (rc)
		return rc;
	add_unused(b);
	add_tallies(b);
	for (unsigned level = 0; !rc && level < LEVELS; level++)
		rc = spread_level(b, level);
	fill(b, weights);
	find_unseen(b, weights);
	return rc;
}

int xs_weights_build(const struct xs_trace *trace, const bool *kept,
		     struct xs_weights *weights)
{
	struct builder builder = {.trace = trace, .kept = kept};
	int rc;

	*weights = (struct xs_weights){0};
	if (!xs_trace_is_sampled(trace))
		return 0;
	rc = build(&builder, weights);
	free(builder.reach);
	free(builder.in_window);
	free(builder.group_of);
	free(builder.groups);
	free(builder.rests);
	free(builder.keys);
	if (rc)
		xs_weights_free(weights);
	return rc;
}

void xs_weights_free(struct xs_weights *weights)
{
	free(weights->calls);
	free(weights->bytes);
	free(weights->kinds);
	*weights = (struct xs_weights){0};
}
