/* SPDX-License-Identifier: MIT */
/*
 * What each call of CUDA passes through, together in a page of code, and what
 * it looks at, together in a line of the cache: see passed.h.
 */
#ifndef XS_HOT_H
#define XS_HOT_H

#define XS_HOT	    __attribute__((hot))
#define XS_HOT_DATA __attribute__((section("xs_hot")))
/* What is called from there and is none of it: not to be copied into it. */
#define XS_APART __attribute__((noinline))

#endif
