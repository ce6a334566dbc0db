/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace_input.h"

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

/* Reads until the end of the file, which may come earlier than at *size:
 * stores where. Returns 0 or -errno. */
static int read_all(int fd, char *data, size_t *size)
{
	size_t done = 0;
	ssize_t n = 1;

	while (n && done < *size) {
		n = pread(fd, data + done, *size - done, (off_t)done);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	*size = done;
	return 0;
}

/* The file is read and not mapped: its writer truncates it at the end, and a
 * page of a mapping that is no longer in the file raises SIGBUS. */
static int visit_file(FILE *file, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct stat status;
	void *data = NULL;
	size_t size, mapped;
	int rc;

	if (fstat(fileno(file), &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	size = mapped = (size_t)status.st_size;
	if (mapped > 0) {
		data = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (data == MAP_FAILED)
			return -errno;
	}
	rc = read_all(fileno(file), data, &size);
	if (!rc)
		rc = visit(data, size, true, visitor, error);
	if (data)
		munmap(data, mapped);
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
