/* SPDX-License-Identifier: MIT */
/*
 * What each call of CUDA passes through, together in a few pages of code, and
 * what it looks at, together in a line of the cache: see passed.h.
 */
#ifndef XS_PRELOAD_UTIL_HOT_H
#define XS_PRELOAD_UTIL_HOT_H

#define XS_HOT	    __attribute__((hot))
#define XS_HOT_DATA __attribute__((section("xs_hot")))
/* What is called from there and is none of it: not to be copied into it. */
#define XS_NOINLINE __attribute__((noinline))
/* The same, and hardly ever called: what leads to it is moved out of the way,
 * as is what a condition leads to that is hardly ever true. */
#define XS_COLD		     __attribute__((noinline, cold))
#define XS_UNLIKELY(is_true) __builtin_expect(!!(is_true), 0)

#endif
