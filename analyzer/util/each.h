/* SPDX-License-Identifier: MIT */
/* Loops over arrays. */
#pragma once

#include <stddef.h>

/* For each item of an array, which may be NULL if it has none; both expressions
 * are evaluated once. `item` is a pointer to const, with the second to what may
 * change. */
#define XS_EACH(item, items, count)                                            \
	for (const __typeof__(*(items)) *item = (items),                       \
					*item##_end = item ? item + (count)    \
							   : NULL;             \
	     item != item##_end; item++)
#define XS_EACH_MUTABLE(item, items, count)                                    \
	for (__typeof__(*(items)) *item = (items),                             \
				  *item##_end = item ? item + (count) : NULL;  \
	     item != item##_end; item++)
