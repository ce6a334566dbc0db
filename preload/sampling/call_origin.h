/* SPDX-License-Identifier: MIT */
/*
 * How calls are seen: by the interposed functions (hooked), or by CUPTI's
 * callbacks alone, as those of a statically linked runtime are.
 */
#ifndef XS_PRELOAD_SAMPLING_CALL_ORIGIN_H
#define XS_PRELOAD_SAMPLING_CALL_ORIGIN_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether some call was seen so. */
struct xs_call_origin {
	atomic_bool hooked, by_callback;
};
extern struct xs_call_origin xs_call_origin;

static inline void xs_call_origin_set_once(atomic_bool *what)
{
	if (!atomic_load_explicit(what, memory_order_relaxed))
		atomic_store(what, true);
}

static inline void xs_call_origin_note_hooked(void)
{
	xs_call_origin_set_once(&xs_call_origin.hooked);
}

static inline void xs_call_origin_note_callback(void)
{
	xs_call_origin_set_once(&xs_call_origin.by_callback);
}

/* Returns whether calls were seen, and all of them by hooks. */
bool xs_call_origin_all_hooked(void);

#endif
