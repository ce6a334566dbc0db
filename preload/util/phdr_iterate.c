/* SPDX-License-Identifier: MIT */
#include "preload/util/phdr_iterate.h"
#include "preload/util/guard.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Recursive, because a signal handler may interrupt a fork of its own thread,
 * and because only the owner may unlock it: a fork that timed out unlocks
 * nothing. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Waits at most a second: the owner may wait for a lock that the caller holds,
 * for example in a handler of fork(), and in a child other handlers run before
 * ours. */
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
	struct xs_guard guard;
	bool locked;
	int result;

	/* a jump out of a signal handler would leave the loader's lock held */
	xs_guard_begin(&guard);
	locked = lock_or_wait();
	result = dl_iterate_phdr(visit, data);
	if (locked)
		pthread_mutex_unlock(&lock);
	xs_guard_end(&guard);
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
