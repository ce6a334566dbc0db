/* SPDX-License-Identifier: MIT */
#include "report/commands/unfinished.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static char unfinished[PATH_MAX];
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

void xs_unfinished_begin(const char *path)
{
	/* all that end a process unless it is at fault */
	static const int numbers[] = {SIGHUP,  SIGINT,	SIGQUIT,   SIGPIPE,
				      SIGALRM, SIGTERM, SIGUSR1,   SIGUSR2,
				      SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESETHAND};
	struct sigaction old;

	snprintf(unfinished, sizeof(unfinished), "%s", path);
	exists = 1;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

int xs_unfinished_rename(const char *name)
{
	int err;

	if (rename(unfinished, name) == 0) {
		exists = 0;
		return 0;
	}
	err = -errno;
	xs_unfinished_delete();
	return err;
}
