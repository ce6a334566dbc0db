/* SPDX-License-Identifier: MIT */
/*
 * The functions of a CUDA runtime that is linked into the program: where their
 * code begins, as it was learned from calls. No symbol is needed for it, and
 * nothing is known of them before.
 */
#ifndef XS_PRELOAD_CALLSTACK_STATIC_ENTRY_POINTS_H
#define XS_PRELOAD_CALLSTACK_STATIC_ENTRY_POINTS_H

#include "preload/api/functions.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* `fn` has this instruction. False when there is no more room, or the
 * instruction is another's or of nobody known. Safe in several threads, and so
 * are the others. */
bool xs_static_entry_points_add(uintptr_t instruction, enum xs_function fn);

/* The learned function that has this instruction; XS_FN_COUNT: none. */
enum xs_function xs_static_entry_points_at(uintptr_t instruction);

/* The first learned function that does what this one of the driver does; `fn`
 * where there is none. */
enum xs_function xs_static_entry_points_like(enum xs_function fn);

/* How many were learned: entry.c's to change. */
extern _Atomic unsigned xs_static_entry_points_count;

/* Whether any was. */
static inline bool xs_static_entry_points_any(void)
{
	return atomic_load_explicit(&xs_static_entry_points_count,
				    memory_order_relaxed) > 0;
}

#endif
