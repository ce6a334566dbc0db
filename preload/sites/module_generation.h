/* SPDX-License-Identifier: MIT */
/* Counts how often an object that made CUDA calls was unloaded. Afterwards
 * other code may have the same addresses, so everything cached about an address
 * is valid for one generation only. */
#pragma once

#include "preload/sites/object.h"

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic uint32_t xs_module_generation_now;

/* Registers an object that makes calls, with an address in it. */
void xs_module_generation_track(const struct xs_object *object,
				uintptr_t address);

/* Call after an object was unloaded: starts a new generation if it had made
 * calls. Takes the loader's lock. */
void xs_module_generation_update(void);
