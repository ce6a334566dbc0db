/* SPDX-License-Identifier: MIT */
/* Copies whose memory is the start of an allocation: two copies of adjacent
 * memory may then be of two arrays. */
#include "analyzer/rounds/allocation_starts.h"

#include <errno.h>
#include <stdlib.h>

static bool is_start(const struct xs_call *call)
{
	return xs_call_allocates(call->call_class) && call->error == 0 &&
	       call->dst != 0;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Stores the addresses, unless NULL. Returns their number. */
static size_t list(const struct xs_trace *trace, uint64_t *addresses)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->call_count; i++) {
		if (!is_start(&trace->calls[i]))
			continue;
		if (addresses)
			addresses[count] = trace->calls[i].dst;
		count++;
	}
	return count;
}

static bool has(const uint64_t *addresses, size_t count, uint64_t address)
{
	return bsearch(&address, addresses, count, sizeof(*addresses),
		       by_address) != NULL;
}

static void mark(struct xs_phase *phase, const uint64_t *addresses,
		 size_t count)
{
	for (size_t i = 0; i < phase->step_count; i++) {
		struct xs_step *step = &phase->steps[i];

		if (step->kind != XS_STEP_H2D && step->kind != XS_STEP_D2H)
			continue;
		step->src_starts = has(addresses, count, step->src);
		step->dst_starts = has(addresses, count, step->dst);
	}
}

int xs_allocation_starts_find(const struct xs_trace *trace,
			      struct xs_phases *phases)
{
	const size_t count = list(trace, NULL);
	uint64_t *addresses = malloc((count + 1) * sizeof(*addresses));

	if (!addresses)
		return -ENOMEM;
	list(trace, addresses);
	qsort(addresses, count, sizeof(*addresses), by_address);
	for (size_t i = 0; i < phases->count; i++)
		mark(&phases->items[i], addresses, count);
	free(addresses);
	return 0;
}
