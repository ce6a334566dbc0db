/* SPDX-License-Identifier: MIT */
/* --pinned-budget: which buffers to pin first. */
#include "report/render/text/sections.h"

#include "report/result/site.h"
#include "report/result/step_text.h"

#include <inttypes.h>
#include <string.h>

/* Places printed; JSON has all. */
#define PLACES_MAX 12u

static void put_place(struct xs_text_table *table, struct xs_arena *arena,
		      const struct xs_result_pinned_place *in)
{
	XS_TEXT_ROW(
	    table, xs_units_count(in->phase).s, in->step,
	    in->site ? xs_result_site_label(arena, in->site) : "",
	    xs_print(arena, "%" PRId64 " of %" PRId64, in->taken, in->buffers),
	    xs_units_bytes(in->taken_bytes).s, xs_units_ns(in->saves_ns).s);
}

/* Why no buffer is pinned: as the plan says, if that is not known. */
static const char *why_none(const struct xs_result *result)
{
	if (result->no_step && strncmp(result->no_step, "not known", 9) == 0)
		return result->no_step;
	return result->no_pinning ? result->no_pinning
				  : "none: no pageable buffer is worth it";
}

/* ", only if ...": the conditions of the plan's first step that pins; or "" */
static const char *conditions(struct xs_result *result)
{
	const char *text = NULL;

	for (size_t i = 0; !text && i < result->plan_count; i++)
		if (strcmp(result->plan[i].estimate->strategy, "pinned") == 0)
			text =
			    xs_result_step_conditions(result, &result->plan[i]);
	return text ? xs_print(&result->arena, ", %s", text) : "";
}

void xs_render_text_pinned_budget(const struct xs_terminal *terminal,
				  struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"#", XS_RIGHT | XS_BOLD}, {"", XS_PLAIN},
	    {"place", XS_PLAIN},       {"buffers", XS_RIGHT},
	    {"pinned", XS_RIGHT},      {"saves", XS_RIGHT}};
	const struct xs_result_pinned_budget *in = result->pinned_budget;
	const size_t count = in->count < PLACES_MAX ? in->count : PLACES_MAX;
	struct xs_arena *arena = &result->arena;
	struct xs_text_table table;

	xs_terminal_heading(
	    terminal, "Pinned memory",
	    xs_print(arena,
		     "which buffers to pin within %s, most gain per byte "
		     "first",
		     xs_units_bytes(in->budget_bytes).s));
	if (!in->count) {
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", why_none(result));
		return;
	}
	xs_text_table_begin(&table, terminal, headings, 6);
	for (size_t i = 0; i < count; i++)
		put_place(&table, arena, &in->places[i]);
	xs_text_table_end(&table, NULL, 0);
	xs_terminal_wrapf(terminal, XS_PLAIN, "  ",
			  "in all %s pinned, which save %s of the run with "
			  "what pinning takes%s",
			  xs_units_bytes(in->used_bytes).s,
			  xs_units_ns(in->saves_ns).s, conditions(result));
}
