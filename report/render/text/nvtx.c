/* SPDX-License-Identifier: MIT */
/* --by-range: the run by NVTX ranges. */
#include "report/render/text/sections.h"

#include <inttypes.h>

/* Names printed, unless all are asked for. */
#define NAMES_MAX 20u

/* "solver: halo exchange" */
static const char *label(struct xs_arena *arena,
			 const struct xs_result_range *range)
{
	const char *text = range->name;

	if (range->domain)
		text = xs_print(arena, "%s: %s", range->domain, text);
	return range->process ? xs_print(arena, "%s (process)", text) : text;
}

/* No time is no work of that kind. */
static struct xs_units_text time_of(int64_t ns)
{
	return xs_units_ns(ns ? ns : XS_UNKNOWN);
}

static void put_range(struct xs_text_table *table, struct xs_result *result,
		      const struct xs_result_range *in)
{
	XS_TEXT_ROW(table, xs_units_count(in->count).s,
		    label(&result->arena, in), time_of(in->range_ns).s,
		    time_of(in->total_ns).s, time_of(in->h2d_ns).s,
		    time_of(in->kernel_ns).s, time_of(in->d2h_ns).s,
		    time_of(in->host_blocked_ns).s);
}

/* "64 MiB in, 64 MiB out" */
static const char *note(struct xs_result *result,
			const struct xs_result_range *in)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;

	if (in->h2d_bytes > 0)
		list =
		    xs_print(arena, "%s in", xs_units_bytes(in->h2d_bytes).s);
	if (in->d2h_bytes > 0)
		list = xs_arena_join(
		    arena, list,
		    xs_print(arena, "%s out", xs_units_bytes(in->d2h_bytes).s));
	return list;
}

static void put_rest(const struct xs_terminal *terminal,
		     const struct xs_result *result, size_t shown)
{
	const struct xs_result_nvtx *nvtx = result->nvtx;

	if (nvtx->count > shown)
		xs_terminal_print(terminal, XS_DIM,
				  "  %zu more names (--all, --format json)\n",
				  nvtx->count - shown);
	if (nvtx->lost)
		xs_terminal_print(terminal, XS_WARN,
				  "! %" PRId64 " ranges were lost\n",
				  nvtx->lost);
}

void xs_render_text_nvtx(const struct xs_terminal *terminal,
			 struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"count", XS_RIGHT}, {"range", XS_BOLD}, {"each", XS_RIGHT},
	    {"all", XS_RIGHT},	 {"in", XS_RIGHT},   {"kernels", XS_RIGHT},
	    {"out", XS_RIGHT},	 {"waits", XS_RIGHT}};
	const struct xs_result_nvtx *nvtx = result->nvtx;
	const size_t count = result->all_asked || nvtx->count < NAMES_MAX
				 ? nvtx->count
				 : NAMES_MAX;
	const char **notes =
	    xs_arena_alloc(&result->arena, count + 1, sizeof(*notes));
	struct xs_text_table table;

	xs_terminal_heading(terminal, "NVTX ranges",
			    "each: the median; else sums; in, kernels, out: "
			    "what they issued");
	if (nvtx->missing) {
		xs_terminal_wrap(terminal, XS_PLAIN, "  none: ", nvtx->missing);
		return;
	}
	xs_text_table_begin(&table, terminal, headings, 8);
	for (size_t i = 0; i < count; i++) {
		put_range(&table, result, &nvtx->ranges[i]);
		notes[i] = note(result, &nvtx->ranges[i]);
	}
	xs_text_table_end(&table, notes, 6);
	put_rest(terminal, result, count);
}
