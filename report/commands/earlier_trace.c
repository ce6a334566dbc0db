/* SPDX-License-Identifier: MIT */
#include "report/commands/earlier_trace.h"

#include "preload/format.h"
#include "preload/trace_name.h"
#include "report/commands/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the header. Returns false if the file is no trace. An empty file, as of
 * mktemp, passes for one; then the header is zero. */
static bool read_header(const char *path, struct xs_file_header *header)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	ssize_t n = -1;

	*header = (struct xs_file_header){0};
	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		n = read(fd, header, sizeof(*header));
	close(fd);
	return n == 0 ||
	       (n == sizeof(*header) && memcmp(header->magic, XS_FORMAT_MAGIC,
					       sizeof(header->magic)) == 0);
}

static bool is_being_written(const struct xs_file_header *header)
{
	return header->pid && header->state == XS_FILE_RUNNING &&
	       (kill((pid_t)header->pid, 0) == 0 || errno == EPERM);
}

/* Returns 0 if the file is absent or may be moved or replaced, or an exit code
 * after printing an error. */
static int check(const char *path)
{
	struct xs_file_header header;
	struct stat status;

	if (lstat(path, &status) && errno == ENOENT)
		return 0;
	if (!read_header(path, &header))
		return xs_cli_fail(path, "it exists and is no trace",
				   "name another file with -o");
	if (is_being_written(&header))
		return xs_cli_fail(
		    path, "another process is writing it",
		    "name another file with -o, for example with %p");
	return 0;
}

/* Whether all ranks of a launcher have this name: what is there may be of
 * another rank. */
static bool is_of_all_ranks(const char *pattern)
{
	const char *ranks = xs_trace_name_launcher().ranks;

	return ranks && strtol(ranks, NULL, 10) > 1 && !strstr(pattern, "%r") &&
	       !strstr(pattern, "%p");
}

int xs_earlier_trace_set_aside(struct xs_earlier_trace *earlier,
			       const char *pattern)
{
	int code;

	earlier->moved = false;
	if (is_of_all_ranks(pattern))
		return 0;
	if (xs_trace_name_expand(pattern, getpid(), earlier->path,
				 sizeof(earlier->path)))
		return xs_cli_fail(pattern, strerror(ENAMETOOLONG),
				   "name another file with -o");
	snprintf(earlier->aside, sizeof(earlier->aside), "%s%s", earlier->path,
		 XS_EARLIER_TRACE_SUFFIX);
	code = check(earlier->path);
	if (code || access(earlier->path, F_OK))
		return code;
	code = check(earlier->aside);
	if (code)
		return code;
	if (rename(earlier->path, earlier->aside))
		return xs_cli_fail(earlier->path, strerror(errno),
				   "name another file with -o");
	earlier->moved = true;
	return 0;
}

void xs_earlier_trace_put_back(const struct xs_earlier_trace *earlier)
{
	if (earlier->moved && rename(earlier->aside, earlier->path))
		xs_cli_fail(
		    earlier->path, strerror(errno),
		    "its trace now has the suffix " XS_EARLIER_TRACE_SUFFIX);
}
