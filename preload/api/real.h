/* SPDX-License-Identifier: MIT */
/* Finds the real functions behind the hooks. */
#pragma once

#include "preload/api/functions.h"

/* Any real function; call it only through a cast to its own type. */
typedef void (*xs_real_fn)(void);

/*
 * Returns the real function that a call returning to `address` would have
 * reached without the hook. Never NULL: if no CUDA runtime has it, returns a
 * function that returns cudaErrorSharedObjectSymbolNotFound. Takes the loader's
 * lock.
 */
xs_real_fn xs_real_resolve(enum xs_function fn, uintptr_t address);

/* Like xs_real_resolve(), but for any function of a library (util/objects.h).
 * Returns NULL if there is none. */
void *xs_real_symbol(const char *library, const char *name, uintptr_t address);
