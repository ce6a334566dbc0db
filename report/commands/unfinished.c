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
#include <sys/stat.h>
#include <unistd.h>

#define CREATE (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)

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

static int open_itself(const char *path)
{
	const int file = open(path, CREATE, 0666);

	snprintf(finished, sizeof(finished), "%s", path);
	return file < 0 ? -errno : file;
}

int xs_unfinished_open(const char *path)
{
	struct stat status;
	const bool is_there = stat(path, &status) == 0;
	int file;

	if (is_there && !S_ISREG(status.st_mode))
		return open_itself(path);
	if (is_there && access(path, W_OK) != 0)
		return -errno;
	/* a link stays one */
	if (!is_there || !realpath(path, finished))
		snprintf(finished, sizeof(finished), "%s", path);
	if (snprintf(unfinished, sizeof(unfinished), "%s.%ld.part", finished,
		     (long)getpid()) >= (int)sizeof(unfinished))
		return -ENAMETOOLONG;
	file = open(unfinished, CREATE | O_NOFOLLOW, 0666);
	if (file < 0)
		return is_there ? open_itself(path) : -errno;
	exists = 1;
	delete_on_signals();
	if (is_there)
		fchmod(file, status.st_mode & 0777);
	return file;
}

const char *xs_unfinished_name(void)
{
	return exists ? unfinished : finished;
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
	err = -errno;
	xs_unfinished_delete();
	return err;
}
