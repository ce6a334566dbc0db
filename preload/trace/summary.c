/* SPDX-License-Identifier: MIT */
#include "preload/trace/summary.h"
#include "preload/util/config.h"
#include "preload/util/signal_mask.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool wanted;
static char first_directory[PATH_MAX];
static struct stat first_stderr; /* of the process's beginning */

void xs_summary_prepare(void)
{
	/* Where it fails nothing is ever said: no file is device 0, inode 0. */
	fstat(STDERR_FILENO, &first_stderr);
}

void xs_summary_ask(void)
{
	wanted = xs_config_summary();
	if (!getcwd(first_directory, sizeof(first_directory)))
		first_directory[0] = '\0';
}

/* The trace's path from where the process is now. */
static const char *path_from_here(const char *path, char *text, size_t bytes)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !first_directory[0] ||
	    (getcwd(here, sizeof(here)) && strcmp(here, first_directory) == 0))
		return path;
	snprintf(text, bytes, "%s/%s", first_directory, path);
	return text;
}

/* An application that closed its stderr may have a file of its own there. */
static bool stderr_is_the_first(void)
{
	struct stat now;

	return fstat(STDERR_FILENO, &now) == 0 &&
	       now.st_dev == first_stderr.st_dev &&
	       now.st_ino == first_stderr.st_ino;
}

static void say(const char *text)
{
	if (wanted && stderr_is_the_first())
		xs_signal_mask_write(STDERR_FILENO, text, strlen(text));
}

void xs_summary_of_none(const char *path, int error)
{
	char text[PATH_MAX + 256];

	snprintf(text, sizeof(text),
		 "xferspy: no trace: cannot create %s: %s; set XFERSPY_OUTPUT "
		 "to a file that can be written\n",
		 path, strerror(error));
	say(text);
}

static void print_size(char *text, size_t bytes, uint64_t file_bytes)
{
	if (file_bytes < 1u << 20)
		snprintf(text, bytes, "%" PRIu64 " KiB", file_bytes >> 10);
	else
		snprintf(text, bytes, "%.1f MiB",
			 (double)file_bytes / (1u << 20));
}

static void say_cut(const struct xs_trace_file *trace)
{
	char text[PATH_MAX + 256];

	snprintf(text, sizeof(text),
		 "xferspy: no trace: %s was cut short or overwritten while the "
		 "program ran, or its disk failed; let nothing else write to "
		 "it\n",
		 trace->path);
	say(text);
}

void xs_summary_of(const struct xs_trace_file *trace, uint64_t file_bytes)
{
	const struct xs_file_header *header = trace->header;
	char text[4 * PATH_MAX + 256], size[32], lost[96] = "";
	char absolute[2 * PATH_MAX];
	const char *path;
	uint64_t lost_ops;

	if (!wanted)
		return;
	if (atomic_load(&trace->cut)) {
		say_cut(trace);
		return;
	}
	path = path_from_here(trace->path, absolute, sizeof(absolute));
	lost_ops = header->lost_ops + header->lost_cupti;
	print_size(size, sizeof(size), file_bytes);
	if (header->lost_calls || lost_ops)
		snprintf(lost, sizeof(lost),
			 ", lost %" PRIu64 " calls and %" PRIu64 " GPU records",
			 (uint64_t)header->lost_calls, lost_ops);
	snprintf(text, sizeof(text), "xferspy: %s (%s%s): xferspy report %s\n",
		 path, size, lost, path);
	say(text);
}
