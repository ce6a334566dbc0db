/* SPDX-License-Identifier: MIT */
#include "report/result/source_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (64 << 20)

/* A trace may name any path; opening a pipe would block. */
static bool is_readable(const char *file, uint64_t until_ns)
{
	struct stat status;

	return stat(file, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size <= MOST_BYTES &&
	       (uint64_t)status.st_mtim.tv_sec * 1000000000u +
		       (uint64_t)status.st_mtim.tv_nsec <=
		   until_ns;
}

static const char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

const char *xs_source_text(struct xs_arena *arena, const char *file,
			   int64_t line, uint64_t until_ns)
{
	char *text = NULL;
	const char *found = NULL;
	size_t room = 0;
	FILE *in;

	if (!file || line <= 0 || !is_readable(file, until_ns))
		return NULL;
	in = fopen(file, "re");
	if (!in)
		return NULL;
	while (line > 0 && getline(&text, &room, in) >= 0)
		line--;
	if (line == 0)
		found = trim(text);
	found = found && found[0] ? xs_arena_copy(arena, found) : NULL;
	free(text);
	fclose(in);
	return found;
}
