/* SPDX-License-Identifier: MIT */
/* Flags that hot paths set and that are never cleared. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/* Stores only if the flag is not set yet, so that its cache line stays shared.
 */
static inline void xs_set_once(atomic_bool *flag)
{
	if (!atomic_load_explicit(flag, memory_order_relaxed))
		atomic_store(flag, true);
}
