/* SPDX-License-Identifier: MIT */
#include "preload/callstack/callstack_cache.h"
#include "preload/util/hot.h"

#include <string.h>

#define LEVELS 8u

static bool is_of(const struct xs_callstack_cache_entry *stack,
		  const struct xs_callstack_cache_key *wanted)
{
	return stack->key.top == wanted->top &&
	       stack->key.address == wanted->address &&
	       stack->key.fn == wanted->fn &&
	       stack->key.caller == wanted->caller &&
	       stack->key.unloads == wanted->unloads &&
	       stack->key.counted == wanted->counted;
}

/* How many frames, from the nearest on, are as they were. Of the next one it is
 * known where on the stack its address lies, too. */
static unsigned count_same(const struct xs_callstack_cache_entry *stack)
{
	unsigned same = 0;

	while (same < stack->count &&
	       *stack->frames[same].stack == stack->frames[same].address)
		same++;
	return same;
}

/*
 * Stacks of one key may be many, as those of the launches in a loop. They are
 * in the set of the key, and where that is full, in one by what is different in
 * them from the first one there; and so on. told: what tells them so far; same:
 * the frames that are as in the first, which are not all.
 */
static uint64_t
tell(uint64_t told, const struct xs_callstack_cache_entry *first, unsigned same)
{
	return (told + same) * 31 + *first->frames[same].stack;
}

static unsigned set_of(const struct xs_callstack_cache_key *key, uint64_t told)
{
	const uint64_t mixed =
	    ((uintptr_t)key->top >> 4) * 31 + key->fn + key->caller * 7u + told;

	return mixed * 0x9e3779b97f4a7c15u >> (64 - XS_CALLSTACK_CACHE_BITS);
}

/* The one that is the same stack; if none is, the first of the key, or NULL.
 * And how many of its frames are the same. */
XS_HOT static const struct xs_callstack_cache_entry *
look_into(const struct xs_callstack_cache_entry *set,
	  const struct xs_callstack_cache_key *key, unsigned *same)
{
	const struct xs_callstack_cache_entry *first = NULL;

	for (unsigned way = 0; way < XS_CALLSTACK_CACHE_WAYS; way++) {
		unsigned alike;

		if (!is_of(&set[way], key))
			continue;
		alike = count_same(&set[way]);
		if (first && alike < set[way].count)
			continue;
		first = &set[way];
		*same = alike;
		if (alike == first->count)
			break;
	}
	return first;
}

XS_HOT const struct xs_place *
xs_callstack_cache_find(const struct xs_callstack_cache *walked,
			const struct xs_callstack_cache_key *key)
{
	uint64_t told = key->address;

	for (unsigned level = 0; level < LEVELS; level++) {
		unsigned same;
		const struct xs_callstack_cache_entry *found =
		    look_into(walked->sets[set_of(key, told)], key, &same);

		if (!found)
			return NULL;
		if (same == found->count)
			return &found->place;
		told = tell(told, found, same);
	}
	return NULL;
}

/* For a stack that is not known: a slot that is free, or to be overwritten. */
static struct xs_callstack_cache_entry *
find_slot(struct xs_callstack_cache *walked,
	  const struct xs_callstack_cache_key *key)
{
	uint64_t told = key->address;
	unsigned number = 0;

	for (unsigned level = 0; level < LEVELS; level++) {
		const struct xs_callstack_cache_entry *first;
		unsigned same;

		number = set_of(key, told);
		for (unsigned way = 0; way < XS_CALLSTACK_CACHE_WAYS; way++) {
			struct xs_callstack_cache_entry *slot =
			    &walked->sets[number][way];
			if (!slot->key.top || slot->key.unloads != key->unloads)
				return slot;
		}
		first = look_into(walked->sets[number], key, &same);
		if (!first || same == first->count)
			break;
		told = tell(told, first, same);
	}
	return &walked->sets[number][walked->next_way[number]++ %
				     XS_CALLSTACK_CACHE_WAYS];
}

void xs_callstack_cache_keep(struct xs_callstack_cache *walked,
			     const struct xs_callstack_cache_key *key,
			     const struct xs_place *place,
			     const struct xs_frames *walk, unsigned last)
{
	unsigned first = 0;
	struct xs_callstack_cache_entry *slot;

	/* Those below the top are of the walk itself. */
	while (first < last &&
	       (const void *)walk->frames[first].stack < key->top)
		first++;
	for (unsigned i = first; i < last; i++)
		if (*walk->frames[i].stack != walk->frames[i].address)
			return;
	if (first == last)
		return;
	slot = find_slot(walked, key);
	slot->key = *key;
	slot->place = *place;
	slot->count = last - first;
	memcpy(slot->frames, walk->frames + first,
	       slot->count * sizeof(*slot->frames));
}
