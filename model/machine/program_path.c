/* SPDX-License-Identifier: MIT */
#include "model/machine/program_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int xs_program_path(const char *relative, char *path, size_t size)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
	char *slash;
	int written;

	if (length < 0)
		return -errno;
	if (length == sizeof(program))
		return -ENAMETOOLONG;
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (slash)
		*slash = '\0';
	written = snprintf(path, size, "%s/%s", program, relative);
	return written < 0 || (size_t)written >= size ? -ENAMETOOLONG : 0;
}
