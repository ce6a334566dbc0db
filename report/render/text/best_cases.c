/* SPDX-License-Identifier: MIT */
#include "report/render/text/best_cases.h"

#include "report/render/text/sections.h"

#include <inttypes.h>
#include <string.h>

/* Whether a printed step names the condition, or the question. */
static bool is_said(const struct xs_result *result, const char *only_if)
{
	const size_t shown = xs_render_text_full_steps(result);
	const struct xs_result_estimate *asked = result->nearest_if;

	if (asked && asked->bound && strcmp(asked->bound, only_if) == 0)
		return true;
	for (size_t i = 0; i < shown; i++)
		for (size_t k = 0; k < result->plan[i].estimate->assume_count;
		     k++)
			if (strcmp(result->plan[i].estimate->assumes[k],
				   only_if) == 0)
				return true;
	return false;
}

struct xs_text_best_cases xs_text_best_cases(struct xs_result *result)
{
	size_t rows = 0;

	for (size_t i = 0; i < result->phase_count; i++)
		rows += result->phases[i].estimate_count;
	return (struct xs_text_best_cases){
	    .items = xs_arena_alloc(&result->arena, rows,
				    sizeof(struct xs_text_best_case))};
}

void xs_text_best_cases_add(struct xs_result *result,
			    struct xs_text_best_cases *out, int64_t phase,
			    const struct xs_result_estimate *row)
{
	struct xs_text_best_case *items = out->items;
	const char *text = row->only_if;
	size_t i = 0;

	if (!text || !items)
		return;
	if (is_said(result, text)) {
		out->said = true;
		return;
	}
	while (i < out->count && strcmp(items[i].text, text) != 0)
		i++;
	if (i == out->count)
		items[out->count++].phase = phase;
	items[i].text = text;
	items[i].once |= row->assumes_once;
	items[i].strategies = xs_arena_join_once(
	    &result->arena, items[i].strategies, row->strategy);
}

static bool is_among(const char *list, const char *part)
{
	return list && part && strstr(list, part);
}

/* " of phase 2" if another item is of the same strategies; "" */
static const char *where(struct xs_result *result,
			 const struct xs_text_best_cases *cases, size_t index)
{
	const struct xs_text_best_case *item = &cases->items[index];

	for (size_t i = 0; i < cases->count; i++)
		if (cases->items[i].phase != item->phase &&
		    (is_among(cases->items[i].strategies, item->strategies) ||
		     is_among(item->strategies, cases->items[i].strategies)))
			return xs_print(&result->arena, " of phase %" PRId64,
					item->phase);
	return "";
}

void xs_text_best_cases_put(const struct xs_terminal *terminal,
			    struct xs_result *result,
			    const struct xs_text_best_cases *cases)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;

	for (size_t i = 0; i < cases->count; i++)
		list = xs_print(arena, "%s%s%s%s: %s%s", list ? list : "",
				list ? "; " : "", cases->items[i].strategies,
				where(result, cases, i), cases->items[i].text,
				cases->items[i].once ? " (run --counters tells)"
						     : "");
	if (cases->said)
		list = xs_print(arena, "on a condition named above%s%s",
				list ? "; " : "", list ? list : "");
	else if (list)
		list = xs_print(arena,
				"on a condition that the trace does not "
				"show: %s",
				list);
	if (list)
		xs_terminal_wrap(terminal, XS_DIM, "  * ", list);
}
