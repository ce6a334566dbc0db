/* SPDX-License-Identifier: MIT */
/* A line on standard error, if that is a terminal that can remove it, of what
 * takes longer than a second. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Begins to tell what is done to a file; both texts are borrowed until
 * xs_progress_end(). */
void xs_progress_begin(const char *path, const char *what);

/* From now on it is this, number `index` of `count` (0: not counted). what:
 * static text. */
void xs_progress_set(const char *what, size_t index, size_t count);

/* Removes the line, before something else is printed. It may come back. */
void xs_progress_hide(void);

void xs_progress_end(void);

/* Returns whether TERM says that the terminal has no escape sequences. */
bool xs_progress_is_dumb_terminal(void);
