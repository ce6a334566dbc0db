/* SPDX-License-Identifier: MIT */
/*
 * Objects that calls came from and that were unloaded. What is loaded in the
 * place of one has other code at the same addresses: what is known of an
 * address there is of the one or the other.
 */
#ifndef XS_PRELOAD_SITES_MODULE_GENERATION_H
#define XS_PRELOAD_SITES_MODULE_GENERATION_H

#include "preload/sites/object.h"

#include <stdatomic.h>
#include <stdint.h>

/* How many there were. */
extern _Atomic uint32_t xs_module_generation_now;

uint32_t xs_module_generation_find(uintptr_t address);

/* Tells an address apart from the same one of an object that went; 0 where none
 * did. */
static inline uint32_t xs_module_generation_of(uintptr_t address)
{
	return atomic_load_explicit(&xs_module_generation_now,
				    memory_order_acquire)
		   ? xs_module_generation_find(address)
		   : 0;
}

/* Calls come from this object, as from this address of it. */
void xs_module_generation_watch(const struct xs_object *object,
				uintptr_t address);

/* Something was unloaded: was it one of them? Both take the loader's lock. */
void xs_module_generation_update(void);

#endif
