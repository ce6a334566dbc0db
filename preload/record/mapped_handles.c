/* SPDX-License-Identifier: MIT */
#include "preload/record/mapped_handles.h"

#include <pthread.h>

#define SLOT_BITS 13

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. Of handles with one hash, the last one stays. */
static struct slot {
	uint64_t handle, address;
} slots[1u << SLOT_BITS];

static struct slot *slot_of(uint64_t handle)
{
	return &slots[handle * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS)];
}

uint64_t xs_mapped_handles_put(uint64_t handle, uint64_t address)
{
	struct slot *slot = slot_of(handle);
	uint64_t before;

	pthread_mutex_lock(&lock);
	before = slot->handle == handle ? slot->address : 0;
	*slot = (struct slot){handle, address};
	pthread_mutex_unlock(&lock);
	return before;
}

void xs_mapped_handles_drop(uint64_t handle)
{
	struct slot *slot = slot_of(handle);

	pthread_mutex_lock(&lock);
	if (slot->handle == handle)
		slot->handle = 0;
	pthread_mutex_unlock(&lock);
}
