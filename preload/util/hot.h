/* SPDX-License-Identifier: MIT */
/* Section and branch attributes that keep the code and the data of the fast
 * path in few cache lines (record/callsite_cache.h). */
#pragma once

#include <stdatomic.h>

#define XS_HOT	    __attribute__((hot))
#define XS_HOT_DATA __attribute__((section("xs_hot")))
/* For functions that hot code calls and that should not be inlined into it. */
#define XS_NOINLINE __attribute__((noinline))
/* Also rarely called: the code that leads to it is moved out of the hot path,
 * as is the code behind a condition that is rarely true. */
#define XS_COLD		     __attribute__((noinline, cold))
#define XS_UNLIKELY(is_true) __builtin_expect(!!(is_true), 0)

/* Atomic values that order nothing else: flags, counts and caches. */
#define xs_relaxed(at) atomic_load_explicit(at, memory_order_relaxed)
#define xs_relaxed_set(at, value)                                              \
	atomic_store_explicit(at, value, memory_order_relaxed)
