/* SPDX-License-Identifier: MIT */
/* Rounds that always follow the same kind of round join in passes, of which
 * there are few, however many a trace would take. */
#include "tests/unit.h"

#include "analyzer/rounds/join_rounds.h"
#include "analyzer/util/hash.h"

#include <stdlib.h>

#define ITERATIONS  6u
#define MANY_LEVELS 500u

/* Two kinds of iterations in turn. Each begins with a round that copies in, and
 * then has two rounds a level: one that both kinds of iterations have, and one
 * of its own. Only when a level has joined, the next one follows different
 * kinds of rounds. */
static void add_iteration(struct xs_rounds *rounds, unsigned kind,
			  unsigned levels)
{
	const size_t first = rounds->count;

	rounds->count += 1 + 2 * levels;
	for (size_t i = first; i < rounds->count; i++) {
		const size_t at = i - first;

		rounds->calls[i] = (uint32_t)i;
		rounds->items[i] = (struct xs_round){
		    .key = xs_hash_mix(at, at % 2 ? 0 : 1 + kind),
		    .h2d_bytes = at ? 0 : 1 << 20,
		    .op_count = 1,
		    .first_op = (uint32_t)i,
		    .call_count = 1,
		    .first_call = (uint32_t)i,
		};
	}
}

/* Returns how many rounds are left. */
static size_t join(unsigned levels)
{
	const size_t count = ITERATIONS * (1 + 2 * levels);
	struct xs_call *calls = calloc(count, sizeof(*calls));
	const struct xs_trace trace = {.calls = calls, .call_count = count};
	struct xs_rounds rounds = {.items =
				       calloc(count, sizeof(*rounds.items)),
				   .calls = calloc(count, sizeof(uint32_t))};

	assert_true(calls && rounds.items && rounds.calls);
	for (unsigned i = 0; i < ITERATIONS; i++)
		add_iteration(&rounds, i % 2, levels);
	xs_rounds_join(&trace, &rounds, NULL);
	free(calls);
	free(rounds.items);
	free(rounds.calls);
	return rounds.count;
}

TEST(few_passes_join_all)
{
	assert_int_equal(join(1), ITERATIONS);
	assert_int_equal(join(8), ITERATIONS);
}

TEST(passes_are_bounded)
{
	assert_true(join(MANY_LEVELS) > ITERATIONS * MANY_LEVELS);
}
