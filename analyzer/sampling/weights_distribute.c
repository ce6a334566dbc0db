/* SPDX-License-Identifier: MIT */
#include "analyzer/sampling/weights.h"

#include "analyzer/util/hash.h"

const struct xs_weight_level xs_weight_levels[XS_WEIGHTS_LAST + 1] = {
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

uint64_t xs_weights_key(const struct xs_weight_builder *b,
			const struct xs_weight_level *level, uint32_t site,
			unsigned size, unsigned direction)
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

static bool is_any_size(const struct xs_weight_rest *rest)
{
	return rest->size == 0;
}

/* Sorts the keys of one level. Returns their number. Indices from group_count
 * on are rests. */
static size_t sort_level(struct xs_weight_builder *b, unsigned number)
{
	const struct xs_weight_level *level = &xs_weight_levels[number];
	size_t count = 0;

	for (size_t i = 0; i < b->group_count; i++) {
		const struct xs_weight_group *g = &b->groups[i];

		if (g->used_calls > 0 && !(level->uncounted && g->counted))
			b->keys[count++] = (struct xs_key){
			    xs_weights_key(b, level, g->site, g->size,
					   g->direction),
			    (uint32_t)i};
	}
	for (size_t i = 0; i < b->rest_count; i++) {
		const struct xs_weight_rest *r = &b->rests[i];

		if ((r->calls > 0 || r->bytes > 0) && number <= r->last_level &&
		    is_any_size(r) == level->any_size)
			b->keys[count++] = (struct xs_key){
			    xs_weights_key(b, level, r->site, r->size,
					   r->direction),
			    (uint32_t)(b->group_count + i)};
	}
	xs_keys_sort(b->keys, count);
	return count;
}

/* Groups and rests with one key. */
struct bucket {
	struct xs_weight_builder *b;
	const struct xs_key *keys;
	size_t count;
};

static struct xs_weight_group *group_at(const struct bucket *k, size_t i)
{
	return k->keys[i].index < k->b->group_count
		   ? &k->b->groups[k->keys[i].index]
		   : NULL;
}

static struct xs_weight_rest *unrecorded_at(const struct bucket *k, size_t i)
{
	return &k->b->rests[k->keys[i].index - k->b->group_count];
}

static double used_of(const struct xs_weight_group *group, bool bytes)
{
	return bytes ? group->used_bytes : group->used_calls;
}

/* Returns the calls or bytes that the bucket's groups would stand for if the
 * program went on at the rate of their windows. */
static double expect(const struct bucket *k, bool bytes)
{
	double sum = 0;

	for (size_t i = 0; i < k->count; i++) {
		const struct xs_weight_group *g = group_at(k, i);

		if (g)
			sum +=
			    k->b->extrapolation[g->window] * used_of(g, bytes);
	}
	return sum;
}

/* Returns the unrecorded calls or bytes of the bucket, and sets them to 0. */
static double take_unrecorded(const struct bucket *k, bool bytes)
{
	double sum = 0;

	for (size_t i = 0; i < k->count; i++) {
		double *left;

		if (group_at(k, i))
			continue;
		left = bytes ? &unrecorded_at(k, i)->bytes
			     : &unrecorded_at(k, i)->calls;
		sum += *left;
		*left = 0;
	}
	return sum;
}

/* Distributes the bucket's unrecorded calls or bytes over its groups: in
 * proportion to their expected numbers, or evenly if none are expected. */
static void distribute(const struct bucket *k, bool bytes)
{
	const double expected = expect(k, bytes);
	double rest, used = 0;

	for (size_t i = 0; i < k->count; i++)
		if (group_at(k, i))
			used += used_of(group_at(k, i), bytes);
	if (used <= 0)
		return;
	rest = take_unrecorded(k, bytes);
	for (size_t i = 0; i < k->count; i++) {
		struct xs_weight_group *g = group_at(k, i);
		double weight;

		if (!g || used_of(g, bytes) <= 0)
			continue;
		weight = expected > 0
			     ? rest * k->b->extrapolation[g->window] / expected
			     : rest / used;
		if (bytes)
			g->byte_weight += weight;
		else
			g->call_weight += weight;
	}
}

static void distribute_level(struct xs_weight_builder *b, unsigned number)
{
	const size_t count = sort_level(b, number);

	for (size_t first = 0, end; first < count; first = end) {
		struct bucket bucket = {.b = b, .keys = b->keys + first};

		for (end = first;
		     end < count && b->keys[end].key == b->keys[first].key;
		     end++)
			;
		bucket.count = end - first;
		distribute(&bucket, false);
		distribute(&bucket, true);
	}
}

void xs_weights_distribute(struct xs_weight_builder *b)
{
	for (unsigned level = 0; level <= XS_WEIGHTS_LAST; level++) {
		distribute_level(b, level);
		for (size_t i = 0; level == 0 && i < b->rest_count; i++)
			b->rests[i].unrecorded_kind_calls = b->rests[i].calls;
		for (size_t i = 0;
		     level == XS_WEIGHTS_LAST_OF_PLACE && i < b->rest_count;
		     i++)
			b->rests[i].unrecorded_site_calls = b->rests[i].calls;
	}
}
