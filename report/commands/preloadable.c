/* SPDX-License-Identifier: MIT */
#include "report/commands/preloadable.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Stores where execvp() finds the program. */
static bool find(const char *program, char path[PATH_MAX])
{
	const char *folder = getenv("PATH");

	if (strchr(program, '/'))
		return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
	while (folder && *folder) {
		const size_t length = strcspn(folder, ":");
		const int written =
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length,
			     length ? folder : ".", program);

		if (written < PATH_MAX && access(path, X_OK) == 0)
			return true;
		folder += length + (folder[length] == ':');
	}
	return false;
}

/* Whether an ELF file asks for no loader. */
static bool is_static(int fd)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(segment))
		return false;
	for (int i = 0; i < header.e_phnum; i++) {
		const off_t at =
		    (off_t)(header.e_phoff + (size_t)i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) !=
			sizeof(segment) ||
		    segment.p_type == PT_INTERP)
			return false;
	}
	return true;
}

const char *xs_preload_obstacle(const char *program)
{
	const char *obstacle = NULL;
	char path[PATH_MAX];
	struct stat status;
	int fd;

	if (!find(program, path))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		if (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
		    ((status.st_mode & S_ISGID) && status.st_gid != getgid()))
			obstacle = "it is setuid or setgid";
		else if (is_static(fd))
			obstacle = "it is statically linked";
	}
	close(fd);
	return obstacle;
}
