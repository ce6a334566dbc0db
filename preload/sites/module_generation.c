/* SPDX-License-Identifier: MIT */
#include "preload/sites/module_generation.h"
#include "preload/util/hot.h"
#include "preload/util/intern.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define MOST_OBJECTS 256u

XS_HOT_DATA _Atomic uint32_t xs_module_generation_now;

struct watched {
	uintptr_t address; /* in the object; 0: it was unloaded */
	uint64_t name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watched watched[MOST_OBJECTS]; /* under the lock */
static unsigned watched_count;

static uint64_t name_of(const struct xs_object *object)
{
	return xs_hash(object->path, strlen(object->path)) ^ object->base;
}

void xs_module_generation_watch(const struct xs_object *object,
				uintptr_t address)
{
	const struct watched new = {address, name_of(object)};
	unsigned at = 0;

	pthread_mutex_lock(&lock);
	while (at < watched_count && watched[at].name != new.name)
		at++;
	if (at < MOST_OBJECTS)
		watched[at] = new;
	if (at == watched_count && at < MOST_OBJECTS)
		watched_count++;
	pthread_mutex_unlock(&lock);
}

static bool is_unloaded(const struct watched *object)
{
	struct xs_object now;

	return xs_object_find(object->address, &now) ||
	       name_of(&now) != object->name;
}

/* The loader's lock is never taken with ours held. */
void xs_module_generation_update(void)
{
	for (unsigned i = 0; i < MOST_OBJECTS; i++) {
		struct watched object;

		pthread_mutex_lock(&lock);
		object = watched[i];
		pthread_mutex_unlock(&lock);
		if (!object.address || !is_unloaded(&object))
			continue;
		pthread_mutex_lock(&lock);
		if (watched[i].address == object.address) {
			watched[i].address = 0;
			atomic_fetch_add(&xs_module_generation_now, 1);
		}
		pthread_mutex_unlock(&lock);
	}
}
