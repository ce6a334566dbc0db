/* SPDX-License-Identifier: MIT */
#include "preload/util/intern.h"
#include "preload/util/pages.h"

#include <stdbool.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_SLOTS 256u
#define KEYS_BYTES  (64u << 10)

struct xs_intern_slot {
	const char *key; /* NULL: free */
	uint64_t hash;
	uint32_t bytes;
	uint32_t number;
};

uint64_t xs_hash(const void *key, size_t bytes)
{
	return XXH3_64bits(key, bytes);
}

static bool has_key(const struct xs_intern_slot *slot, const void *key,
		    size_t bytes)
{
	return slot->bytes == bytes && memcmp(slot->key, key, bytes) == 0;
}

static struct xs_intern_slot *find(struct xs_intern_slot *slots, size_t count,
				   const void *key, size_t bytes, uint64_t hash)
{
	for (size_t i = hash & (count - 1);; i = (i + 1) & (count - 1)) {
		struct xs_intern_slot *s = &slots[i];
		if (!s->key || (s->hash == hash && has_key(s, key, bytes)))
			return s;
	}
}

/* Keeps the table at most half full. */
static bool reserve(struct xs_intern *t)
{
	size_t count = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS;
	struct xs_intern_slot *slots;

	if (t->used * 2 < t->slot_count)
		return true;
	slots = xs_pages_map(count * sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < t->slot_count; i++) {
		struct xs_intern_slot *s = &t->slots[i];
		if (s->key)
			*find(slots, count, s->key, s->bytes, s->hash) = *s;
	}
	if (t->slots)
		munmap(t->slots, t->slot_count * sizeof(*slots));
	t->slots = slots;
	t->slot_count = count;
	t->last = NULL;
	return true;
}

static const char *copy_key(struct xs_intern *t, const void *key, size_t bytes)
{
	char *copy;

	if (!t->keys || bytes > t->keys_left) {
		size_t block = bytes > KEYS_BYTES ? bytes : KEYS_BYTES;
		char *keys = xs_pages_map(block);
		if (!keys)
			return NULL;
		t->keys = keys;
		t->keys_left = block;
	}
	copy = t->keys;
	memcpy(copy, key, bytes);
	t->keys += bytes;
	t->keys_left -= bytes;
	return copy;
}

uint32_t *xs_intern_number(struct xs_intern *t, const void *key, size_t bytes)
{
	struct xs_intern_slot *slot;
	uint64_t hash;

	if (t->last && has_key(t->last, key, bytes))
		return &t->last->number;
	if (!reserve(t))
		return NULL;
	hash = xs_hash(key, bytes);
	slot = find(t->slots, t->slot_count, key, bytes, hash);
	if (!slot->key) {
		const char *copy = copy_key(t, key, bytes);
		if (!copy)
			return NULL;
		*slot = (struct xs_intern_slot){
		    .key = copy, .hash = hash, .bytes = (uint32_t)bytes};
		t->used++;
	}
	t->last = slot;
	return &slot->number;
}
