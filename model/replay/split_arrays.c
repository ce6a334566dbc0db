/* SPDX-License-Identifier: MIT */
#include "model/replay/split_arrays.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

static uint64_t device_address(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D ? step->dst : step->src;
}

static int by_device_address(const void *a, const void *b)
{
	const struct xs_step *const *x = a, *const *y = b;
	const uint64_t p = device_address(*x), q = device_address(*y);

	return (p > q) - (p < q);
}

static bool src_follows(const struct xs_step *first,
			const struct xs_step *second)
{
	return first->src && first->src + first->bytes == second->src &&
	       !second->src_starts;
}

static bool dst_follows(const struct xs_step *first,
			const struct xs_step *second)
{
	return first->dst && first->dst + first->bytes == second->dst &&
	       !second->dst_starts;
}

bool xs_step_continues(const struct xs_step *first,
		       const struct xs_step *second)
{
	return src_follows(first, second) && dst_follows(first, second);
}

double xs_parts_of_array(unsigned arrays, unsigned parts)
{
	return parts > arrays && arrays ? (double)parts / arrays : 1;
}

/* size: of the parts before. */
static bool is_same_array(const struct xs_step *part,
			  const struct xs_step *next, uint64_t size)
{
	return part->site == next->site && part->bytes == size &&
	       next->bytes <= size &&
	       (part->kind == XS_STEP_H2D ? dst_follows(part, next)
					  : src_follows(part, next));
}

/* copies: by device address. */
static struct xs_split_arrays count_arrays(const struct xs_step *const *copies,
					   size_t count)
{
	struct xs_split_arrays found = {0, 0};
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !is_same_array(copies[i - 1], copies[i], size)) {
			size = copies[i]->bytes;
			found.arrays++;
			found.parts++;
		} else if (!xs_step_continues(copies[i - 1], copies[i])) {
			found.parts++;
		}
	}
	return found;
}

/* Returns the round's copies of a kind, sorted and owned by the caller. */
static const struct xs_step **
sorted_copies(const struct xs_phase *phase, enum xs_step_kind kind,
	      int (*compare)(const void *, const void *), size_t *count)
{
	const struct xs_step **copies =
	    xs_calloc(phase->step_count + 1, sizeof(const struct xs_step *));

	*count = 0;
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == kind)
			copies[(*count)++] = &phase->steps[i];
	qsort(copies, *count, sizeof(const struct xs_step *), compare);
	return copies;
}

void xs_split_arrays_count(const struct xs_phase *phase, enum xs_step_kind kind,
			   struct xs_split_arrays *out)
{
	size_t count;
	const struct xs_step **copies =
	    sorted_copies(phase, kind, by_device_address, &count);

	*out = count_arrays(copies, count);
	free(copies);
}

static int by_source(const void *a, const void *b)
{
	const struct xs_step *const *x = a, *const *y = b;

	return ((*x)->src > (*y)->src) - ((*x)->src < (*y)->src);
}

void xs_split_arrays_apart(const struct xs_phase *phase, bool *apart)
{
	size_t count;
	const struct xs_step **copies =
	    sorted_copies(phase, XS_STEP_H2D, by_source, &count);

	*apart = count > 1 && copies[0]->src;
	for (size_t i = 1; i < count; i++)
		*apart &= copies[i - 1]->src + copies[i - 1]->bytes <
			      copies[i]->src + copies[i]->src_starts &&
			  copies[i - 1]->src < copies[i]->src;
	free(copies);
}
