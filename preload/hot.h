/* SPDX-License-Identifier: MIT */
/*
 * What each call of CUDA passes through, together in a page of code, and what
 * it looks at, together in a line of the cache: between two launches the
 * program and the driver have used all of the first level themselves.
 */
#ifndef XS_HOT_H
#define XS_HOT_H

#define XS_HOT __attribute__((hot))
/* What is called from there and is none of it: not to be copied into it. */
#define XS_APART    __attribute__((noinline))
#define XS_HOT_DATA __attribute__((section("xs_hot")))

#endif
