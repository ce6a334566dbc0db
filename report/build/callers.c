/* SPDX-License-Identifier: MIT */
/* The callers of functions that call CUDA. If all copies go through one helper
 * function, its line alone does not identify the copy. */
#include "report/build/build.h"

#include "analyzer/symbols/symbols.h"
#include "report/result/site.h"

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
