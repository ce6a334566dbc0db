/* SPDX-License-Identifier: MIT */
#include "preload/util/injection.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "CUDA_INJECTION64_PATH"
#define OUR_NAME "libxferspy.so"

static char other[PATH_MAX];

/* What every copy of us has, whatever its file is called: the process's is the
 * first copy's, since what is preloaded comes before what CUDA loads. */
__attribute__((visibility("default"))) extern const char xferspy_recorder;
const char xferspy_recorder;

static bool is_named_as_we_are(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, OUR_NAME, strlen(OUR_NAME)) ==
	       0;
}

/* What CUDA loads keeps its names to itself, and finds its own last. */
static bool came_second(const void *own_base)
{
	const void *first = dlsym(RTLD_DEFAULT, "xferspy_recorder");
	Dl_info found;

	return first && dladdr(first, &found) && found.dli_fbase != own_base;
}

bool xs_injection_claim(void)
{
	const char *set = getenv(VARIABLE);
	char path[PATH_MAX], theirs[PATH_MAX];
	Dl_info self;

	if (!dladdr((void *)xs_injection_claim, &self) || !self.dli_fname)
		return true;
	if (came_second(self.dli_fbase))
		return false;
	if (!realpath(self.dli_fname, path))
		path[0] = '\0';
	/* a program that started this one had us, too, and set our path */
	if (set && set[0] && !is_named_as_we_are(set) &&
	    !(realpath(set, theirs) && strcmp(theirs, path) == 0))
		snprintf(other, sizeof(other), "%s", set);
	if (path[0])
		setenv(VARIABLE, path, set && !set[0]);
	return true;
}

const char *xs_injection_other(void)
{
	return other[0] ? other : NULL;
}

bool xs_injection_other_comes(void)
{
	char magic[SELFMAG] = "";
	int fd;

	if (!other[0])
		return false;
	if (!strchr(other, '/'))
		return strcmp(other, "none") != 0;
	fd = open(other, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (read(fd, magic, sizeof(magic)) != sizeof(magic))
		magic[0] = '\0';
	close(fd);
	return memcmp(magic, ELFMAG, SELFMAG) == 0;
}
