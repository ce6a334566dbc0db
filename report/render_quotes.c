/* SPDX-License-Identifier: MIT */
#include "report/render_text.h"

#include <string.h>

#define QUOTES_MAX 3

/* A line that several calls are on is shown once. */
static bool is_shown(const struct xs_result_advice *advice, size_t index)
{
	const struct xs_result_site *site = advice->sites[index];

	for (size_t i = 0; i < index; i++)
		if (advice->sites[i]->text &&
		    advice->sites[i]->line == site->line &&
		    strcmp(advice->sites[i]->file, site->file) == 0)
			return true;
	return false;
}

void xs_render_quotes(const struct xs_pen *pen, struct xs_result *result,
		      const struct xs_result_advice *advice)
{
	unsigned shown = 0;

	for (size_t i = 0; i < advice->site_count && shown < QUOTES_MAX; i++) {
		const struct xs_result_site *site = advice->sites[i];
		const char *label;
		int room;

		if (!site->text || is_shown(advice, i))
			continue;
		label = xs_result_site_label(&result->arena, site);
		room = XS_TEXT_COLUMNS - 9 - (label ? (int)strlen(label) : 0);
		if (!label || room < 8)
			continue;
		xs_pen_print(pen, XS_DIM, "       %s: %.*s\n", label, room,
			     site->text);
		shown++;
	}
}
