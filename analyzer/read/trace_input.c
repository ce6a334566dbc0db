/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace_input.h"

#include "analyzer/import/import.h"
#include "analyzer/records/pieces.h"
#include "analyzer/records/trace_reader.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a pipe or a compressed file holds. It is read whole, since parts of a
 * trace are read more than once. */
struct whole {
	struct xs_pieces in;
	xs_u8 *data;
	uint64_t size, room;
};

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

/* What was read once is read again: it did not stay in memory. */
static int visit_binary(struct xs_trace_bytes *bytes,
			const struct xs_trace_visitor *visitor,
			const char **error)
{
	int rc = 0;

	if (visitor->survey && bytes->size >= visitor->survey_bytes) {
		rc = xs_trace_reader_read(bytes, visitor->survey, error);
		bytes->filled = bytes->dropped = 0;
	}
	return rc ? rc : xs_trace_reader_read(bytes, visitor, error);
}

static int visit_events(struct xs_trace_bytes *bytes,
			const struct xs_trace_visitor *visitor,
			const char **error);

static int visit(struct xs_trace_bytes *bytes,
		 const struct xs_trace_visitor *visitor, const char **error)
{
	int rc = xs_trace_bytes_need(bytes, XS_PAGE_BYTES);
	xs_importer *importer = NULL;
	FILE *in;

	*error = NULL;
	if (!rc)
		importer = xs_importer_find(bytes->data, bytes->size);
	if (importer == xs_import_chrome)
		return visit_events(bytes, visitor, error);
	if (importer)
		return importer(bytes, visitor, error);
	if (!rc && !xs_text_is(bytes->data, bytes->size))
		return visit_binary(bytes, visitor, error);
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

/* Reads a piece behind the others. Returns its bytes, 0 at the end, or -errno.
 */
static long read_more(struct whole *w)
{
	long bytes;

	if (w->room - w->size < XS_PIECE_BYTES) {
		const uint64_t room = 2 * w->room + XS_PIECE_BYTES;
		xs_u8 *data = xs_realloc(w->data, room);

		w->data = data;
		w->room = room;
	}
	bytes = xs_pieces_read(&w->in, (char *)w->data + w->size);
	w->size += bytes > 0 ? (uint64_t)bytes : 0;
	return bytes;
}

static bool may_be_trace(const struct whole *w)
{
	return xs_importer_find(w->data, w->size) ||
	       xs_text_is(w->data, w->size) ||
	       strncmp((const char *)w->data, XS_FORMAT_MAGIC, w->size) == 0;
}

/* Opens it and reads the first piece. Returns 0 or -errno. */
static int begin(struct whole *w, const struct xs_trace_bytes *bytes,
		 const char **error)
{
	long size = xs_pieces_open(&w->in, bytes);

	if (!size)
		size = read_more(w);
	if (size == -EPROTO)
		return xs_import_fail(error, "%s", w->in.wrong);
	if (size < 0 || !w->in.zipped)
		return size < 0 ? (int)size : 0;
	if (size == 0)
		return xs_import_fail(error, "the compressed file is empty");
	return may_be_trace(w)
		   ? 0
		   : xs_import_fail(error, "compressed, and no trace");
}

/* Reads the rest; of what is no trace nothing, since it may have no end.
 * Returns 0, -EPROTO with w->in.wrong set where that is not all, or -errno. */
static int read_rest(struct whole *w)
{
	long bytes = may_be_trace(w);

	while (bytes > 0 && w->size < XS_WHOLE_MOST_BYTES)
		bytes = read_more(w);
	if (bytes > 0) {
		w->in.wrong = "it is longer than 64 GiB; the rest is not read";
		return -EPROTO;
	}
	return (int)bytes;
}

/* Visits it after begin(). What precedes damage is read, as of a trace that was
 * cut. */
static int visit_whole(struct whole *w, const struct xs_trace_visitor *visitor,
		       const char **error)
{
	struct xs_trace_bytes bytes = {.fd = -1, .is_own = true};
	int rc = read_rest(w);

	bytes.data = w->data;
	bytes.size = w->size;
	if (rc == -EPROTO && xs_importer_find(bytes.data, bytes.size))
		return xs_import_fail(error, "%s", w->in.wrong);
	if (!rc || rc == -EPROTO)
		rc = visit(&bytes, visitor, error);
	if (!rc && w->in.wrong)
		visitor->defect(visitor->self, w->size, w->in.wrong);
	return rc;
}

static void end(struct whole *w)
{
	if (!w)
		return;
	xs_pieces_release(&w->in);
	free(w->data);
	free(w);
}

static int visit_pipe(int file, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	const struct xs_trace_bytes bytes = {.fd = file, .size = UINT64_MAX};
	struct whole *w = xs_calloc(1, sizeof(*w));
	int rc = begin(w, &bytes, error);

	if (!rc)
		rc = visit_whole(w, visitor, error);
	end(w);
	return rc;
}

/* Events of Chrome, which are read as a stream, or any other trace that is
 * compressed. */
static int visit_events(struct xs_trace_bytes *bytes,
			const struct xs_trace_visitor *visitor,
			const char **error)
{
	struct whole *w = xs_calloc(1, sizeof(*w));
	int rc = begin(w, bytes, error);

	if (!rc && w->size >= 10 && memcmp(w->data, "{\"digest\":", 10) == 0)
		rc = xs_import_fail(error, "a digest in a pipe; give it as a "
					   "file, or to xferspy merge");
	else if (!rc && xs_importer_find(w->data, w->size) == xs_import_chrome)
		rc = xs_import_chrome(bytes, visitor, error);
	else if (!rc)
		rc = visit_whole(w, visitor, error);
	end(w);
	return rc;
}

/* The file is read and not mapped: its writer truncates it at the end, and a
 * page of a mapping that is no longer in the file raises SIGBUS. */
static int visit_file(int file, const struct stat *status,
		      const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct xs_trace_bytes bytes = {.fd = file,
				       .size = (uint64_t)status->st_size};
	void *data = NULL;
	int rc;

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

static int visit_open(int file, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct stat status;

	if (fstat(file, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
		return visit_pipe(file, visitor, error);
	if (S_ISREG(status.st_mode))
		return visit_file(file, &status, visitor, error);
	return xs_import_fail(error, "a trace cannot be read from a terminal "
				     "or a device; give a file or a pipe");
}

int xs_trace_input_visit_file(const char *path,
			      const struct xs_trace_visitor *visitor,
			      const char **error)
{
	const bool standard = strcmp(path, "-") == 0;
	const int file =
	    standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	*error = NULL;
	if (file < 0)
		return -errno;
	rc = visit_open(file, visitor, error);
	if (!standard)
		close(file);
	return rc;
}
