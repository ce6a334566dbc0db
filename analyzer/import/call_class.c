/* SPDX-License-Identifier: MIT */
#include "analyzer/import/call_class.h"

#include "preload/format.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
	const size_t bytes = strlen(end);

	return length > bytes && memcmp(text + length - bytes, end, bytes) == 0;
}

/* Returns the length without a version at the end. */
static size_t without_version(const char *text, size_t length)
{
	size_t digits = length;

	while (digits > 0 && isdigit((unsigned char)text[digits - 1]))
		digits--;
	return digits < length && ends_with(text, digits, "_v") ? digits - 2
								: length;
}

static size_t base_length(const char *text)
{
	size_t length = strlen(text), before;

	do {
		before = length;
		length = without_version(text, length);
		if (ends_with(text, length, "_ptsz") ||
		    ends_with(text, length, "_ptds"))
			length -= 5;
	} while (length < before);
	return length;
}

static bool is_named(const char *function, const char *name, size_t length)
{
	return base_length(function) == length &&
	       memcmp(function, name, length) == 0;
}

uint8_t xs_call_class_of(const char *name)
{
	const size_t length = base_length(name);

	for (const struct xs_call_class_row *row = xs_call_class_rows;
	     row->function; row++)
		if (is_named(row->function, name, length))
			return row->call_class;
	/* of old runtimes */
	if (is_named("cudaLaunch", name, length))
		return XS_CALL_LAUNCH;
	if (is_named("cudaThreadSynchronize", name, length))
		return XS_CALL_SYNC_DEVICE;
	return XS_CALL_OTHER;
}

int xs_call_name_length(const char *function)
{
	const size_t length = strlen(function);

	return (int)(strncmp(function, "cuda", 4) == 0
			 ? without_version(function, length)
			 : length);
}
