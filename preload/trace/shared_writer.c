/* SPDX-License-Identifier: MIT */
#include "preload/trace/shared_writer.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct xs_writer xs_shared_writer;

void xs_shared_writer_open(struct xs_trace_file *trace)
{
	xs_writer_open(&xs_shared_writer, trace, 0);
}

void xs_shared_writer_lock(void)
{
	pthread_mutex_lock(&lock);
}

void xs_shared_writer_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

bool xs_shared_writer_lock_until(const struct timespec *until)
{
	return pthread_mutex_timedlock(&lock, until) == 0;
}
