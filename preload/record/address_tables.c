/* SPDX-License-Identifier: MIT */
#include "preload/record/address_tables.h"

#include <pthread.h>

#define MOST_TABLES 1024u

_Atomic unsigned xs_address_tables_count, xs_address_tables_outside;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static struct table {
	uint64_t begin, end;
	bool is_outside;
} tables[MOST_TABLES];

/* Returns the table that overlaps the range or touches it, else a new, empty
 * one. Without room for that, the last one also stands for what lies in
 * between. */
static struct table *find(uint64_t begin, uint64_t end, bool is_outside)
{
	const unsigned count = xs_address_tables_count;

	for (unsigned i = 0; i < count; i++)
		if (tables[i].begin <= end && begin <= tables[i].end)
			return &tables[i];
	if (count == MOST_TABLES)
		return &tables[count - 1];
	tables[count] = (struct table){begin, end, is_outside};
	xs_address_tables_outside += is_outside;
	xs_address_tables_count = count + 1;
	return &tables[count];
}

void xs_address_tables_add(uint64_t begin, uint64_t end, bool is_outside)
{
	struct table *table;

	pthread_mutex_lock(&lock);
	table = find(begin, end, is_outside);
	if (begin < table->begin)
		table->begin = begin;
	if (end > table->end)
		table->end = end;
	xs_address_tables_outside += is_outside && !table->is_outside;
	table->is_outside |= is_outside;
	pthread_mutex_unlock(&lock);
}

void xs_address_tables_cut(uint64_t begin, uint64_t end)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = xs_address_tables_count; i-- > 0;) {
		struct table *table = &tables[i];

		if (begin <= table->begin && end > table->begin)
			table->begin = end;
		else if (begin < table->end && end >= table->end)
			table->end = begin;
		if (table->begin < table->end)
			continue;
		xs_address_tables_outside -= table->is_outside;
		*table = tables[--xs_address_tables_count];
	}
	pthread_mutex_unlock(&lock);
}

bool xs_address_tables_overlap(uint64_t begin, uint64_t end)
{
	bool found = false;

	if (!xs_address_tables_are_any())
		return false;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < xs_address_tables_count && !found; i++)
		found = tables[i].begin < end && begin < tables[i].end;
	pthread_mutex_unlock(&lock);
	return found;
}
