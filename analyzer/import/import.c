/* SPDX-License-Identifier: MIT */
#include "analyzer/import/import.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int xs_import_fail(const char **error, const char *format, ...)
{
	static _Thread_local char message[PATH_MAX + 400];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	*error = message;
	return -EPROTO;
}

/* A report of Nsight Systems, in a format that only nsys reads. */
static int refuse_report(const struct xs_trace_bytes *bytes,
			 const struct xs_trace_visitor *visitor,
			 const char **error)
{
	(void)bytes;
	(void)visitor;
	return xs_import_fail(
	    error,
	    "a report of Nsight Systems, which only nsys reads; export "
	    "it with `nsys export --type sqlite -o OUT.sqlite FILE`, and "
	    "give OUT.sqlite");
}

static bool begins_json(const char *text, uint64_t size)
{
	size_t at = 0;

	while (at < size && at < XS_PAGE_BYTES && strchr(" \t\r\n", text[at]) &&
	       text[at])
		at++;
	return at < size && (text[at] == '{' || text[at] == '[');
}

xs_importer *xs_importer_find(const void *data, uint64_t size)
{
	static const struct {
		const char *begin;
		size_t bytes;
		xs_importer *importer;
	} kinds[] = {
	    {"SQLite format 3", 16, xs_import_nsys},
	    {"NVIDIA Tegra Profiler Report", 28, refuse_report},
	    {"\x1f\x8b", 2, xs_import_chrome},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].bytes &&
		    memcmp(data, kinds[i].begin, kinds[i].bytes) == 0)
			return kinds[i].importer;
	return begins_json(data, size) ? xs_import_chrome : NULL;
}
