/* SPDX-License-Identifier: MIT */
/* The text of a source line, where the file is there. */
#ifndef XS_REPORT_RESULT_SOURCE_TEXT_H
#define XS_REPORT_RESULT_SOURCE_TEXT_H

#include "report/result/arena.h"

#include <stdint.h>

/*
 * The line of a file without the blanks around it, and without characters that
 * a terminal would obey. NULL: there is no such file or line, or the file was
 * changed after `until_ns` (CLOCK_REALTIME) and says something else by now.
 */
const char *xs_source_text(struct xs_arena *arena, const char *file,
			   int64_t line, uint64_t until_ns);

#endif
