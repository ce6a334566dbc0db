/* SPDX-License-Identifier: MIT */
/* The real functions behind the interposed ones. */
#ifndef XS_PRELOAD_API_REAL_H
#define XS_PRELOAD_API_REAL_H

#include "preload/api/functions.h"

/* Any real function: called only through a cast to its own type. */
typedef void (*xs_real_fn)(void);

/*
 * The real function that a call returning to `address` would have reached
 * without us. Never NULL: if no CUDA runtime has it, a function that returns
 * cudaErrorSharedObjectSymbolNotFound. Takes the loader's lock.
 */
xs_real_fn xs_real_resolve(enum xs_function fn, uintptr_t address);

/* The same by name, of any function of a library (objects.h); NULL where it has
 * none. */
void *xs_real_symbol(const char *library, const char *name, uintptr_t address);

#endif
