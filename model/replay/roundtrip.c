/* SPDX-License-Identifier: MIT */
#include "model/replay/roundtrip.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* The host range of one copy. */
struct range {
	uint64_t address, bytes;
	size_t step;
};

static int by_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static bool is_same(const struct range *a, const struct range *b)
{
	return a->address == b->address && a->bytes == b->bytes;
}

static size_t collect(const struct xs_phase *phase, struct range *ranges)
{
	size_t i, count = 0;

	for (i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		const uint64_t address = step->kind == XS_STEP_H2D   ? step->src
					 : step->kind == XS_STEP_D2H ? step->dst
								     : 0;

		if (address)
			ranges[count++] =
			    (struct range){address, step->bytes, i};
	}
	qsort(ranges, count, sizeof(*ranges), by_range);
	return count;
}

static bool has_copy_out(const struct xs_phase *phase,
			 const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (phase->steps[ranges[i].step].kind == XS_STEP_D2H)
			return true;
	return false;
}

/* Marks the copies of one range, in the order of the round. */
static void mark_range(const struct xs_phase *phase, const struct range *ranges,
		       size_t count, bool *marks, struct xs_roundtrips *found)
{
	/* the previous round ended with its last copy out */
	bool is_out = phase->rounds > 1 && has_copy_out(phase, ranges, count);
	size_t out = NONE;

	for (size_t i = 0; i < count; i++) {
		const size_t step = ranges[i].step;

		if (phase->steps[step].kind == XS_STEP_D2H) {
			out = step;
			is_out = true;
		} else if (is_out) {
			marks[step] = true;
			found->in++;
			if (out == NONE || marks[out])
				continue;
			marks[out] = true;
			found->out++;
		}
	}
}

void xs_roundtrip_mark(const struct xs_phase *phase, bool *marks,
		       struct xs_roundtrips *found)
{
	struct range *ranges =
	    xs_calloc(phase->step_count + 1, sizeof(*ranges));
	size_t count, first, end;

	*found = (struct xs_roundtrips){0};
	memset(marks, 0, phase->step_count * sizeof(*marks));
	count = collect(phase, ranges);
	for (first = 0; first < count; first = end) {
		end = first + 1;
		while (end < count && is_same(&ranges[first], &ranges[end]))
			end++;
		mark_range(phase, &ranges[first], end - first, marks, found);
	}
	free(ranges);
}

void xs_roundtrip_count(const struct xs_phase *phase,
			struct xs_roundtrips *found)
{
	bool *marks = xs_calloc(phase->step_count + 1, sizeof(*marks));

	xs_roundtrip_mark(phase, marks, found);
	free(marks);
}

bool xs_repeats_measured(const struct xs_phase *phase,
			 struct xs_repeat_counts *sum)
{
	*sum = (struct xs_repeat_counts){0};
	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_repeat_counts *of = &phase->sites[i].repeats;

		sum->compared += of->compared;
		sum->same += of->same;
		sum->back += of->back;
	}
	return sum->compared > 0;
}

bool xs_step_repeats(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D && step->repeats.compared > 0 &&
	       step->repeats.same == step->repeats.compared;
}

void xs_resident_mark(const struct xs_phase *phase, bool same_host, bool *marks,
		      size_t *copies)
{
	struct xs_repeat_counts sum;
	struct xs_roundtrips found;
	const bool measured = xs_repeats_measured(phase, &sum);

	if (!measured)
		xs_roundtrip_mark(phase, marks, &found);
	*copies = 0;
	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		marks[i] = measured
			       ? xs_step_repeats(step)
			       : marks[i] || (same_host && step->same_host &&
					      step->kind == XS_STEP_H2D);
		*copies += marks[i] && step->kind == XS_STEP_H2D;
	}
}

void xs_resident_count(const struct xs_phase *phase, bool same_host,
		       size_t *copies)
{
	bool *marks = xs_calloc(phase->step_count + 1, sizeof(*marks));

	xs_resident_mark(phase, same_host, marks, copies);
	free(marks);
}
