/* SPDX-License-Identifier: MIT */
/* Who called the functions that call CUDA: of a helper that all copies go
 * through the line alone says little. */
#include "report/build.h"

#include "analyzer/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Of one place, before the fewer ones are left out. */
#define COLLECTED_MAX 512u

static bool is_same(const struct xs_result_caller *a,
		    const struct xs_result_caller *b)
{
	return a->line == b->line && xs_build_same_text(a->file, b->file) &&
	       xs_build_same_text(a->function, b->function);
}

/* Room for one more: it is doubled where it is full. */
static bool make_room(struct xs_arena *arena, struct xs_result_site *site)
{
	const size_t count = site->caller_count;
	struct xs_result_caller *grown;

	if (count & (count - 1))
		return true;
	grown = xs_arena_alloc(arena, count ? 2 * count : 1,
			       sizeof(*site->callers));
	if (!grown)
		return false;
	if (count)
		memcpy(grown, site->callers, count * sizeof(*grown));
	site->callers = grown;
	return true;
}

void xs_result_add_caller(struct xs_arena *arena, struct xs_result_site *site,
			  const struct xs_result_caller *caller)
{
	size_t at = 0;

	while (at < site->caller_count && !is_same(&site->callers[at], caller))
		at++;
	if (at == site->caller_count) {
		if (at == COLLECTED_MAX || !make_room(arena, site))
			return;
		site->callers[site->caller_count++] = *caller;
		return;
	}
	xs_build_add(&site->callers[at].calls, caller->calls);
}

void xs_build_caller(struct xs_result *result, const struct xs_trace *trace,
		     uint32_t index, int64_t calls, struct xs_result_site *out)
{
	const struct xs_site *site = xs_symbols_user_caller(trace, index);
	struct xs_result_caller caller = {.calls = calls, .line = XS_UNKNOWN};

	if (!site)
		return;
	caller.function = xs_arena_copy(&result->arena, site->symbol);
	caller.file = xs_arena_copy(&result->arena, site->file);
	if (site->line)
		caller.line = site->line;
	if (caller.file)
		xs_result_add_caller(&result->arena, out, &caller);
}

/* Those that called as often stand as in the source. */
static int most_first(const void *a, const void *b)
{
	const struct xs_result_caller *left = a, *right = b;
	int files;

	if (left->calls != right->calls)
		return left->calls < right->calls ? 1 : -1;
	files = strcmp(left->file, right->file);
	return files ? files
		     : (left->line > right->line) - (left->line < right->line);
}

void xs_result_order_callers(struct xs_result_site *site)
{
	if (site->caller_count)
		qsort(site->callers, site->caller_count, sizeof(*site->callers),
		      most_first);
	if (site->caller_count > XS_CALLERS_MAX)
		site->caller_count = XS_CALLERS_MAX;
}
