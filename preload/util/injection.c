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

#define OUR_NAME "libxferspy.so"

static char other[PATH_MAX];
static bool others_nvtx;

/* Every copy of the library has this symbol, whatever its file is called. The
 * process's symbol is the first copy's, since a preloaded library comes before
 * one that CUDA loads. */
__attribute__((visibility("default"))) extern const char xferspy_recorder;
const char xferspy_recorder;

static bool has_our_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, OUR_NAME, strlen(OUR_NAME)) ==
	       0;
}

/* Libraries that CUDA loads have a local scope, searched last. So the default
 * lookup finds the first copy. */
static bool is_second_copy(const void *own_base)
{
	const void *first = dlsym(RTLD_DEFAULT, "xferspy_recorder");
	Dl_info found;

	return first && dladdr(first, &found) && found.dli_fbase != own_base;
}

/* Returns whether the value names another tool's library. A parent process with
 * xferspy may have set our path already. */
static bool is_of_other(const char *set, const char *path)
{
	char theirs[PATH_MAX];

	return set && set[0] && !has_our_name(set) &&
	       !(realpath(set, theirs) && strcmp(theirs, path) == 0);
}

static void set_unless_set(const char *variable, const char *path)
{
	const char *set = getenv(variable);

	if (path[0])
		setenv(variable, path, set && !set[0]);
}

bool xs_injection_claim(void)
{
	const char *set = getenv(XS_INJECTION_CUDA);
	char path[PATH_MAX];
	Dl_info self;

	if (!dladdr((void *)xs_injection_claim, &self) || !self.dli_fname)
		return true;
	if (is_second_copy(self.dli_fbase))
		return false;
	if (!realpath(self.dli_fname, path))
		path[0] = '\0';
	if (is_of_other(set, path))
		snprintf(other, sizeof(other), "%s", set);
	others_nvtx = is_of_other(getenv(XS_INJECTION_NVTX), path);
	set_unless_set(XS_INJECTION_CUDA, path);
	set_unless_set(XS_INJECTION_NVTX, path);
	return true;
}

const char *xs_injection_other(void)
{
	return other[0] ? other : NULL;
}

bool xs_injection_other_has_nvtx(void)
{
	return others_nvtx;
}

bool xs_injection_other_will_load(void)
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
