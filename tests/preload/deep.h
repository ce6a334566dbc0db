/* SPDX-License-Identifier: MIT */
#ifndef XS_TESTS_PRELOAD_DEEP_H
#define XS_TESTS_PRELOAD_DEEP_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*deep_fn)(void *data);

/* Calls it `depth` frames further down, each of some more than `bytes`. */
void deep_call(unsigned depth, size_t bytes, deep_fn call, void *data);

/* Calls it so much further down the stack, from one place. */
void deep_call_below(size_t bytes, deep_fn call, void *data);

/* Calls it from one of DEEP_PLACES places, all at one depth; or has the same
 * two functions do it for each. */
#define DEEP_PLACES 20u
void deep_call_from(unsigned place, bool through_library, deep_fn call,
		    void *data);

#endif
