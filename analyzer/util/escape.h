/* SPDX-License-Identifier: MIT */
/*
 * Text from files for a terminal. A trace, a profile or a source file may
 * contain characters that move the cursor, change colours or reverse the order
 * of what is shown. Everything that the command prints passes here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns the length of the first character of a text of at least one byte, 1
 * for a byte that is not UTF-8. Stores in *unsafe whether a terminal must not
 * get it: controls (C0, DEL, C1), marks that reorder text, invisible
 * characters, bytes that are not UTF-8. *code becomes its code point.
 */
size_t xs_escape_next(const char *text, size_t size, uint32_t *code,
		      bool *unsafe);

/* Returns the bytes of the text before its first unsafe character that is not
 * in keep. */
size_t xs_escape_safe(const char *text, size_t size, const char *keep);

/* Writes text; each byte of unsafe characters becomes \xHH, except those in
 * keep. */
void xs_escape_write(const char *text, size_t size, const char *keep,
		     FILE *out);

/* Returns the text as xs_escape_write() writes it. The
 * caller frees it. */
char *xs_escape_copy(const char *text, const char *keep);
