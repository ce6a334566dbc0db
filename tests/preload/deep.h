/* SPDX-License-Identifier: MIT */
#ifndef XS_TEST_DEEP_H
#define XS_TEST_DEEP_H

#include <stddef.h>

typedef void (*deep_fn)(void *data);

/* Calls it `depth` frames further down. */
void deep_call(unsigned depth, deep_fn call, void *data);

/* Calls it so much further down the stack, from one place. */
void deep_call_below(size_t bytes, deep_fn call, void *data);

/* Calls it from one of DEEP_PLACES places, all at one depth. */
#define DEEP_PLACES 20u
void deep_call_from(unsigned place, deep_fn call, void *data);

#endif
