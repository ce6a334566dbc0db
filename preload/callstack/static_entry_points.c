/* SPDX-License-Identifier: MIT */
#include "preload/callstack/static_entry_points.h"
#include "preload/util/hot.h"

#include <pthread.h>
#include <unwind.h>

#define MOST 64u

struct entry {
	uintptr_t begin;
	enum xs_function fn;
};

/* Written under the lock, and never again once they are counted. */
static struct entry entries[MOST];
XS_HOT_DATA _Atomic unsigned xs_static_entry_points_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum xs_function find(uintptr_t begin)
{
	unsigned known = atomic_load_explicit(&xs_static_entry_points_count,
					      memory_order_acquire);

	for (unsigned i = 0; i < known; i++)
		if (entries[i].begin == begin)
			return entries[i].fn;
	return XS_FN_COUNT;
}

/* Of the function that has this instruction; 0: not known. */
static uintptr_t begin_of(uintptr_t instruction)
{
	return (uintptr_t)_Unwind_FindEnclosingFunction((void *)instruction);
}

bool xs_static_entry_points_add(uintptr_t instruction, enum xs_function fn)
{
	const uintptr_t begin = begin_of(instruction);
	bool known;

	if (!begin)
		return false;
	pthread_mutex_lock(&lock);
	known = find(begin) == fn;
	if (!known && find(begin) == XS_FN_COUNT &&
	    xs_static_entry_points_count < MOST) {
		entries[xs_static_entry_points_count] =
		    (struct entry){begin, fn};
		atomic_fetch_add_explicit(&xs_static_entry_points_count, 1,
					  memory_order_release);
		known = true;
	}
	pthread_mutex_unlock(&lock);
	return known;
}

enum xs_function xs_static_entry_points_at(uintptr_t instruction)
{
	return xs_static_entry_points_any() ? find(begin_of(instruction))
					    : XS_FN_COUNT;
}

enum xs_function xs_static_entry_points_like(enum xs_function fn)
{
	unsigned known = atomic_load_explicit(&xs_static_entry_points_count,
					      memory_order_acquire);

	for (unsigned i = 0; i < known; i++)
		if (xs_functions[entries[i].fn].call_class ==
		    xs_functions[fn].call_class)
			return entries[i].fn;
	return fn;
}
