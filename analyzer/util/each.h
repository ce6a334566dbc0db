/* SPDX-License-Identifier: MIT */
/* Loops over arrays. */
#pragma once

#include <stddef.h>

/* For each item of an array, which may be NULL if it has none. XS_EACH gives a
 * pointer to const, XS_EACH_MUTABLE one to change items by. Both expressions
 * are evaluated once, and must not name a variable `item`. */
#define XS_EACH(item, items, count)                                            \
	for (const __typeof__(*(items)) *item = (items),                       \
					*item##_end = item ? item + (count)    \
							   : NULL;             \
	     item != item##_end; item++)
#define XS_EACH_MUTABLE(item, items, count)                                    \
	for (__typeof__(*(items)) *item = (items),                             \
				  *item##_end = item ? item + (count) : NULL;  \
	     item != item##_end; item++)
