/* SPDX-License-Identifier: MIT */
#include "report/render/renderer.h"

#include <string.h>

/* The table of renderers, the default first. */
#define RENDERERS(ROW)                                                         \
	ROW(xs_renderer_text)                                                  \
	ROW(xs_renderer_json)                                                  \
	ROW(xs_renderer_html)                                                  \
	ROW(xs_renderer_csv)                                                   \
	ROW(xs_renderer_dot)

#define DECLARE(renderer) extern const struct xs_renderer renderer;
#define ADDRESS(renderer) &(renderer),
RENDERERS(DECLARE)

const struct xs_renderer *const xs_renderers[] = {RENDERERS(ADDRESS)};
const size_t xs_renderer_count = sizeof(xs_renderers) / sizeof(xs_renderers[0]);

bool xs_renderer_offers(const struct xs_renderer *renderer,
			enum xs_render_command command)
{
	switch (command) {
	case XS_RENDER_REPORT:
		return renderer->report != NULL;
	case XS_RENDER_DIFF:
		return renderer->diff != NULL;
	case XS_RENDER_MODEL:
		return renderer->model != NULL;
	}
	return false;
}

const struct xs_renderer *xs_renderer_find(const char *name,
					   enum xs_render_command command)
{
	for (size_t i = 0; i < xs_renderer_count; i++)
		if (xs_renderer_offers(xs_renderers[i], command) &&
		    strcmp(xs_renderers[i]->name, name) == 0)
			return xs_renderers[i];
	return NULL;
}

void xs_renderer_names(enum xs_render_command command, char *out, size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < xs_renderer_count && used < size; i++)
		if (xs_renderer_offers(xs_renderers[i], command))
			used += (size_t)snprintf(out + used, size - used,
						 "%s%s", used ? ", " : "",
						 xs_renderers[i]->name);
}
