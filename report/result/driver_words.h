/* SPDX-License-Identifier: MIT */
/* Code and texts for programs that call the driver API. */
#pragma once

#include "report/result/arena.h"

/* Returns the text with each first word of the pairs, which end with NULL, in
 * the place of the second one's. A second word must not contain its first one.
 * NULL: no text. */
const char *xs_words_replace(struct xs_arena *arena, const char *text,
			     const char *const (*words)[2]);

/* Returns the text with the driver API's calls in the place of the runtime's.
 * NULL: no text. */
const char *xs_driver_words(struct xs_arena *arena, const char *text);
