/* SPDX-License-Identifier: MIT */
#pragma once

#include "tests/unit.h"

#include <stdio.h>

/* Returns the text of a file; the caller frees it. Fails the test if the file
 * cannot be read. */
static inline char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in || getdelim(&text, &size, '\0', in) < 0)
		fail_msg("%s cannot be read", path);
	fclose(in);
	return text;
}
