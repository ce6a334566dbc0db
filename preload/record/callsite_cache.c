/* SPDX-License-Identifier: MIT */
#include "preload/record/callsite_cache.h"

#include <sys/mman.h>

#define TABLE_BYTES (XS_PASSED * sizeof(struct xs_passed))

static bool map_table(struct xs_thread *thread)
{
	void *table = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table != MAP_FAILED)
		thread->passed = table;
	return table != MAP_FAILED;
}

struct xs_passed *xs_passed_keep(struct xs_thread *thread, enum xs_function fn,
				 uintptr_t address, xs_real_fn real)
{
	struct xs_passed *passed;

	if (!thread->passed && !map_table(thread))
		return NULL;
	passed = xs_passed_find(thread, fn, address);
	if (passed)
		return passed;
	passed = xs_passed_slot(thread, address);
	*passed = (struct xs_passed){
	    .address = address,
	    .real = real,
	    .fill = xs_functions[fn].call_class == XS_CALL_LAUNCH
			? NULL
			: xs_functions[fn].fill,
	    .unloads = atomic_load(&xs_unloads),
	    .fn = (uint16_t)fn,
	    .call_class = xs_functions[fn].call_class,
	    .per_thread = xs_functions[fn].per_thread,
	};
	return passed;
}

void xs_passed_drop(struct xs_passed *passed)
{
	if (passed)
		munmap(passed, TABLE_BYTES);
}
