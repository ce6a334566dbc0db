/* SPDX-License-Identifier: MIT */
#include "report/render_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define QUOTES_MAX    3
#define CALLERS_SHOWN 3

static bool has_something(const struct xs_result_site *site)
{
	return site->file && (site->text || site->caller_count);
}

/* A line that several calls are on is shown once. */
static bool is_shown(const struct xs_result_advice *advice, size_t index)
{
	const struct xs_result_site *site = advice->sites[index];

	for (size_t i = 0; i < index; i++)
		if (has_something(advice->sites[i]) &&
		    advice->sites[i]->line == site->line &&
		    strcmp(advice->sites[i]->file, site->file) == 0)
			return true;
	return false;
}

/* One caller says where from by itself; of several, how often. */
static const char *callers_text(struct xs_arena *arena,
				const struct xs_result_site *site)
{
	const char *text = "called from";

	for (size_t i = 0; i < site->caller_count && i < CALLERS_SHOWN; i++) {
		const struct xs_result_caller *caller = &site->callers[i];
		const char *base = strrchr(caller->file, '/');
		const char *function =
		    caller->function
			? xs_result_function_name(arena, caller->function)
			: NULL;

		text = xs_arena_print(
		    arena, "%s%s %s%s%s:%" PRId64, text, i ? "," : "",
		    function ? function : "", function ? " at " : "",
		    base ? base + 1 : caller->file, caller->line);
		if (text && site->caller_count > 1)
			text = xs_arena_print(arena, "%s (%" PRId64 " call%s)",
					      text, caller->calls,
					      caller->calls == 1 ? "" : "s");
		if (!text)
			return NULL;
	}
	return site->caller_count > CALLERS_SHOWN
		   ? xs_arena_print(arena, "%s, ...", text)
		   : text;
}

/* Whether there was room for it. */
static bool quote(const struct xs_pen *pen, const char *label, const char *text)
{
	const int room = XS_TEXT_COLUMNS - 9 - (label ? (int)strlen(label) : 0);

	if (!label || room < 8)
		return false;
	if (text)
		xs_pen_print(pen, XS_DIM, "       %s: %.*s\n", label, room,
			     text);
	else
		xs_pen_print(pen, XS_DIM, "       %s\n", label);
	return true;
}

void xs_render_quotes(const struct xs_pen *pen, struct xs_result *result,
		      const struct xs_result_advice *advice)
{
	unsigned shown = 0;

	for (size_t i = 0; i < advice->site_count && shown < QUOTES_MAX; i++) {
		const struct xs_result_site *site = advice->sites[i];

		if (!has_something(site) || is_shown(advice, i) ||
		    !quote(pen, xs_result_site_label(&result->arena, site),
			   site->text))
			continue;
		if (site->caller_count)
			xs_pen_wrap(pen, XS_DIM, "         ",
				    callers_text(&result->arena, site));
		shown++;
	}
}
