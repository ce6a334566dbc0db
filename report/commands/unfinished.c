/* SPDX-License-Identifier: MIT */
#include "report/commands/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
#define SUFFIX ".part"

static char unfinished[PATH_MAX], finished[PATH_MAX];
static volatile sig_atomic_t exists;

void xs_unfinished_delete(void)
{
	if (exists)
		unlink(unfinished);
	exists = 0;
}

/* The signal has its default action again, and ends the process when this
 * returns. */
static void on_signal(int number)
{
	xs_unfinished_delete();
	raise(number);
}

static void delete_on_signals(void)
{
	/* all that end a process unless it is at fault */
	static const int numbers[] = {SIGHUP,  SIGINT,	SIGQUIT,   SIGPIPE,
				      SIGALRM, SIGTERM, SIGUSR1,   SIGUSR2,
				      SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

static bool is_standard_output(const struct stat *status)
{
	struct stat own;

	return fstat(STDOUT_FILENO, &own) == 0 &&
	       own.st_dev == status->st_dev && own.st_ino == status->st_ino;
}

/* All that write to standard output share its position. */
static int open_itself(const char *path, const struct stat *status)
{
	const int file = is_standard_output(status)
			     ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			     : open(path, CREATE, 0666);

	snprintf(finished, sizeof(finished), "%s", path);
	return file < 0 ? -errno : file;
}

/* Whether another file may take its name: it is new, or an ordinary file that
 * has no other name and is not open already. Stores the name. */
static bool is_replaceable(const char *path, const struct stat *there)
{
	struct stat link;

	snprintf(finished, sizeof(finished), "%s", path);
	if (!there)
		return lstat(path, &link) != 0;
	return S_ISREG(there->st_mode) && there->st_nlink == 1 &&
	       strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/proc/", 6) != 0 && !is_standard_output(there) &&
	       realpath(path, finished); /* a link stays one */
}

/* Returns -1 if there can be none of the same owner, group and mode. */
static int open_beside(const struct stat *there)
{
	const mode_t mask = umask(0);
	struct stat own;
	int file;

	umask(mask);
	if (snprintf(unfinished, sizeof(unfinished), "%s.XXXXXX" SUFFIX,
		     finished) >= (int)sizeof(unfinished))
		return -1;
	delete_on_signals();
	file = mkostemps(unfinished, sizeof(SUFFIX) - 1, O_CLOEXEC);
	if (file < 0)
		return -1;
	exists = 1;
	if (fstat(file, &own) == 0 &&
	    (!there ||
	     (own.st_uid == there->st_uid && own.st_gid == there->st_gid)) &&
	    fchmod(file, there ? there->st_mode & 0777 : 0666 & ~mask) == 0)
		return file;
	close(file);
	xs_unfinished_delete();
	return -1;
}

int xs_unfinished_open(const char *path)
{
	struct stat status = {0};
	const bool is_there = stat(path, &status) == 0;
	const struct stat *there = is_there ? &status : NULL;
	int file = -1;

	if (is_there && access(path, W_OK) != 0)
		return -errno;
	if (is_replaceable(path, there))
		file = open_beside(there);
	return file < 0 ? open_itself(path, &status) : file;
}

const char *xs_unfinished_name(void)
{
	return exists ? unfinished : finished;
}

int xs_unfinished_copy(const char *from, int to)
{
	int file = open(from, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat status;
	off_t at = 0;

	if (file < 0)
		return -errno;
	if (fstat(file, &status) != 0)
		err = -errno;
	while (!err && at < status.st_size) {
		const ssize_t sent =
		    sendfile(to, file, &at, (size_t)(status.st_size - at));

		if (sent <= 0)
			err = sent < 0 ? -errno : -EIO;
	}
	close(file);
	return err;
}

/* Writes the file that is there itself. */
static int write_over(void)
{
	const int file = open(finished, CREATE, 0666);
	int err;

	if (file < 0)
		return -errno;
	err = xs_unfinished_copy(unfinished, file);
	if (close(file) != 0 && !err)
		err = -errno;
	return err;
}

int xs_unfinished_rename(void)
{
	int err;

	if (!exists)
		return 0;
	if (rename(unfinished, finished) == 0) {
		exists = 0;
		return 0;
	}
	/* a mount, or a folder in which others' files stay */
	err = errno == EBUSY || errno == EPERM ? write_over() : -errno;
	xs_unfinished_delete();
	return err;
}
