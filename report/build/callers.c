/* SPDX-License-Identifier: MIT */
/* Who called the functions that call CUDA: of a helper that all copies go
 * through the line alone says little. */
#include "report/build/build.h"

#include "analyzer/symbols.h"
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
