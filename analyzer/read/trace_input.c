/* SPDX-License-Identifier: MIT */
#include "analyzer/read/trace_input.h"

#include "analyzer/import/import.h"
#include "analyzer/records/pieces.h"
#include "analyzer/records/trace_reader.h"
#include "analyzer/text/trace_text.h"
#include "analyzer/util/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A compressed trace. Its pieces are copied to a file without a name. */
struct zipped {
	struct xs_pieces in;
	char piece[XS_PIECE_BYTES];
	uint64_t size;
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

/* Reads until there are so many bytes or no more. Returns their number, or
 * -errno. */
static ssize_t read_piece(int from, char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const ssize_t n = read(from, bytes + at, size - at);

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)at;
}

/* A write beyond the limit would end the process by SIGXFSZ. */
static bool may_hold(int file, size_t more)
{
	const off_t size = lseek(file, 0, SEEK_CUR);
	struct rlimit limit;

	return size >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (uint64_t)size + more <= limit.rlim_cur;
}

static int write_piece(int to, const char *bytes, size_t size)
{
	if (!may_hold(to, size))
		return -EFBIG;
	for (size_t at = 0; at < size;) {
		const ssize_t n = write(to, bytes + at, size - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static bool may_be_trace(const char *bytes, size_t size)
{
	return xs_importer_find(bytes, size) || xs_text_is(bytes, size) ||
	       strncmp(bytes, XS_FORMAT_MAGIC, size) == 0;
}

/* Returns whether the first piece of a pipe is of a trace, also of one that is
 * compressed. */
static bool begins_trace(const char *bytes, size_t size)
{
	const struct xs_trace_bytes first = {
	    .data = (const xs_u8 *)bytes, .size = size, .fd = -1};
	struct zipped *z = calloc(1, sizeof(*z));
	bool is = z && xs_pieces_open(&z->in, &first) == 0;
	long piece;

	if (is) {
		piece = xs_pieces_read(&z->in, z->piece);
		is = piece > 0 && may_be_trace(z->piece, (size_t)piece);
	}
	if (z)
		xs_pieces_release(&z->in);
	free(z);
	return is;
}

/* Copies what a pipe holds to `to`; of what is no trace the first piece, since
 * it may have no end. Returns 0 or -errno. */
static int drain(int from, int to)
{
	static const size_t most = 1 << 16;
	char *bytes = malloc(most);
	bool more = true;
	int rc = bytes ? 0 : -ENOMEM;

	for (off_t at = 0; !rc && more; at += (off_t)most) {
		const ssize_t size = read_piece(from, bytes, most);

		rc =
		    size < 0 ? (int)size : write_piece(to, bytes, (size_t)size);
		more = size == (ssize_t)most &&
		       (at || begins_trace(bytes, (size_t)size));
	}
	free(bytes);
	return rc;
}

/* Copies a pipe to a file without a name, since parts of a trace are read more
 * than once. Returns its descriptor or -errno. */
static int spool(int pipe)
{
	const int file = xs_unnamed_open(xs_temporary_folder());
	int rc;

	if (file < 0)
		return file;
	rc = drain(pipe, file);
	if (rc)
		close(file);
	return rc ? rc : file;
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

/* Visits a copy and closes it; copy: its descriptor, or -errno. */
static int visit_copy(int copy, const struct xs_trace_visitor *visitor,
		      const char **error)
{
	struct stat status;
	int rc;

	if (copy < 0) {
		rc = xs_import_fail(error,
				    "cannot be copied to $TMPDIR or /tmp (%s); "
				    "make room there, or give an "
				    "uncompressed file",
				    strerror(-copy));
		return copy == -ENOMEM ? copy : rc;
	}
	rc = fstat(copy, &status) ? -errno
				  : visit_file(copy, &status, visitor, error);
	close(copy);
	return rc;
}

/* Copies the piece and all after it. Returns 0, -EPROTO with z->in.wrong set
 * where that is not all of the trace, or -errno. */
static int unzip(struct zipped *z, long piece_bytes, int to)
{
	int rc = 0;

	while (!rc && piece_bytes > 0) {
		rc = write_piece(to, z->piece, (size_t)piece_bytes);
		z->size += (uint64_t)piece_bytes;
		piece_bytes = xs_pieces_read(&z->in, z->piece);
		if (piece_bytes > 0 && z->size >= XS_UNZIPPED_MOST_BYTES) {
			z->in.wrong = "it is longer than 64 GiB; the rest is "
				      "not read";
			return -EPROTO;
		}
	}
	return rc ? rc : (int)piece_bytes;
}

/* What precedes damage is read, as of a trace that was cut. */
static int visit_zipped(struct zipped *z, long piece_bytes,
			const struct xs_trace_visitor *visitor,
			const char **error)
{
	int copy = xs_unnamed_open(xs_temporary_folder());
	const int end = copy < 0 ? 0 : unzip(z, piece_bytes, copy);
	int rc;

	if (end && end != -EPROTO) {
		close(copy);
		copy = end;
	}
	rc = visit_copy(copy, visitor, error);
	return !rc && z->in.wrong
		   ? visitor->defect(visitor->self, z->size, z->in.wrong)
		   : rc;
}

/* Events of Chrome, or any other trace that is compressed. */
static int visit_events(struct xs_trace_bytes *bytes,
			const struct xs_trace_visitor *visitor,
			const char **error)
{
	struct zipped *z = calloc(1, sizeof(*z));
	long size = z ? xs_pieces_open(&z->in, bytes) : -ENOMEM;
	int rc;

	if (!size)
		size = xs_pieces_read(&z->in, z->piece);
	if (size == 0)
		rc = xs_import_fail(error, "the compressed file is empty");
	else if (size == -EPROTO)
		rc = xs_import_fail(error, "%s", z->in.wrong);
	else if (size < 0)
		rc = (int)size;
	else if (strncmp(z->piece, "{\"digest\":", 10) == 0)
		rc = xs_import_fail(error, "a digest in a pipe; give it as a "
					   "file, or to xferspy merge");
	else if (!may_be_trace(z->piece, (size_t)size))
		rc = xs_import_fail(error, "compressed, and no trace");
	else if (xs_importer_find(z->piece, (uint64_t)size) != xs_import_chrome)
		rc = visit_zipped(z, size, visitor, error);
	else
		rc = xs_import_chrome(bytes, visitor, error);
	if (z)
		xs_pieces_release(&z->in);
	free(z);
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
		return visit_copy(spool(file), visitor, error);
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
