/* SPDX-License-Identifier: MIT */
#include "preload/util/file.h"
#include "preload/util/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TRIES 1000
/* Applications often close all low descriptors or expect the next one to be
 * low. */
static const int high_fds[] = {500, 200, 60, STDERR_FILENO + 1};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const char zeros[1u << 16];

int xs_file_duplicate(int fd)
{
	int high = -1;

	for (size_t i = 0; high < 0 && i < sizeof(high_fds) / sizeof(*high_fds);
	     i++)
		high = fcntl(fd, F_DUPFD_CLOEXEC, high_fds[i]);
	return high < 0 ? -errno : high;
}

/* Moves the descriptor to a high number. Fails with -EMFILE if only 0 to 2 are
 * left: the program, which closed them, may write there. */
static int move_up(int fd, const char *name)
{
	const int high = xs_file_duplicate(fd);

	if (high >= 0) {
		close(fd);
		return high;
	}
	if (fd > STDERR_FILENO)
		return fd;
	close(fd);
	unlink(name);
	return -EMFILE;
}

/* Returns whether the path is a device, a pipe or a socket. Next to these, as
 * in /dev, is no place for a trace. */
static bool is_special(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
	       !S_ISDIR(status.st_mode);
}

int xs_file_create(const char *path, char *name, size_t name_bytes)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int length = snprintf(name, name_bytes, "%s", path);
	int fd = open(name, flags, 0600);

	if (fd < 0 && errno == EEXIST && is_special(path))
		return -ENOTSUP;
	for (int i = 1; fd < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
		length = snprintf(name, name_bytes, "%s.%d", path, i);
		fd = open(name, flags, 0600);
	}
	if (length >= (int)name_bytes) {
		if (fd >= 0)
			close(fd);
		return -ENAMETOOLONG;
	}
	if (fd < 0)
		return -errno;

	return move_up(fd, name);
}

/* Writing beyond RLIMIT_FSIZE raises SIGXFSZ. */
int xs_file_begin(int fd, const void *data, size_t bytes)
{
	struct xs_signal_mask mask;
	ssize_t written;
	int err = 0;

	xs_signal_mask_begin(&mask, SIGXFSZ);
	written = pwrite(fd, data, bytes, 0);
	if (written != (ssize_t)bytes)
		err = written < 0 ? -errno : -ENOSPC;
	xs_signal_mask_end(&mask, err == -EFBIG);
	return err;
}

static int write_zeros(int fd, uint64_t from_bytes, uint64_t to_bytes)
{
	while (from_bytes < to_bytes) {
		uint64_t left = to_bytes - from_bytes;
		size_t want = left < sizeof(zeros) ? left : sizeof(zeros);
		ssize_t n = pwrite(fd, zeros, want, (off_t)from_bytes);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			from_bytes += (uint64_t)n;
	}
	return 0;
}

/* Uses fallocate(), which is the system call itself. posix_fallocate() would
 * write zeros by its own choice. */
static int allocate(int fd, uint64_t from_bytes, uint64_t to_bytes)
{
	int err;

	do {
		err = fallocate(fd, 0, (off_t)from_bytes,
				(off_t)(to_bytes - from_bytes))
			  ? -errno
			  : 0;
	} while (err == -EINTR);
	/* EPERM: a seccomp filter */
	if (err == -EOPNOTSUPP || err == -ENOSYS || err == -EPERM)
		err = write_zeros(fd, from_bytes, to_bytes);
	return err;
}

int xs_file_allocate(int fd, uint64_t from_bytes, uint64_t to_bytes)
{
	struct xs_signal_mask mask;
	int err;

	xs_signal_mask_begin(&mask, SIGXFSZ);
	err = allocate(fd, from_bytes, to_bytes);
	xs_signal_mask_end(&mask, err == -EFBIG);
	return err;
}

/*
 * Allocated blocks do not guarantee that a store succeeds: a copy-on-write file
 * system allocates new blocks for it, and a disk may fail. MADV_POPULATE_WRITE
 * makes the pages writable now and reports the error, where a store would raise
 * SIGBUS. Kernels before 5.14 lack it (EINVAL), and a seccomp filter may refuse
 * it.
 */
static bool populate(void *memory, size_t bytes)
{
	if (madvise(memory, bytes, MADV_POPULATE_WRITE) && errno != EINVAL &&
	    errno != EPERM && errno != ENOSYS) {
		errno = errno == EFAULT ? EIO : errno;
		return false;
	}
	return true;
}

void *xs_file_map(int fd, uint64_t at_bytes, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, fd, (off_t)at_bytes);
	int err;

	if (memory == MAP_FAILED)
		return NULL;
	if (populate(memory, bytes))
		return memory;
	err = errno;
	munmap(memory, bytes);
	errno = err;
	return NULL;
}
