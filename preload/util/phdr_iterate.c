/* SPDX-License-Identifier: MIT */
#include "preload/util/phdr_iterate.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Recursive, for a signal's handler that finds its own thread at it; and to be
 * released by who has it alone: a fork that waited in vain releases nothing. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Not for ever: who has it may wait for a lock that the caller has, as a
 * handler of fork() may, and a child's handlers come here before ours. */
static bool lock_or_wait(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_mutex_timedlock(&lock, &until) == 0;
}

int xs_phdr_iterate(int (*visit)(struct dl_phdr_info *, size_t, void *),
		    void *data)
{
	const bool locked = lock_or_wait();
	const int result = dl_iterate_phdr(visit, data);

	if (locked)
		pthread_mutex_unlock(&lock);
	return result;
}

void xs_phdr_iterate_before_fork(void)
{
	lock_or_wait();
}

void xs_phdr_iterate_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* Its owner was a thread of the parent. */
void xs_phdr_iterate_in_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}
