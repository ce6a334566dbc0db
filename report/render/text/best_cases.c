/* SPDX-License-Identifier: MIT */
#include "report/render/text/best_cases.h"

#include <string.h>

/* Appends item to a list, once. */
static const char *add_once(struct xs_result *result, const char *list,
			    const char *item)
{
	return list && item && strstr(list, item)
		   ? list
		   : xs_arena_join(&result->arena, list, item);
}

struct xs_text_best_cases xs_text_best_cases(struct xs_result *result,
					     size_t phases)
{
	size_t rows = 0;

	for (size_t i = 0; i < phases; i++)
		rows += result->phases[i].estimate_count;
	return (struct xs_text_best_cases){
	    xs_arena_alloc(&result->arena, rows,
			   sizeof(struct xs_text_best_case)),
	    0};
}

void xs_text_best_cases_add(struct xs_result *result,
			    struct xs_text_best_cases *out,
			    const struct xs_result_estimate *row)
{
	struct xs_text_best_case *items = out->items;
	size_t i = 0;

	if (!row->bound || !items)
		return;
	while (i < out->count && strcmp(items[i].text, row->bound) != 0)
		i++;
	if (i == out->count)
		out->count++;
	items[i].text = row->bound;
	items[i].strategies =
	    add_once(result, items[i].strategies, row->strategy);
}

void xs_text_best_cases_put(const struct xs_terminal *terminal,
			    struct xs_result *result,
			    const struct xs_text_best_cases *cases)
{
	struct xs_arena *arena = &result->arena;
	const char *list = NULL;

	for (size_t i = 0; i < cases->count; i++)
		list = xs_arena_print(arena, "%s%s%s (%s)", list ? list : "",
				      list ? "; " : "", cases->items[i].text,
				      cases->items[i].strategies);
	if (list)
		xs_terminal_wrap(
		    terminal, XS_DIM, "  * ",
		    xs_arena_print(
			arena,
			"the best case, only if %s: not shown by the trace",
			list));
}
