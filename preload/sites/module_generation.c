/* SPDX-License-Identifier: MIT */
#include "preload/sites/module_generation.h"
#include "preload/util/hot.h"
#include "preload/util/intern.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define MOST_OBJECTS 256u
#define MOST_RANGES  64u

XS_HOT_DATA _Atomic uint32_t xs_module_generation_now;

struct object {
	uintptr_t address, begin, end; /* of its code */
	uint64_t name;
	bool gone;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[MOST_OBJECTS]; /* under the lock */
static unsigned object_count;

/* Written under the lock, read without. */
static struct {
	_Atomic uintptr_t begin, end;
	_Atomic uint32_t number;
} ranges[MOST_RANGES];
static _Atomic unsigned range_count;

uint32_t xs_module_generation_find(uintptr_t address)
{
	const unsigned count = atomic_load(&range_count);

	for (unsigned i = 0; i < count; i++)
		if (address >= atomic_load(&ranges[i].begin) &&
		    address < atomic_load(&ranges[i].end))
			return atomic_load(&ranges[i].number);
	return 0;
}

static uint64_t name_of(const struct xs_object *object)
{
	return xs_hash(object->path, strlen(object->path)) ^ object->base;
}

void xs_module_generation_watch(const struct xs_object *object,
				uintptr_t address)
{
	const uint64_t name = name_of(object);
	struct object new = {.address = address, .name = name};

	xs_object_code_range(address, &new.begin, &new.end);
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < object_count; i++)
		if (objects[i].name == name) {
			objects[i] = new;
			new.end = 0;
		}
	if (new.end && object_count < MOST_OBJECTS)
		objects[object_count++] = new;
	pthread_mutex_unlock(&lock);
}

/* The last range has those that have no room of their own. */
static void add_range(const struct object *object)
{
	unsigned at = 0, count = atomic_load(&range_count);
	uintptr_t begin = object->begin, end = object->end;

	while (at < count && (atomic_load(&ranges[at].begin) != begin ||
			      atomic_load(&ranges[at].end) != end))
		at++;
	if (at == MOST_RANGES) {
		at--;
		if (atomic_load(&ranges[at].begin) < begin)
			begin = atomic_load(&ranges[at].begin);
		if (atomic_load(&ranges[at].end) > end)
			end = atomic_load(&ranges[at].end);
	}
	atomic_store(&ranges[at].number,
		     atomic_load(&xs_module_generation_now) + 1);
	atomic_store(&ranges[at].begin, begin);
	atomic_store(&ranges[at].end, end);
	if (at == count)
		atomic_store(&range_count, count + 1);
	atomic_fetch_add(&xs_module_generation_now, 1);
}

void xs_module_generation_update(void)
{
	for (unsigned i = 0; i < MOST_OBJECTS; i++) {
		struct xs_object now;
		struct object object = {.gone = true};
		bool gone;

		pthread_mutex_lock(&lock);
		if (i < object_count)
			object = objects[i];
		pthread_mutex_unlock(&lock);
		if (object.gone)
			continue;
		gone = xs_object_find(object.address, &now) ||
		       name_of(&now) != object.name;
		pthread_mutex_lock(&lock);
		if (gone && !objects[i].gone &&
		    objects[i].name == object.name) {
			objects[i].gone = true;
			add_range(&objects[i]);
		}
		pthread_mutex_unlock(&lock);
	}
}
