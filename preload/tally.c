/* SPDX-License-Identifier: MIT */
#include "preload/tally.h"
#include "preload/clock.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define SLOTS  256u
#define PROBES 8u

/*
 * Chunks stay mapped for good, since their records are updated until the end.
 * A thread that ends leaves its table to the next that begins: counts add up
 * by site, whoever counted.
 */
struct xs_tally_table {
	struct xs_tally_table *next; /* of those that nobody uses */
	struct xs_chunk_header *chunk;
	struct {
		uint32_t site; /* 0: free */
		struct xs_rec_tally *record;
	} slots[SLOTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_tally_table *left; /* under the lock */

static struct xs_tally_table *table_of(struct xs_thread *thread)
{
	void *memory;

	if (thread->tallies)
		return thread->tallies;
	pthread_mutex_lock(&lock);
	thread->tallies = left;
	if (left)
		left = left->next;
	pthread_mutex_unlock(&lock);
	if (thread->tallies)
		return thread->tallies;
	memory = mmap(NULL, sizeof(*thread->tallies), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		thread->tallies = memory;
	return thread->tallies;
}

/* A new record, or NULL when there is no room for one. */
static struct xs_rec_tally *add_record(struct xs_tally_table *table,
				       const struct xs_writer *w, uint32_t site)
{
	struct xs_rec_tally record = {XS_RECORD(tally), .site = site};
	struct xs_chunk_header *chunk = table->chunk;
	char *at;

	if (!chunk ||
	    chunk->used_bytes + sizeof(record) > chunk->capacity_bytes)
		chunk = xs_sink_claim(w->sink, XS_PAGE_BYTES, w->thread,
				      xs_clock_realtime_ns());
	if (!chunk)
		return NULL;
	table->chunk = chunk;
	at = (char *)chunk + chunk->used_bytes;
	memcpy(at, &record, sizeof(record));
	__atomic_store_n(&chunk->used_bytes,
			 chunk->used_bytes + (uint32_t)sizeof(record),
			 __ATOMIC_RELEASE);
	return (struct xs_rec_tally *)at;
}

/* The site's record in the table; in a full table it takes another's slot,
 * whose next call begins a record anew. */
static struct xs_rec_tally *record_of(struct xs_tally_table *table,
				      const struct xs_writer *w, uint32_t site)
{
	uint32_t at = site % SLOTS;

	for (uint32_t i = 0; i < PROBES; i++) {
		at = (site + i) % SLOTS;
		if (table->slots[at].site == site)
			return table->slots[at].record;
		if (table->slots[at].site == 0)
			break;
	}
	table->slots[at].record = add_record(table, w, site);
	table->slots[at].site = table->slots[at].record ? site : 0;
	return table->slots[at].record;
}

uint64_t xs_tally_count(struct xs_thread *thread, uint32_t site, uint64_t bytes)
{
	struct xs_tally_table *table = table_of(thread);
	struct xs_rec_tally *record =
	    table ? record_of(table, &thread->writer, site) : NULL;

	if (!record) {
		xs_sink_lose(thread->writer.sink, XS_LOSS_CALLS, 1);
		return 0;
	}
	record->calls++;
	record->bytes += bytes;
	return record->calls;
}

void xs_tally_leave(struct xs_thread *thread)
{
	struct xs_tally_table *table = thread->tallies;

	thread->tallies = NULL;
	if (!table)
		return;
	pthread_mutex_lock(&lock);
	table->next = left;
	left = table;
	pthread_mutex_unlock(&lock);
}
