/* SPDX-License-Identifier: MIT */
#include "preload/record/call_counter.h"
#include "preload/util/clock.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/pages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Bytes of a table. The largest has space for more keys than there are
 * sites. */
#define FIRST_BYTES XS_PAGE_BYTES
#define MAX_BYTES   (2u << 20)

/* Chunks stay mapped, and a process may have some 65,000 mappings; the program
 * needs the rest. */
#define MAX_CHUNKS 4096u

struct slot {
	uint64_t key; /* 0: free */
	struct xs_rec_tally *record;
};

/* A thread's counters. Their chunks stay mapped permanently, since their
 * records are updated until the end. A thread that ends leaves its table to the
 * next new thread: counts add up by key, whichever thread counted. */
struct xs_call_counter_table {
	struct xs_call_counter_table *next; /* list of unused tables */
	struct xs_chunk_header *chunk;
	uint32_t chunks; /* chunks claimed so far: the first are small */
	uint32_t bytes;	 /* mapped bytes of the table */
	uint32_t count, used;
	struct slot slots[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_call_counter_table
    *unused_tables;		/* unused tables; protected by the lock */
static _Atomic uint32_t chunks; /* of all tables */

static struct xs_call_counter_table *map_table(uint32_t bytes)
{
	struct xs_call_counter_table *table = xs_pages_map(bytes);

	if (!table)
		return NULL;
	table->bytes = bytes;
	table->count =
	    (uint32_t)((bytes - sizeof(*table)) / sizeof(*table->slots));
	return table;
}

static struct xs_call_counter_table *table_of(struct xs_thread *thread)
{
	if (thread->counters)
		return thread->counters;
	pthread_mutex_lock(&lock);
	thread->counters = unused_tables;
	if (unused_tables)
		unused_tables = unused_tables->next;
	pthread_mutex_unlock(&lock);
	if (!thread->counters)
		thread->counters = map_table(FIRST_BYTES);
	return thread->counters;
}

/* Returns the key's slot, or the free one where it belongs. There is always
 * one. */
static struct slot *find(struct xs_call_counter_table *table, uint64_t key)
{
	const uint64_t hash = key * 0x9e3779b97f4a7c15u >> 32;
	uint32_t at = (uint32_t)(hash * table->count >> 32);

	while (table->slots[at].key != key && table->slots[at].key != 0)
		at = at + 1 == table->count ? 0 : at + 1;
	return &table->slots[at];
}

/* Replaces the thread's table with one twice as large. Returns false if that is
 * impossible. */
static bool enlarge(struct xs_thread *thread)
{
	struct xs_call_counter_table *old = thread->counters, *new;

	if (old->bytes >= MAX_BYTES)
		return false;
	new = map_table(2 * old->bytes);
	if (!new)
		return false;
	new->chunk = old->chunk;
	new->chunks = old->chunks;
	new->used = old->used;
	for (uint32_t i = 0; i < old->count; i++)
		if (old->slots[i].key)
			*find(new, old->slots[i].key) = old->slots[i];
	thread->counters = new;
	munmap(old, old->bytes);
	return true;
}

static bool claim_chunk(struct xs_call_counter_table *table,
			const struct xs_writer *w)
{
	struct xs_chunk_header *chunk = NULL;

	if (atomic_fetch_add(&chunks, 1) < MAX_CHUNKS)
		chunk = xs_trace_file_claim_next(
		    w->trace, table->chunks, w->thread, xs_clock_realtime_ns());
	if (!chunk) {
		atomic_fetch_sub(&chunks, 1);
		return false;
	}
	table->chunk = chunk;
	table->chunks++;
	return true;
}

/* Returns a new record, or NULL if there is no space. */
static struct xs_rec_tally *add_record(struct xs_call_counter_table *table,
				       const struct xs_writer *w,
				       struct xs_call_counter_key key)
{
	struct xs_rec_tally record = {XS_RECORD(tally), .site = key.site,
				      .size = key.size,
				      .direction = key.direction};
	struct xs_chunk_header *chunk = table->chunk;
	char *at;

	if ((!chunk ||
	     chunk->used_bytes + sizeof(record) > chunk->capacity_bytes) &&
	    !claim_chunk(table, w))
		return NULL;
	chunk = table->chunk;
	at = (char *)chunk + chunk->used_bytes;
	memcpy(at, &record, sizeof(record));
	__atomic_store_n(&chunk->used_bytes,
			 chunk->used_bytes + (uint32_t)sizeof(record),
			 __ATOMIC_RELEASE);
	return (struct xs_rec_tally *)at;
}

struct addition {
	struct xs_thread *thread;
	struct xs_call_counter_key key;
	uint64_t packed;
	struct slot *slot; /* NULL: no space */
};

static void add_now(void *data)
{
	struct addition *add = data;
	struct xs_thread *thread = add->thread;
	struct xs_call_counter_table *table = table_of(thread);
	struct slot *slot;

	if (!table || (table->used >= table->count / 4 * 3 && !enlarge(thread)))
		return;
	table = thread->counters;
	slot = find(table, add->packed);
	/* a table that another thread left may have the key */
	if (!slot->key) {
		slot->record = add_record(table, &thread->writer, add->key);
		if (!slot->record)
			return;
		slot->key = add->packed;
		table->used++;
	}
	add->slot = slot;
}

/* Returns the slot and record of a key that is new, also a table for the
 * thread. Returns NULL if there is no space. */
XS_COLD static struct slot *add_slot(struct xs_thread *thread,
				     struct xs_call_counter_key key,
				     uint64_t packed)
{
	struct addition add = {.thread = thread, .key = key, .packed = packed};

	xs_guard_run(add_now, &add);
	return add.slot;
}

XS_HOT struct xs_rec_tally *
xs_call_counter_count(struct xs_thread *thread, struct xs_call_counter_key key,
		      uint64_t bytes)
{
	const uint64_t packed =
	    (uint64_t)key.site << 16 | (uint64_t)key.direction << 8 | key.size;
	struct xs_call_counter_table *table = thread->counters;
	struct slot *slot = table ? find(table, packed) : NULL;

	if (!slot || !slot->key)
		slot = add_slot(thread, key, packed);
	if (!slot) {
		xs_trace_file_lose(thread->writer.trace, XS_LOSS_CALLS, 1);
		return NULL;
	}
	slot->record->calls++;
	slot->record->bytes += bytes;
	return slot->record;
}

void xs_call_counter_release(struct xs_thread *thread)
{
	struct xs_call_counter_table *table = thread->counters;

	thread->counters = NULL;
	if (!table)
		return;
	pthread_mutex_lock(&lock);
	table->next = unused_tables;
	unused_tables = table;
	pthread_mutex_unlock(&lock);
}
