/* SPDX-License-Identifier: MIT */
#include "preload/record/callsite_cache.h"

#include <sys/mman.h>

#define TABLE_BYTES (XS_CALLSITE_CACHE_SLOTS * sizeof(struct xs_callsite))

static bool map_table(struct xs_thread *thread)
{
	void *table = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table != MAP_FAILED)
		thread->callsites = table;
	return table != MAP_FAILED;
}

struct xs_callsite *xs_callsite_cache_add(struct xs_thread *thread,
					  enum xs_function fn,
					  uintptr_t address, xs_real_fn real)
{
	struct xs_callsite *callsite;

	if (!thread->callsites && !map_table(thread))
		return NULL;
	callsite = xs_callsite_cache_find(thread, fn, address);
	if (callsite)
		return callsite;
	callsite = xs_callsite_cache_slot(thread, address);
	/* the address last: a signal handler may jump out */
	*(volatile uintptr_t *)&callsite->address = 0;
	atomic_signal_fence(memory_order_seq_cst);
	*callsite = (struct xs_callsite){
	    .real = real,
	    .fill = xs_functions[fn].call_class == XS_CALL_LAUNCH
			? NULL
			: xs_functions[fn].fill,
	    .generation = atomic_load(&xs_module_generation_now),
	    .fn = (uint16_t)fn,
	    .call_class = xs_functions[fn].call_class,
	    .per_thread = xs_functions[fn].per_thread,
	};
	atomic_signal_fence(memory_order_seq_cst);
	callsite->address = address;
	return callsite;
}

void xs_callsite_cache_drop(struct xs_callsite *callsite)
{
	if (callsite)
		munmap(callsite, TABLE_BYTES);
}
