/* SPDX-License-Identifier: MIT */
#include "report/commands/progress.h"

#include "analyzer/util/escape.h"
#include "report/result/display.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000L
#define TICK_NS	 (NS_PER_S / 4)
#define FIRST_NS NS_PER_S
/* Columns of the file's name, at its end: the rest fits COLUMNS. */
#define NAME_MOST 32
#define COLUMNS	  80

static struct {
	pthread_mutex_t lock;
	pthread_cond_t end;
	pthread_t teller;
	const char *path, *what;
	size_t index, count;
	bool told; /* there is a line */
	bool running, ended;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER,
	      .end = PTHREAD_COND_INITIALIZER};

bool xs_progress_is_dumb_terminal(void)
{
	const char *type = getenv("TERM");

	return type && strcmp(type, "dumb") == 0;
}

/* The lock is held. */
static void hide(void)
{
	if (progress.told)
		fputs("\r\033[K", stderr);
	progress.told = false;
}

/* Prints the end of the file's name. Later bytes of a character begin no part
 * of it. */
static void put_name(void)
{
	char *name = xs_escape_copy(progress.path, "");
	const size_t length = name ? strlen(name) : 0;
	const char *end = name;

	if (length > NAME_MOST)
		end += length - NAME_MOST;
	while (end && xs_display_continues(*end))
		end++;
	if (end)
		fprintf(stderr, "%s%s: ", end > name ? "..." : "", end);
	free(name);
}

/* A line that is longer than the terminal could not be removed. */
static bool is_narrow(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col &&
	       size.ws_col < COLUMNS;
}

/* The lock is held. */
static void tell(void)
{
	fputs("\r\033[K", stderr);
	if (!is_narrow())
		put_name();
	fputs(progress.what, stderr);
	if (progress.count)
		fprintf(stderr, " %zu of %zu", progress.index, progress.count);
	fputs(" ...", stderr);
	fflush(stderr);
	progress.told = true;
}

static void *run(void *unused)
{
	struct timespec at;
	long wait_ns = FIRST_NS;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &at);
	pthread_mutex_lock(&progress.lock);
	while (!progress.ended) {
		at.tv_nsec += wait_ns;
		at.tv_sec += at.tv_nsec / NS_PER_S;
		at.tv_nsec %= NS_PER_S;
		wait_ns = TICK_NS;
		while (!progress.ended &&
		       pthread_cond_timedwait(&progress.end, &progress.lock,
					      &at) == 0)
			;
		if (!progress.ended)
			tell();
	}
	hide();
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void xs_progress_begin(const char *path, const char *what)
{
	if (progress.running || !isatty(STDERR_FILENO) ||
	    xs_progress_is_dumb_terminal())
		return;
	progress.path = path;
	progress.ended = false;
	xs_progress_set(what, 0, 0);
	progress.running =
	    pthread_create(&progress.teller, NULL, run, NULL) == 0;
}

void xs_progress_set(const char *what, size_t index, size_t count)
{
	pthread_mutex_lock(&progress.lock);
	progress.what = what;
	progress.index = index;
	progress.count = count;
	pthread_mutex_unlock(&progress.lock);
}

void xs_progress_hide(void)
{
	pthread_mutex_lock(&progress.lock);
	hide();
	pthread_mutex_unlock(&progress.lock);
}

void xs_progress_end(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.ended = true;
	pthread_cond_signal(&progress.end);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.teller, NULL);
	progress.running = false;
}
