/* SPDX-License-Identifier: MIT */
#include "report/commands/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 63u

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to insert, delete or replace to turn a into b (Levenshtein). */
static unsigned distance(const char *a, size_t a_length, const char *b,
			 size_t b_length)
{
	unsigned row[LENGTH_MAX + 1];

	for (unsigned j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			const bool same = tolower((unsigned char)a[i - 1]) ==
					  tolower((unsigned char)b[j - 1]);
			const unsigned replaced = corner + !same;

			corner = row[j];
			row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[b_length];
}

void xs_nearest_offer(struct xs_nearest *nearest, const char *name)
{
	const size_t word = strcspn(nearest->word, "="), length = strlen(name);
	const size_t letters = length - strspn(name, "-");
	unsigned found;

	if (word > LENGTH_MAX || length > LENGTH_MAX)
		return;
	found = distance(nearest->word, word, name, length);
	if (found > 2 || 2 * found > letters ||
	    (nearest->best && found >= nearest->distance))
		return;
	nearest->best = name;
	nearest->distance = found;
}
