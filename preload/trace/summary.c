/* SPDX-License-Identifier: MIT */
#include "preload/trace/summary.h"
#include "preload/trace/gpu_records.h"
#include "preload/util/config.h"
#include "preload/util/file.h"
#include "preload/util/signal_mask.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The header, and the first chunk of the shared writer: no thread has one. */
#define EMPTY_BYTES (2 * XS_PAGE_BYTES)

#define ESCAPED_BYTES 9 /* of a control character of two bytes, and NUL */

static bool line_enabled;
static bool lacks_driver;
static bool counts;		 /* what kernels access */
static enum xs_range_kind range; /* the part of the run that is recorded */
static char start_directory[PATH_MAX];
static struct stat start_stderr; /* at the start of the process */
static int kept_stderr = -1;	 /* a duplicate */
static struct stat start_root;	 /* the folder "/", at the start of tracing */

void xs_summary_prepare(void)
{
	/* If fstat() fails, device and inode stay 0, which match no file, so
	 * nothing is ever printed. */
	fstat(STDERR_FILENO, &start_stderr);
}

void xs_summary_read_config(void)
{
	line_enabled = xs_config_summary();
	counts = xs_config_mode() == XS_MODE_COUNTERS;
	range = xs_config_range().kind;
	lacks_driver = xs_config_lacks_driver();
	if (!getcwd(start_directory, sizeof(start_directory)))
		start_directory[0] = '\0';
	stat("/", &start_root);
}

/* Returns the trace's path as seen from the current directory. */
static const char *path_from_cwd(const char *path, char *text, size_t bytes)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !start_directory[0] ||
	    (getcwd(here, sizeof(here)) && strcmp(here, start_directory) == 0))
		return path;
	snprintf(text, bytes, "%s/%s", start_directory, path);
	return text;
}

void xs_summary_keep_stderr(void)
{
	kept_stderr = xs_file_duplicate(STDERR_FILENO);
}

void xs_summary_drop_stderr(void)
{
	if (kept_stderr >= 0)
		close(kept_stderr);
	kept_stderr = -1;
}

/* An application that closed stderr may use the descriptor for a file of its
 * own. */
static bool is_stderr(int fd)
{
	struct stat now;

	return fd >= 0 && fstat(fd, &now) == 0 &&
	       now.st_dev == start_stderr.st_dev &&
	       now.st_ino == start_stderr.st_ino;
}

/* Returns the bytes of a control character, C0, DEL or C1, at the start of a
 * text; 0 if there is none. */
static int control_bytes(const unsigned char *text)
{
	if (text[0] < 0x20 || text[0] == 0x7f)
		return 1;
	return text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0 ? 2 : 0;
}

/* Prints "xferspy: ", a text and the line's end. Names may contain characters
 * that control a terminal: their bytes become \xHH. */
__attribute__((format(printf, 1, 2))) static void print_line(const char *format,
							     ...)
{
	const int fd = is_stderr(kept_stderr) ? kept_stderr : STDERR_FILENO;
	char text[4 * PATH_MAX + 512] = "xferspy: ", line[PIPE_BUF];
	const size_t prefix = strlen(text);
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;
	va_list args;

	if (!line_enabled || !is_stderr(fd))
		return;
	va_start(args, format);
	vsnprintf(text + prefix, sizeof(text) - prefix, format, args);
	va_end(args);
	while (*at) {
		int escaped = control_bytes(at);

		if (used + ESCAPED_BYTES + 1 > sizeof(line)) {
			xs_signal_mask_write(fd, line, used);
			used = 0;
		}
		if (!escaped)
			line[used++] = (char)*at++;
		for (; escaped > 0; escaped--)
			used += (size_t)sprintf(line + used, "\\x%02x", *at++);
	}
	line[used++] = '\n';
	xs_signal_mask_write(fd, line, used);
}

void xs_summary_print_error(const char *path, int error)
{
	print_line("no trace: cannot create %s: %s; set XFERSPY_OUTPUT to a "
		   "file that can be written",
		   path,
		   error == ENOTSUP ? "it is a device, a pipe or a socket"
				    : strerror(error));
}

void xs_summary_print_wrong(const char *what)
{
	print_line("%s", what);
}

void xs_summary_print_unused(void)
{
	print_line("no trace of %s (pid %d): it called no CUDA function that "
		   "is recorded; %sprograms that it starts write traces of "
		   "their own, but not if they are statically linked or "
		   "setuid, drop LD_PRELOAD, or run in a container",
		   program_invocation_short_name, (int)getpid(),
		   lacks_driver
		       ? "there is no NVIDIA driver here (libcuda.so.1 cannot "
			 "be loaded): run it where nvidia-smi shows a GPU; "
		       : "");
}

static void print_size(char *text, size_t bytes, uint64_t file_bytes)
{
	if (file_bytes < 1u << 20)
		snprintf(text, bytes, "%" PRIu64 " KiB", file_bytes >> 10);
	else
		snprintf(text, bytes, "%.1f MiB",
			 (double)file_bytes / (1u << 20));
}

/* A program may have changed its root folder: the path is then not valid for
 * it, but for its user. */
static bool root_is_unchanged(void)
{
	struct stat now;

	return stat("/", &now) == 0 && now.st_dev == start_root.st_dev &&
	       now.st_ino == start_root.st_ino;
}

/* Returns whether the path names no file, or another one than the trace. */
static bool is_gone(const struct xs_trace_file *trace, const char *path)
{
	struct stat now;

	if (!root_is_unchanged())
		return false;
	if (stat(path, &now))
		return errno == ENOENT || errno == ENOTDIR;
	return now.st_dev != trace->device || now.st_ino != trace->inode;
}

static bool is_empty(const struct xs_trace_file *trace, uint64_t file_bytes)
{
	return file_bytes == EMPTY_BYTES && !xs_gpu_records_last_end_ns() &&
	       !trace->header->lost_calls && !trace->header->lost_ops &&
	       !trace->header->lost_cupti;
}

bool xs_summary_drop_empty(const struct xs_trace_file *trace,
			   uint64_t file_bytes)
{
	char absolute[2 * PATH_MAX];
	const char *path =
	    path_from_cwd(trace->path, absolute, sizeof(absolute));

	if (!is_empty(trace, file_bytes) || !root_is_unchanged() ||
	    is_gone(trace, path))
		return false;
	return unlink(path) == 0;
}

static const char *why_empty(void)
{
	switch (range) {
	case XS_RANGE_PROFILER:
		return "no call between cudaProfilerStart() and "
		       "cudaProfilerStop() (XFERSPY_RANGE=profiler)";
	case XS_RANGE_SIGNAL:
		return "no SIGUSR2 came in time, which takes effect some ms "
		       "later (XFERSPY_RANGE=signal)";
	case XS_RANGE_TIMED:
		return "no call in the seconds of XFERSPY_RANGE";
	default:
		return "the report tells why";
	}
}

/* Writes the path as a shell and the command read it as one file. */
static void quote(char *text, size_t bytes, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./,:+@%=-";
	const char *mark = path[strspn(path, plain)] ? "'" : "";
	size_t used = (size_t)snprintf(text, bytes, "%s%s", mark,
				       path[0] == '-' ? "./" : "");

	for (; *path && used + 6 < bytes; path++)
		used += (size_t)sprintf(text + used,
					*path == '\'' ? "'\\''" : "%c", *path);
	strcpy(text + used, mark);
}

/* Prints where the trace is, what it lacks, and the command that reads it. */
static void print_written(const char *path, const struct xs_file_header *header,
			  uint64_t file_bytes)
{
	const uint64_t lost_ops = header->lost_ops + header->lost_cupti;
	char size[32], lost[96] = "", quoted[2 * PATH_MAX];

	print_size(size, sizeof(size), file_bytes);
	quote(quoted, sizeof(quoted), path);
	if (header->lost_calls || lost_ops)
		snprintf(lost, sizeof(lost),
			 ", lost %" PRIu64 " calls and %" PRIu64 " GPU records",
			 (uint64_t)header->lost_calls, lost_ops);
	print_line("wrote %s (%s%s). Next: xferspy report %s%s", path, size,
		   lost, counts ? "ANOTHER_TRACE --counters " : "", quoted);
}

void xs_summary_print(const struct xs_trace_file *trace, uint64_t file_bytes)
{
	char absolute[2 * PATH_MAX];
	const char *path =
	    path_from_cwd(trace->path, absolute, sizeof(absolute));

	if (atomic_load(&trace->overwritten))
		print_line("no trace: %s was truncated or overwritten while "
			   "the program ran, or its disk failed; let nothing "
			   "else write to it",
			   trace->path);
	else if (is_gone(trace, path))
		print_line("no trace at %s: it was deleted or renamed while "
			   "the program ran",
			   path);
	else if (is_empty(trace, file_bytes))
		print_line("wrote %s, but recorded nothing: %s", path,
			   why_empty());
	else
		print_written(path, trace->header, file_bytes);
}
