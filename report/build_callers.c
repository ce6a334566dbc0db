/* SPDX-License-Identifier: MIT */
/* Who called the functions that call CUDA: of a helper that all copies go
 * through the line alone says little. */
#include "report/build.h"

#include "analyzer/symbols.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct xs_result_caller *caller,
		    const struct xs_site *site)
{
	if (caller->line != site->line || strcmp(caller->file, site->file) != 0)
		return false;
	return caller->function && site->symbol
		   ? strcmp(caller->function, site->symbol) == 0
		   : !caller->function && !site->symbol;
}

void xs_build_caller(struct xs_result *result, const struct xs_trace *trace,
		     uint32_t index, int64_t calls, struct xs_result_site *out)
{
	const struct xs_site *caller = xs_symbols_user_caller(trace, index);
	size_t at = 0;

	if (!caller)
		return;
	if (!out->callers)
		out->callers = xs_arena_alloc(&result->arena, XS_CALLERS_MAX,
					      sizeof(*out->callers));
	if (!out->callers)
		return;
	while (at < out->caller_count && !is_same(&out->callers[at], caller))
		at++;
	if (at == XS_CALLERS_MAX)
		return;
	if (at == out->caller_count) {
		out->callers[at] = (struct xs_result_caller){
		    .function = xs_arena_copy(&result->arena, caller->symbol),
		    .file = xs_arena_copy(&result->arena, caller->file),
		    .line = caller->line,
		};
		if (!out->callers[at].file)
			return;
		out->caller_count++;
	}
	out->callers[at].calls += calls;
}

static int most_first(const void *a, const void *b)
{
	const struct xs_result_caller *left = a, *right = b;

	return (left->calls < right->calls) - (left->calls > right->calls);
}

void xs_build_order_callers(struct xs_result_site *site)
{
	if (site->caller_count)
		qsort(site->callers, site->caller_count, sizeof(*site->callers),
		      most_first);
}
