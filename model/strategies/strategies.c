/* SPDX-License-Identifier: MIT */
#include "model/strategies/strategies.h"

#include <string.h>

/* One row for each strategy, in the order of the report. as-is comes first:
 * savings are counted from it. */
#define STRATEGIES(ROW)                                                        \
	ROW(as_is)                                                             \
	ROW(pinned)                                                            \
	ROW(streams)                                                           \
	ROW(prefetch)                                                          \
	ROW(double_buffer)                                                     \
	ROW(reuse)                                                             \
	ROW(graph)                                                             \
	ROW(batch)                                                             \
	ROW(batch_call)                                                        \
	ROW(batch_kernel)                                                      \
	ROW(resident)                                                          \
	ROW(resident_throughout)                                               \
	ROW(async)                                                             \
	ROW(mapped)                                                            \
	ROW(hybrid)                                                            \
	ROW(device_initiated)                                                  \
	ROW(machine)

#define DECLARE(name) extern const struct xs_strategy xs_strategy_##name;
STRATEGIES(DECLARE)

#define ADDRESS(name) &xs_strategy_##name,
const struct xs_strategy *const xs_strategies[] = {STRATEGIES(ADDRESS)};
const size_t xs_strategy_count =
    sizeof(xs_strategies) / sizeof(xs_strategies[0]);

const struct xs_strategy *xs_strategy_find(const char *id)
{
	const size_t length = strcspn(id, ":");

	for (size_t i = 0; i < xs_strategy_count; i++)
		if (strlen(xs_strategies[i]->id) == length &&
		    !memcmp(xs_strategies[i]->id, id, length))
			return xs_strategies[i];
	return NULL;
}

bool xs_strategy_includes(const struct xs_strategy *outer,
			  const struct xs_strategy *inner)
{
	return !(inner->changes & ~(outer->changes | outer->spares));
}

bool xs_strategy_are_apart(const struct xs_strategy *a,
			   const struct xs_strategy *b)
{
	return !((a->changes | a->spares) & b->changes) &&
	       !((b->changes | b->spares) & a->changes);
}
