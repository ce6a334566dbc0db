/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays. */
#pragma once

#include <stddef.h>

/*
 * A statement that moves the variable low to the first index in [low, high) for
 * which `before`, an expression of the index i, is false; those for which it is
 * true come first. The variable high becomes low.
 */
#define XS_BISECT(low, high, i, before)                                        \
	for (size_t i; (low) < (high);)                                        \
		if (i = (low) + ((high) - (low)) / 2, (before))                \
			(low) = i + 1;                                         \
		else                                                           \
			(high) = i
