/* SPDX-License-Identifier: MIT */
#include "preload/util/injection.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUR_NAME "libxferspy.so"

static char other[PATH_MAX], other_nvtx[PATH_MAX];

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

static bool have_same_bytes(int one, int other_fd)
{
	char bytes[4096], others[4096];
	ssize_t count;

	do {
		count = read(one, bytes, sizeof(bytes));
		if (count < 0 ||
		    read(other_fd, others, sizeof(others)) != count ||
		    memcmp(bytes, others, (size_t)count) != 0)
			return false;
	} while (count > 0);
	return true;
}

static bool is_copy(const char *path, const char *own_path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	const int fd = open(path, flags), own_fd = open(own_path, flags);
	struct stat info, own;
	const bool same = fd >= 0 && own_fd >= 0 && fstat(fd, &info) == 0 &&
			  fstat(own_fd, &own) == 0 && S_ISREG(info.st_mode) &&
			  info.st_size == own.st_size &&
			  have_same_bytes(fd, own_fd);

	if (fd >= 0)
		close(fd);
	if (own_fd >= 0)
		close(own_fd);
	return same;
}

/* A parent process with xferspy may have set our path already. A copy would do
 * nothing as the second one of the process, so that our path replaces it. */
static void claim(const char *variable, const char *path, char kept[PATH_MAX])
{
	const char *set = getenv(variable);

	if (set && set[0] && !has_our_name(set) && !is_copy(set, path))
		snprintf(kept, PATH_MAX, "%s", set);
	else if (path[0])
		setenv(variable, path, 1);
}

bool xs_injection_claim(void)
{
	char path[PATH_MAX];
	Dl_info self;

	if (!dladdr((void *)xs_injection_claim, &self) || !self.dli_fname)
		return true;
	if (is_second_copy(self.dli_fbase))
		return false;
	if (!realpath(self.dli_fname, path))
		path[0] = '\0';
	claim(XS_INJECTION_CUDA, path, other);
	claim(XS_INJECTION_NVTX, path, other_nvtx);
	return true;
}

const char *xs_injection_other(void)
{
	return other[0] ? other : NULL;
}

/* Returns whether that library will be loaded in our place. */
static bool will_load(const char *library)
{
	char magic[SELFMAG] = "";
	int fd;

	if (!library[0])
		return false;
	if (!strchr(library, '/'))
		return strcmp(library, "none") != 0;
	fd = open(library, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (read(fd, magic, sizeof(magic)) != sizeof(magic))
		magic[0] = '\0';
	close(fd);
	return memcmp(magic, ELFMAG, SELFMAG) == 0;
}

bool xs_injection_other_will_load(void)
{
	return will_load(other);
}

const char *xs_injection_other_of_nvtx(void)
{
	return will_load(other_nvtx) ? other_nvtx : NULL;
}
