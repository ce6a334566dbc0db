/* SPDX-License-Identifier: MIT */
#include "preload/util/pool.h"
#include "preload/util/pages.h"

#include <pthread.h>
#include <string.h>

/* The first bytes of a free buffer link it to the next. */
struct free_buffer {
	struct free_buffer *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct free_buffer *free_buffers;
static const uint8_t *all[XS_POOL_MAX_BUFFERS];
static unsigned count;

/* Adds a buffer to `all` for good. Returns false if it is full. */
static bool add(const uint8_t *buffer)
{
	bool added;

	pthread_mutex_lock(&lock);
	added = count < XS_POOL_MAX_BUFFERS;
	if (added)
		all[count++] = buffer;
	pthread_mutex_unlock(&lock);
	return added;
}

uint8_t *xs_pool_take(void)
{
	struct free_buffer *buffer;
	void *memory;

	pthread_mutex_lock(&lock);
	buffer = free_buffers;
	if (buffer)
		free_buffers = buffer->next;
	pthread_mutex_unlock(&lock);
	if (buffer) {
		buffer->next = NULL;
		return (uint8_t *)buffer;
	}
	memory = xs_pages_map(XS_POOL_BYTES);
	if (!memory || add(memory))
		return memory;
	munmap(memory, XS_POOL_BYTES);
	return NULL;
}

void xs_pool_give(uint8_t *buffer)
{
	struct free_buffer *freed = (void *)buffer;

	if (!buffer)
		return;
	memset(buffer, 0, XS_POOL_BYTES);
	pthread_mutex_lock(&lock);
	freed->next = free_buffers;
	free_buffers = freed;
	pthread_mutex_unlock(&lock);
}

bool xs_pool_owns(const uint8_t *buffer)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count && !found; i++)
		found = all[i] == buffer;
	pthread_mutex_unlock(&lock);
	return found;
}
