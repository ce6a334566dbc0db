/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef void (*deep_fn)(void *data);

/* Calls `call` `depth` frames further down, each slightly larger than
 * `bytes`. */
void deep_call(unsigned depth, size_t bytes, deep_fn call, void *data);

/* Calls `call` `bytes` further down the stack, from one place. */
void deep_call_below(size_t bytes, deep_fn call, void *data);

/* Call `call` from one of DEEP_PLACES places at the same depth: each in its own
 * function, or all in the same two functions. */
#define DEEP_PLACES 20u
void deep_call_from(unsigned place, bool through_library, deep_fn call,
		    void *data);

#ifdef __x86_64__
/* Calls `call` as Go calls C from a goroutine whose stack is this thread's: on
 * another stack, from code without unwind tables. */
void deep_call_from_go(deep_fn call, void *data);
#endif
