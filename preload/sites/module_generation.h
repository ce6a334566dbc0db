/* SPDX-License-Identifier: MIT */
/*
 * How often an object that CUDA calls came from was unloaded. The same address
 * may then be other code, so what is known of an address counts for one
 * generation alone.
 */
#ifndef XS_PRELOAD_SITES_MODULE_GENERATION_H
#define XS_PRELOAD_SITES_MODULE_GENERATION_H

#include "preload/sites/object.h"

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic uint32_t xs_module_generation_now;

/* Calls come from this object, as from this address in it. */
void xs_module_generation_watch(const struct xs_object *object,
				uintptr_t address);

/* Some object was unloaded: begins a new generation if calls came from it.
 * Takes the loader's lock. */
void xs_module_generation_update(void);

#endif
