/* SPDX-License-Identifier: MIT */
#include "preload/record/address_tables.h"

#include <pthread.h>
#include <string.h>

#define MOST_TABLES 4096u

_Atomic unsigned xs_address_tables_count, xs_address_tables_outside;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* By address; between two there is memory that is in neither. Protected by the
 * lock. */
static struct table {
	uint64_t begin, end;
	bool is_outside;
} tables[MOST_TABLES];

/* Returns the first table that ends behind the address. */
static unsigned find(uint64_t address)
{
	unsigned low = 0, high = xs_address_tables_count;

	while (low < high) {
		const unsigned middle = (low + high) / 2;

		if (tables[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts one table or none in the place of those from first to before last. */
static void replace(unsigned first, unsigned last, const struct table *table)
{
	const unsigned count = xs_address_tables_count, put = table != NULL;

	for (unsigned i = first; i < last; i++)
		xs_address_tables_outside -= tables[i].is_outside;
	memmove(&tables[first + put], &tables[last],
		(count - last) * sizeof(*tables));
	xs_address_tables_count = count - (last - first) + put;
	if (table) {
		tables[first] = *table;
		xs_address_tables_outside += table->is_outside;
	}
}

void xs_address_tables_add(uint64_t begin, uint64_t end, bool is_outside)
{
	struct table table = {begin, end, is_outside};
	unsigned first, last;

	pthread_mutex_lock(&lock);
	first = last = find(begin ? begin - 1 : 0);
	while (last < xs_address_tables_count && tables[last].begin <= end)
		last++;
	if (first == last && xs_address_tables_count == MOST_TABLES) {
		/* its neighbour stands for what lies in between, too */
		if (first)
			first--;
		else
			last++;
	}
	for (unsigned i = first; i < last; i++) {
		if (tables[i].begin < table.begin)
			table.begin = tables[i].begin;
		if (tables[i].end > table.end)
			table.end = tables[i].end;
		table.is_outside |= tables[i].is_outside;
	}
	replace(first, last, &table);
	pthread_mutex_unlock(&lock);
}

void xs_address_tables_cut(uint64_t begin, uint64_t end)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	i = find(begin);
	while (i < xs_address_tables_count && tables[i].begin < end) {
		struct table behind = tables[i];

		if (behind.begin < begin) {
			if (behind.end > end &&
			    xs_address_tables_count == MOST_TABLES)
				break; /* no room for two in its place */
			tables[i++].end = begin;
			if (behind.end > end) {
				behind.begin = end;
				replace(i, i, &behind);
			}
		} else if (behind.end > end) {
			tables[i].begin = end;
		} else {
			replace(i, i + 1, NULL);
		}
	}
	pthread_mutex_unlock(&lock);
}

bool xs_address_tables_overlap(uint64_t begin, uint64_t end)
{
	unsigned i;
	bool found;

	if (!xs_address_tables_are_any())
		return false;
	pthread_mutex_lock(&lock);
	i = find(begin);
	found = i < xs_address_tables_count && tables[i].begin < end;
	pthread_mutex_unlock(&lock);
	return found;
}
