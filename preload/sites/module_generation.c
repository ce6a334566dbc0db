/* SPDX-License-Identifier: MIT */
#include "preload/sites/module_generation.h"
#include "preload/util/hot.h"
#include "preload/util/intern.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define MAX_OBJECTS 256u

XS_HOT_DATA _Atomic uint32_t xs_module_generation_now;

struct tracked {
	uintptr_t address; /* an address in the object; 0: unloaded */
	uint64_t name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tracked tracked[MAX_OBJECTS]; /* under the lock */
static unsigned tracked_count;

static uint64_t name_of(const struct xs_object *object)
{
	return xs_hash(object->path, strlen(object->path)) ^ object->base;
}

void xs_module_generation_track(const struct xs_object *object,
				uintptr_t address)
{
	const struct tracked new = {address, name_of(object)};
	unsigned at = 0;

	pthread_mutex_lock(&lock);
	while (at < tracked_count && tracked[at].name != new.name)
		at++;
	if (at < MAX_OBJECTS)
		tracked[at] = new;
	if (at == tracked_count && at < MAX_OBJECTS)
		tracked_count++;
	pthread_mutex_unlock(&lock);
}

static bool is_unloaded(const struct tracked *object)
{
	struct xs_object now;

	return xs_object_find(object->address, &now) ||
	       name_of(&now) != object->name;
}

/* The loader's lock is never taken while our lock is held. */
void xs_module_generation_update(void)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		struct tracked object;

		pthread_mutex_lock(&lock);
		object = tracked[i];
		pthread_mutex_unlock(&lock);
		if (!object.address || !is_unloaded(&object))
			continue;
		pthread_mutex_lock(&lock);
		if (tracked[i].address == object.address) {
			tracked[i].address = 0;
			atomic_fetch_add(&xs_module_generation_now, 1);
		}
		pthread_mutex_unlock(&lock);
	}
}
