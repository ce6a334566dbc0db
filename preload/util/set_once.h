/* SPDX-License-Identifier: MIT */
/* Flags that hot paths set and that are never cleared. */
#pragma once

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Stores only if the flag is not set yet, so that its cache line stays shared.
 */
static inline void xs_set_once(atomic_bool *flag)
{
	if (!xs_relaxed(flag))
		atomic_store(flag, true);
}
