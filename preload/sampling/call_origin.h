/* SPDX-License-Identifier: MIT */
/*
 * How calls are seen: by hooks, or only by CUPTI's callbacks. The calls of a
 * statically linked runtime are seen only by callbacks.
 */
#pragma once

#include "preload/util/set_once.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Whether at least one call was seen in each way. */
struct xs_call_origin {
	atomic_bool hooked, by_callback;
};
extern struct xs_call_origin xs_call_origin;

static inline void xs_call_origin_note_hooked(void)
{
	xs_set_once(&xs_call_origin.hooked);
}

static inline void xs_call_origin_note_callback(void)
{
	xs_set_once(&xs_call_origin.by_callback);
}

/* Returns whether calls were seen, and all of them by hooks. */
bool xs_call_origin_all_hooked(void);
