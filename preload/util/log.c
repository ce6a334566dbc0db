/* SPDX-License-Identifier: MIT */
#include "preload/util/log.h"
#include "preload/util/guard.h"
#include "preload/util/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct log {
	const char *where, *format;
	va_list args;
};

static void write_log(void *data)
{
	struct log *log = data;
	char line[512];
	int fd = STDERR_FILENO;
	size_t length;

	if (strcmp(log->where, "1") != 0)
		/* a pipe without a reader must not block the program */
		fd =
		    open(log->where,
			 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
			 0600);
	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "xferspy[%ld]: ", (long)getpid());
	length = strlen(line);
	vsnprintf(line + length, sizeof(line) - 1 - length, log->format,
		  log->args);
	length = strlen(line);
	line[length++] = '\n';
	xs_signal_mask_write(fd, line, length);
	if (fd != STDERR_FILENO)
		close(fd);
}

void xs_log(const char *format, ...)
{
	struct log log = {.where = getenv("XFERSPY_LOG"), .format = format};
	const int kept_errno = errno;

	if (!log.where || !log.where[0] || strcmp(log.where, "0") == 0)
		return;
	va_start(log.args, format);
	xs_guard_run(write_log, &log);
	va_end(log.args);
	errno = kept_errno;
}
