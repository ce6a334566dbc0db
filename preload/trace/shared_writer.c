/* SPDX-License-Identifier: MIT */
#include "preload/trace/shared_writer.h"
#include "preload/util/guard.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_guard owners_guard; /* protected by the lock */
struct xs_writer xs_shared_writer;

void xs_shared_writer_open(struct xs_trace_file *trace)
{
	xs_writer_open(&xs_shared_writer, trace, 0);
}

void xs_shared_writer_lock(void)
{
	struct xs_guard guard;

	xs_guard_begin(&guard);
	pthread_mutex_lock(&lock);
	owners_guard = guard;
}

void xs_shared_writer_unlock(void)
{
	const struct xs_guard guard = owners_guard;

	pthread_mutex_unlock(&lock);
	xs_guard_end(&guard);
}

void xs_shared_writer_in_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

bool xs_shared_writer_lock_until(const struct timespec *until)
{
	struct xs_guard guard;

	xs_guard_begin(&guard);
	if (pthread_mutex_timedlock(&lock, until)) {
		xs_guard_end(&guard);
		return false;
	}
	owners_guard = guard;
	return true;
}
