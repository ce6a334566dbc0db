/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace_input.h"

#include "analyzer/records/trace_reader.h"
#include "analyzer/text/trace_text.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

static int visit_text(FILE *in, uint64_t size,
		      const struct xs_trace_visitor *visitor,
		      const char **error)
{
	static _Thread_local char message[160];
	struct xs_text_error where = {0};
	int rc = xs_text_read(in, size, visitor, &where);

	if (rc == -EPROTO || rc == -EPROTONOSUPPORT) {
		snprintf(message, sizeof(message), "line %lu: %s", where.line,
			 where.text);
		*error = message;
	}
	return rc;
}

static int visit(const void *data, size_t size, bool mapped,
		 const struct xs_trace_visitor *visitor, const char **error)
{
	FILE *in;
	int rc;

	*error = NULL;
	if (!xs_text_is(data, size))
		return xs_trace_reader_read(data, size, mapped, visitor, error);
	in = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!in)
		return -errno;
	rc = visit_text(in, size, visitor, error);
	fclose(in);
	return rc;
}

int xs_trace_input_visit_memory(const void *data, size_t size,
				const struct xs_trace_visitor *visitor,
				const char **error)
{
	return visit(data, size, false, visitor, error);
}

static int visit_file(FILE *file, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct stat status;
	void *data = NULL;
	size_t size;
	int rc;

	if (fstat(fileno(file), &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	size = (size_t)status.st_size;
	if (size > 0) {
		data =
		    mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
		if (data == MAP_FAILED)
			return -errno;
	}
	rc = visit(data, size, true, visitor, error);
	if (data)
		munmap(data, size);
	return rc;
}

int xs_trace_input_visit_file(const char *path,
			      const struct xs_trace_visitor *visitor,
			      const char **error)
{
	FILE *file = fopen(path, "re");
	int rc;

	*error = NULL;
	if (!file)
		return -errno;
	rc = visit_file(file, visitor, error);
	fclose(file);
	return rc;
}
