/* SPDX-License-Identifier: MIT */
#include "preload/record/callsite_cache.h"
#include "preload/util/pages.h"

#define TABLE_BYTES (XS_CALLSITE_CACHE_SLOTS * sizeof(struct xs_callsite))

struct xs_callsite *xs_callsite_cache_add(struct xs_thread *thread,
					  enum xs_function fn,
					  uintptr_t address, xs_real_fn real)
{
	struct xs_callsite *callsite;

	if (!thread->callsites)
		thread->callsites = xs_pages_map(TABLE_BYTES);
	if (!thread->callsites)
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
