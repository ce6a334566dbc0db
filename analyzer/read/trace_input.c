/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace_input.h"

#include "analyzer/import/import.h"
#include "analyzer/records/trace_reader.h"
#include "analyzer/text/trace_text.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int visit(struct xs_trace_bytes *bytes,
		 const struct xs_trace_visitor *visitor, const char **error)
{
	int rc = xs_trace_bytes_need(bytes, XS_PAGE_BYTES);
	xs_importer *importer = NULL;
	FILE *in;

	*error = NULL;
	if (!rc)
		importer = xs_importer_find(bytes->data, bytes->size);
	if (importer)
		return importer(bytes, visitor, error);
	if (!rc && !xs_text_is(bytes->data, bytes->size))
		return xs_trace_reader_read(bytes, visitor, error);
	if (!rc)
		rc = xs_trace_bytes_need(bytes, bytes->size);
	if (rc)
		return rc;
	in = fmemopen((void *)(uintptr_t)bytes->data, bytes->size, "r");
	if (!in)
		return -errno;
	rc = visit_text(in, bytes->size, visitor, error);
	fclose(in);
	return rc;
}

int xs_trace_input_visit_memory(const void *data, size_t size,
				const struct xs_trace_visitor *visitor,
				const char **error)
{
	struct xs_trace_bytes bytes = {.data = data, .size = size, .fd = -1};

	return visit(&bytes, visitor, error);
}

/* The file is read and not mapped: its writer truncates it at the end, and a
 * page of a mapping that is no longer in the file raises SIGBUS. */
static int visit_file(FILE *file, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct xs_trace_bytes bytes = {.fd = fileno(file)};
	struct stat status;
	void *data = NULL;
	int rc;

	if (fstat(fileno(file), &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode)) {
		*error = "a trace cannot be read from a pipe or a device; give "
			 "a file";
		return -EPROTO;
	}
	bytes.size = (uint64_t)status.st_size;
	if (bytes.size > 0) {
		data = mmap(NULL, bytes.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (data == MAP_FAILED)
			return -errno;
	}
	bytes.data = data;
	rc = visit(&bytes, visitor, error);
	if (data)
		munmap(data, bytes.size);
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
