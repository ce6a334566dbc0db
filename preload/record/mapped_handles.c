/* SPDX-License-Identifier: MIT */
#include "preload/record/mapped_handles.h"

#include <pthread.h>

/* Room for 128 GiB in pieces of 2 MiB, which allocators map; without it, memory
 * is unknown. */
#define SLOT_BITS 16
#define NEAR	  16u /* slots for handles with one hash */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Protected by the lock. */
static struct slot {
	uint64_t handle, address, references;
} slots[(1u << SLOT_BITS) + NEAR];

/* Returns the slot with this handle, 0 for an empty one, or NULL. */
static struct slot *find(uint64_t handle, uint64_t of)
{
	struct slot *slot =
	    &slots[of * 0x9e3779b97f4a7c15u >> (64 - SLOT_BITS)];

	for (unsigned i = 0; i < NEAR; i++)
		if (slot[i].handle == handle)
			return &slot[i];
	return NULL;
}

uint64_t xs_mapped_handles_put(uint64_t handle, uint64_t address, bool refers)
{
	struct slot *slot;
	uint64_t before = 0;

	pthread_mutex_lock(&lock);
	slot = find(handle, handle);
	if (slot)
		before = slot->address;
	else
		slot = find(0, handle);
	if (!slot)
		before = XS_MAPPED_ELSEWHERE;
	else
		*slot = (struct slot){handle, address,
				      before ? slot->references + refers
					     : UINT64_C(1)};
	pthread_mutex_unlock(&lock);
	return before;
}

void xs_mapped_handles_drop(uint64_t handle)
{
	struct slot *slot;

	pthread_mutex_lock(&lock);
	slot = find(handle, handle);
	if (slot && !--slot->references)
		slot->handle = 0;
	pthread_mutex_unlock(&lock);
}
