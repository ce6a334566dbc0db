/* SPDX-License-Identifier: MIT */
#include "model/replay/numbering.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

void xs_numbering_init(struct xs_numbering *n, size_t most)
{
	*n = (struct xs_numbering){
	    .values = xs_malloc((most + 1) * sizeof(*n->values))};
}

void xs_numbering_free(struct xs_numbering *n)
{
	free(n->values);
	*n = (struct xs_numbering){0};
}

void xs_numbering_add(struct xs_numbering *n, uint64_t value)
{
	/* a multiplicative hash: its highest bits depend on all of the value */
	uint32_t *recent =
	    &n->recent[(value * UINT64_C(0x9e3779b97f4a7c15)) >> 58];

	if (*recent && n->values[*recent - 1] == value)
		return;
	n->values[n->count++] = value;
	*recent = (uint32_t)n->count;
}

void xs_numbering_sort(struct xs_numbering *n)
{
	size_t i, kept = 0;

	xs_values_sort(n->values, n->count);
	for (i = 0; i < n->count; i++)
		if (!kept || n->values[i] != n->values[kept - 1])
			n->values[kept++] = n->values[i];
	n->count = kept;
}

uint32_t xs_numbering_find(const struct xs_numbering *n, uint64_t value)
{
	const uint64_t guess = value - n->values[0]; /* of values in a row */
	size_t low = 0, high = n->count;

	if (guess < n->count && n->values[guess] == value)
		return (uint32_t)guess;
	XS_BISECT(low, high, i, n->values[i] < value);
	return (uint32_t)low;
}
