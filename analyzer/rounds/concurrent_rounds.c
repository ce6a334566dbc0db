/* SPDX-License-Identifier: MIT */
/* Time in which rounds of several threads or devices overlap. */
#include "analyzer/rounds/rounds.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* Sweeps over the sorted begins and ends of all rounds that take time. */
static void sweep(struct xs_rounds *rounds, const struct xs_key *begins,
		  const struct xs_key *ends, size_t count)
{
	uint64_t now_ns = 0, crowded_ns = 0; /* so far: time in which two or
					      * more rounds ran */
	double wall_ns = 0; /* so far: of a round that ran all the time */
	size_t begun = 0, ended = 0;

	while (ended < count) {
		bool ends_one =
		    begun == count || ends[ended].key <= begins[begun].key;
		const struct xs_key *key =
		    ends_one ? &ends[ended] : &begins[begun];
		struct xs_round *round = &rounds->items[key->index];

		if (begun - ended >= 2)
			crowded_ns += key->key - now_ns;
		if (begun > ended)
			wall_ns += (double)(key->key - now_ns) /
				   (double)(begun - ended);
		now_ns = key->key;
		/* until the round ends: the times before it began */
		round->concurrent_ns =
		    ends_one ? crowded_ns - round->concurrent_ns : crowded_ns;
		round->wall_ns = ends_one ? wall_ns - round->wall_ns : wall_ns;
		if (ends_one)
			ended++;
		else
			begun++;
	}
}

void xs_rounds_find_concurrent(struct xs_rounds *rounds)
{
	struct xs_key *begins =
	    xs_malloc((rounds->count + 1) * sizeof(*begins));
	struct xs_key *ends = xs_malloc((rounds->count + 1) * sizeof(*ends));
	size_t count = 0;

	for (size_t i = 0; i < rounds->count; i++) {
		const struct xs_round *round = &rounds->items[i];

		if (round->end_ns <= round->begin_ns)
			continue;
		begins[count] = (struct xs_key){round->begin_ns, (uint32_t)i};
		ends[count++] = (struct xs_key){round->end_ns, (uint32_t)i};
	}
	xs_keys_sort(begins, count);
	xs_keys_sort(ends, count);
	sweep(rounds, begins, ends, count);
	free(begins);
	free(ends);
}
