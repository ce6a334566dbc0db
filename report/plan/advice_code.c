/* SPDX-License-Identifier: MIT */
#include "report/plan/advice_code.h"

#include <string.h>

static bool is_copied(int64_t bytes, const char *memory)
{
	return bytes > 0 && !(memory && strcmp(memory, "pinned") == 0);
}

const char *xs_advice_code(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const char *lines)
{
	const bool in = is_copied(phase->h2d_bytes, phase->src_memory);
	const bool out = is_copied(phase->d2h_bytes, phase->dst_memory);
	const char *code = NULL;

	while (*lines) {
		const size_t length = strcspn(lines, "\n");
		const bool of_in = strncmp(lines, "{in}", 4) == 0;
		const bool of_out = strncmp(lines, "{out}", 5) == 0;
		const size_t skip = of_in ? 4 : of_out ? 5 : 0;

		if ((!of_in || in) && (!of_out || out))
			code =
			    xs_arena_print(arena, "%s%s%.*s", code ? code : "",
					   code ? "\n" : "",
					   (int)(length - skip), lines + skip);
		lines += length + (lines[length] == '\n');
	}
	return code;
}
