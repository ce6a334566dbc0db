/* SPDX-License-Identifier: MIT */
/* The text of a source line. */
#pragma once

#include "report/result/arena.h"

#include <stdint.h>

/*
 * Returns the line without surrounding blanks and control characters. NULL if
 * the file or line does not exist, or if the file changed after until_ns
 * (CLOCK_REALTIME) with other content.
 */
const char *xs_source_text(struct xs_arena *arena, const char *file,
			   int64_t line, uint64_t until_ns);
