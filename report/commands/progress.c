/* SPDX-License-Identifier: MIT */
#include "report/commands/progress.h"

#include "analyzer/util/escape.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000L
#define TICK_NS	 (NS_PER_S / 4)
#define FIRST_NS NS_PER_S
/* Columns of the file's name, at its end: the rest fits 80. */
#define NAME_MOST 32

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

/* The lock is held. */
static void hide(void)
{
	if (progress.told)
		fputs("\r\033[K", stderr);
	progress.told = false;
}

/* The lock is held. */
static void tell(void)
{
	const size_t length = strlen(progress.path);
	const bool cut = length > NAME_MOST;
	char *name =
	    xs_escape_copy(progress.path + (cut ? length - NAME_MOST : 0), "");

	fprintf(stderr, "\r\033[K%s%s: %s", cut ? "..." : "", name ? name : "",
		progress.what);
	if (progress.count)
		fprintf(stderr, " %zu of %zu", progress.index, progress.count);
	fputs(" ...", stderr);
	fflush(stderr);
	progress.told = true;
	free(name);
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
	if (progress.running || !isatty(STDERR_FILENO))
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
