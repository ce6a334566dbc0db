/* SPDX-License-Identifier: MIT */
#include "report/render/text/sections.h"

#include "report/result/site.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Without --all. */
#define QUOTES_MAX    3
#define CALLERS_SHOWN 3

static bool has_line(const struct xs_result_step *step, size_t count,
		     const struct xs_result_site *site)
{
	for (size_t i = 0; i < count; i++)
		if (xs_result_same_line(step->sites[i], site))
			return true;
	return false;
}

/* A line with several calls is printed once, by the first step that has it. */
static bool is_shown(const struct xs_result *result,
		     const struct xs_result_step *step, size_t index)
{
	for (const struct xs_result_step *before = result->plan; before < step;
	     before++)
		if (has_line(before, before->site_count, step->sites[index]))
			return true;
	return has_line(step, index, step->sites[index]);
}

/* The site with the callers of all sites on its line. */
static struct xs_result_site
line_of(struct xs_arena *arena, const struct xs_result_step *step, size_t index)
{
	struct xs_result_site line = *step->sites[index];

	line.callers = NULL;
	line.caller_count = 0;
	for (size_t i = index; i < step->site_count; i++) {
		const struct xs_result_site *site = step->sites[i];

		if (!xs_result_same_line(site, &line))
			continue;
		for (size_t j = 0; j < site->caller_count; j++)
			xs_result_add_caller(arena, &line, &site->callers[j]);
	}
	xs_result_order_callers(&line);
	return line;
}

/* Number of calls only if there are several callers. */
static const char *callers_text(struct xs_result *result,
				const struct xs_result_site *site)
{
	const size_t most = result->all_asked ? XS_CALLERS_MAX : CALLERS_SHOWN;
	struct xs_arena *arena = &result->arena;
	const char *text = "called from";

	for (size_t i = 0; i < site->caller_count && i < most; i++) {
		const struct xs_result_caller *caller = &site->callers[i];
		const char *base = strrchr(caller->file, '/');
		const char *function =
		    caller->function
			? xs_result_function_name(arena, caller->function)
			: NULL;

		text =
		    xs_print(arena, "%s%s %s%s%s", text, i ? "," : "",
			     function ? function : "", function ? " at " : "",
			     base ? base + 1 : caller->file);
		if (text && caller->line != XS_UNKNOWN)
			text =
			    xs_print(arena, "%s:%" PRId64, text, caller->line);
		if (text && site->caller_count > 1)
			text = xs_print(arena, "%s (%" PRId64 " call%s)", text,
					caller->calls,
					caller->calls == 1 ? "" : "s");
		if (!text)
			return NULL;
	}
	return site->caller_count > most
		   ? xs_print(arena, "%s and %zu more (--all)", text,
			      site->caller_count - most)
		   : text;
}

/* Prints a source line; false if it does not fit. */
static bool quote(const struct xs_terminal *terminal, const char *label,
		  const char *text)
{
	const int room =
	    terminal->display.columns - 9 - (label ? (int)strlen(label) : 0);

	if (!label || room < 8)
		return false;
	if (text && strlen(text) > (size_t)room)
		xs_terminal_print(terminal, XS_DIM, "       %s: %.*s...\n",
				  label, room - 3, text);
	else if (text)
		xs_terminal_print(terminal, XS_DIM, "       %s: %s\n", label,
				  text);
	else
		xs_terminal_print(terminal, XS_DIM, "       %s\n", label);
	return true;
}

void xs_render_text_source_lines(const struct xs_terminal *terminal,
				 struct xs_result *result,
				 const struct xs_result_step *step)
{
	const size_t most = result->all_asked ? SIZE_MAX : QUOTES_MAX;
	size_t shown = 0;

	for (size_t i = 0; i < step->site_count && shown < most; i++) {
		struct xs_result_site line;

		if (!step->sites[i]->file || is_shown(result, step, i))
			continue;
		line = line_of(&result->arena, step, i);
		/* a single caller is not worth a line of its own */
		if (!line.text && line.caller_count < 2)
			continue;
		if (!quote(terminal,
			   xs_result_site_label(&result->arena, &line),
			   line.text))
			continue;
		if (line.caller_count)
			xs_terminal_wrap(terminal, XS_DIM, "         ",
					 callers_text(result, &line));
		shown++;
	}
}
