/* SPDX-License-Identifier: MIT */
/*
 * A sorted list of disjoint ranges in leaves of at most LEAF_RANGES. A change
 * moves the ranges of one leaf, and the order of the leaves when one is split
 * or emptied; a look-up is a binary search of both. Two neighbours have more
 * than LEAF_RANGES / 2 ranges, so MAX_LEAVES suffice for XS_LIVE_MEMORY_MOST.
 */
#include "preload/record/live_memory.h"
#include "preload/record/address_tables.h"
#include "preload/util/pages.h"

#include <pthread.h>
#include <string.h>

#define LEAF_RANGES  128u
#define MAX_LEAVES   32768u
#define BLOCK_LEAVES 128u /* 512 KiB, which are mapped together */
#define BEFORE_BYTES 65536u

struct range {
	uint64_t begin, end, since_ns;
	enum xs_live_kind kind;
};

struct leaf {
	uint32_t count;
	struct range ranges[LEAF_RANGES];
};

static const enum xs_pointers_known known_of[] = {
    [XS_LIVE_DEVICE] = XS_POINTERS_ALL,
    [XS_LIVE_MAPPED] = XS_POINTERS_ALL,
    [XS_LIVE_HOST] = XS_POINTERS_ALL,
    [XS_LIVE_MANAGED] = XS_POINTERS_MANAGED,
    [XS_LIVE_OBJECT] = XS_POINTERS_OBJECT,
    [XS_LIVE_ALIAS] = XS_POINTERS_ALIAS,
    [XS_LIVE_UNSIZED] = XS_POINTERS_TOO_MANY};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static struct leaf
    *blocks[MAX_LEAVES / BLOCK_LEAVES]; /* NULL: not mapped yet */
static uint32_t order[MAX_LEAVES];	/* of the leaves, by address */
static uint32_t unused[MAX_LEAVES];	/* leaves that were emptied */
static uint32_t leaf_count, unused_count;
static uint32_t total;	 /* ranges */
static uint32_t unsized; /* those of an unknown size */
static bool is_full;	 /* memory lives that had no room */

static struct leaf *leaf_number(uint32_t number)
{
	return &blocks[number / BLOCK_LEAVES][number % BLOCK_LEAVES];
}

static struct leaf *leaf_at(uint32_t at)
{
	return leaf_number(order[at]);
}

/* Returns whether there is memory for a leaf. */
static bool map_leaf(uint32_t number)
{
	struct leaf **block = &blocks[number / BLOCK_LEAVES];

	if (!*block)
		*block = xs_pages_map(BLOCK_LEAVES * sizeof(**block));
	return *block;
}

/* Returns the last leaf that begins at or before the address, 0 if all begin
 * after it. There is at least one. */
static uint32_t find_leaf(uint64_t address)
{
	uint32_t low = 0, high = leaf_count;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (leaf_at(middle)->ranges[0].begin <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Returns how many ranges of the leaf begin at or before the address. */
static uint32_t count_until(const struct leaf *leaf, uint64_t address)
{
	uint32_t low = 0, high = leaf->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (leaf->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts an empty leaf at that place of the order. Returns NULL if there is no
 * space. */
static struct leaf *insert_leaf(uint32_t at)
{
	uint32_t new;

	/* all leaves in use are the first ones, but for those in `unused` */
	if (unused_count)
		new = unused[--unused_count];
	else if (leaf_count < MAX_LEAVES && map_leaf(leaf_count))
		new = leaf_count;
	else
		return NULL;
	memmove(order + at + 1, order + at, (leaf_count - at) * sizeof(*order));
	order[at] = new;
	leaf_count++;
	leaf_number(new)->count = 0;
	return leaf_number(new);
}

static void remove_leaf(uint32_t at)
{
	unused[unused_count++] = order[at];
	leaf_count--;
	memmove(order + at, order + at + 1, (leaf_count - at) * sizeof(*order));
}

/* Moves the ranges of the leaf after `at` into that one if there are few. */
static void merge(uint32_t at)
{
	struct leaf *leaf = leaf_at(at), *next;

	if (at + 1 >= leaf_count)
		return;
	next = leaf_at(at + 1);
	if (leaf->count + next->count > LEAF_RANGES / 2)
		return;
	memcpy(leaf->ranges + leaf->count, next->ranges,
	       next->count * sizeof(*next->ranges));
	leaf->count += next->count;
	remove_leaf(at + 1);
}

static void erase(uint32_t at, uint32_t place)
{
	struct leaf *leaf = leaf_at(at);

	unsized -= leaf->ranges[place].kind == XS_LIVE_UNSIZED;
	leaf->count--;
	total--;
	memmove(leaf->ranges + place, leaf->ranges + place + 1,
		(leaf->count - place) * sizeof(*leaf->ranges));
	if (!leaf->count) {
		remove_leaf(at);
		return;
	}
	merge(at);
	if (at)
		merge(at - 1);
}

/* Finds the last range that begins at or before the address. */
static bool find_range(uint64_t address, uint32_t *at, uint32_t *place)
{
	uint32_t until;

	if (!leaf_count)
		return false;
	*at = find_leaf(address);
	until = count_until(leaf_at(*at), address);
	*place = until - 1;
	return until != 0;
}

static void erase_overlapped(uint64_t begin, uint64_t end)
{
	uint32_t at, place;

	while (find_range(end - 1, &at, &place) &&
	       leaf_at(at)->ranges[place].end > begin)
		erase(at, place);
}

static bool split(uint32_t at)
{
	struct leaf *leaf, *next = insert_leaf(at + 1);
	const uint32_t half = LEAF_RANGES / 2;

	if (!next)
		return false;
	leaf = leaf_at(at);
	memcpy(next->ranges, leaf->ranges + half, half * sizeof(*leaf->ranges));
	next->count = half;
	leaf->count = half;
	return true;
}

static bool insert(const struct range *range)
{
	struct leaf *leaf;
	uint32_t at, place;

	if (total == XS_LIVE_MEMORY_MOST || (!leaf_count && !insert_leaf(0)))
		return false;
	at = find_leaf(range->begin);
	if (leaf_at(at)->count == LEAF_RANGES) {
		if (!split(at))
			return false;
		at = find_leaf(range->begin);
	}
	leaf = leaf_at(at);
	place = count_until(leaf, range->begin);
	memmove(leaf->ranges + place + 1, leaf->ranges + place,
		(leaf->count - place) * sizeof(*leaf->ranges));
	leaf->ranges[place] = *range;
	leaf->count++;
	total++;
	return true;
}

void xs_live_memory_add(uint64_t address, uint64_t bytes, uint64_t end_ns,
			enum xs_live_kind kind)
{
	const struct range range = {address, address + (bytes ? bytes : 1),
				    end_ns, bytes ? kind : XS_LIVE_UNSIZED};

	if (!address || range.end < address)
		return;
	pthread_mutex_lock(&lock);
	erase_overlapped(range.begin, range.end);
	if (insert(&range))
		unsized += !bytes;
	else
		is_full = true;
	pthread_mutex_unlock(&lock);
}

void xs_live_memory_remove(uint64_t address, uint64_t start_ns)
{
	const struct range *range;
	uint32_t at, place;

	pthread_mutex_lock(&lock);
	if (find_range(address, &at, &place)) {
		range = &leaf_at(at)->ranges[place];
		if (range->begin == address && range->since_ns <= start_ns) {
			xs_address_tables_cut(range->begin, range->end);
			erase(at, place);
		}
	}
	pthread_mutex_unlock(&lock);
}

void xs_live_memory_remove_all(uint64_t start_ns)
{
	pthread_mutex_lock(&lock);
	for (uint32_t at = leaf_count; at-- > 0;) {
		struct leaf *leaf = leaf_at(at);
		uint32_t kept = 0;

		for (uint32_t i = 0; i < leaf->count; i++)
			if (leaf->ranges[i].since_ns <= start_ns)
				unsized -=
				    leaf->ranges[i].kind == XS_LIVE_UNSIZED;
			else
				leaf->ranges[kept++] = leaf->ranges[i];
		total -= leaf->count - kept;
		leaf->count = kept;
		if (!kept)
			remove_leaf(at);
	}
	is_full &= total != 0;
	pthread_mutex_unlock(&lock);
}

/* Returns the live range at the address, or NULL. */
static struct range *live_at(uint64_t address)
{
	uint32_t at, place;

	return find_range(address, &at, &place) &&
		       leaf_at(at)->ranges[place].end > address
		   ? &leaf_at(at)->ranges[place]
		   : NULL;
}

bool xs_live_memory_set_alias(uint64_t address)
{
	struct range *range;

	pthread_mutex_lock(&lock);
	range = live_at(address);
	if (range)
		range->kind = XS_LIVE_ALIAS;
	pthread_mutex_unlock(&lock);
	return range;
}

uint64_t xs_live_memory_find(uint64_t address, enum xs_live_kind *kind)
{
	const struct range *range;
	uint64_t bytes = 0;

	pthread_mutex_lock(&lock);
	range = live_at(address);
	if (range) {
		bytes = range->end - address;
		*kind = range->kind;
	}
	pthread_mutex_unlock(&lock);
	return bytes;
}

static void add_address(struct xs_live_addresses *found, uint64_t address)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->addresses[i] == address)
			return;
	if (found->count < found->room)
		found->addresses[found->count++] = address;
	else
		found->known = XS_POINTERS_TOO_MANY;
}

/* Returns the range that ends at *address, or else the one that begins less
 * than BEFORE_BYTES after it, where nothing lives, with an address in it. */
static const struct range *live_near(uint64_t *address)
{
	const struct range *near;
	uint32_t at = 0, place = 0;
	const bool any = find_range(*address, &at, &place);

	near = any ? &leaf_at(at)->ranges[place] : NULL;
	if (any && near->end == *address && near->kind != XS_LIVE_OBJECT) {
		--*address;
		return near;
	}
	place = any ? place + 1 : 0;
	if (at < leaf_count && place == leaf_at(at)->count) {
		at++;
		place = 0;
	}
	near = at < leaf_count ? &leaf_at(at)->ranges[place] : NULL;
	if (!near || near->begin - *address >= BEFORE_BYTES ||
	    near->kind == XS_LIVE_OBJECT)
		return NULL;
	*address = near->begin;
	return near;
}

static void collect_word(uint64_t word, struct xs_live_addresses *found)
{
	const struct range *range = live_at(word);

	if (!range && !(range = live_near(&word)))
		return;
	if (known_of[range->kind] != XS_POINTERS_ALL)
		found->known = known_of[range->kind];
	else if (!found->first &&
		 xs_address_tables_overlap(range->begin, range->end))
		found->known = XS_POINTERS_TABLE;
	add_address(found, word);
}

void xs_live_memory_collect(const void *from, size_t words,
			    struct xs_live_addresses *found)
{
	uint64_t low = 0, high = 0; /* no other word is an address */

	pthread_mutex_lock(&lock);
	if (unsized || is_full)
		found->known = XS_POINTERS_TOO_MANY;
	else if (xs_address_tables_are_outside())
		found->known = XS_POINTERS_VARIABLE;
	if (leaf_count) {
		const struct leaf *last = leaf_at(leaf_count - 1);

		low = leaf_at(0)->ranges[0].begin;
		low -= low < BEFORE_BYTES ? low : BEFORE_BYTES;
		high = last->ranges[last->count - 1].end;
	}
	for (size_t i = 0; i < words; i++) {
		uint64_t word;

		memcpy(&word, (const char *)from + i * sizeof(word),
		       sizeof(word));
		if (word < low || word > high)
			continue;
		collect_word(word, found);
		if (found->first && found->count)
			break;
	}
	pthread_mutex_unlock(&lock);
}
