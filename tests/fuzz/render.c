/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"

#include "analyzer/util/escape.h"
#include "report/render/renderer.h"

#include <stdlib.h>

void xs_fuzz_check_safe(const char *text, size_t size)
{
	while (size > 0) {
		uint32_t code;
		bool unsafe;
		const size_t length =
		    xs_escape_next(text, size, &code, &unsafe);

		if (unsafe && *text != '\n')
			abort();
		text += length;
		size -= length;
	}
}

void xs_fuzz_render(struct xs_result *result)
{
	for (size_t i = 0; i < xs_renderer_count; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		/* of any width */
		const struct xs_display display = {
		    .columns = XS_DISPLAY_COLUMNS + 10 * ((int)i - 2)};

		if (!out)
			return;
		if (xs_renderers[i]->report)
			xs_renderers[i]->report(&result, 1, &display, out);
		if (fclose(out) == 0)
			xs_fuzz_check_safe(text, size);
		free(text);
	}
}
