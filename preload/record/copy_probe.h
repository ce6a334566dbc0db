/* SPDX-License-Identifier: MIT */
/* Copy probe: measures page faults of the thread during a copy, and hashes its
 * host memory if XFERSPY_HASH is set. */
#pragma once

#include "preload/api/functions.h"
#include "preload/record/content.h"
#include "preload/trace/thread.h"

#include <stdbool.h>

/* Returns whether copies are hashed. */
static inline bool xs_copy_probe_hashes(void)
{
	return xs_relaxed(&xs_hash_mode) != XS_HASH_OFF;
}

/* Returns whether the function is a linear copy, from one range to another. All
 * its arguments are passed by value, so they can be read before the call, which
 * may fail; pointers to structs could not. */
bool xs_copy_probe_is_linear(enum xs_function fn);

/* Smaller copies are not probed: page faults cost less than counting them. */
#define XS_COPY_PROBE_MIN_BYTES (1u << 20)

/* Starts a probe before the real call. Only linear copies are probed; small
 * ones only if they are hashed. errno may change. */
void xs_copy_probe_begin_copy(struct xs_copy_probe *probe, enum xs_function fn,
			      const void *arguments);

/* Clears the probe, and starts one for copies. */
static inline void xs_copy_probe_begin(struct xs_copy_probe *probe,
				       enum xs_function fn,
				       const void *arguments)
{
	uint8_t call_class = xs_functions[fn].call_class;

	probe->bytes = 0;
	if (call_class == XS_CALL_COPY || call_class == XS_CALL_COPY_ASYNC)
		xs_copy_probe_begin_copy(probe, fn, arguments);
}

/* Replaces the counts at the start by the difference since then. */
void xs_copy_probe_count_faults(struct xs_copy_probe *probe);

/* Call right after the real call: then probe->minor and probe->major are the
 * page faults of the call, 0 if not counted. */
static inline void xs_copy_probe_end(struct xs_copy_probe *probe)
{
	if (probe->bytes)
		xs_copy_probe_count_faults(probe);
}

/* Call after a copy that succeeded. Returns whether probe->hash is the hash of
 * the host's side; for a copy out only if the call has waited for it. */
bool xs_copy_probe_content(struct xs_copy_probe *probe, enum xs_function fn,
			   const struct xs_event *event);
