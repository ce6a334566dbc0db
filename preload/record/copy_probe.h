/* SPDX-License-Identifier: MIT */
/*
 * What is looked at around a copy beyond its time: page faults that its thread
 * takes, and, where it is asked for, what the host's memory holds.
 */
#ifndef XS_PRELOAD_RECORD_COPY_PROBE_H
#define XS_PRELOAD_RECORD_COPY_PROBE_H

#include "preload/api/functions.h"
#include "preload/record/content.h"
#include "preload/trace/thread.h"

#include <stdbool.h>

/* Whether copies are hashed. */
static inline bool xs_copy_probe_hashes(void)
{
	return atomic_load_explicit(&xs_hash_mode, memory_order_relaxed) !=
	       XS_HASH_OFF;
}

/* Copies of one range to another. All their arguments are passed by value: the
 * call may be about to fail, and what it points to is not to be read. */
bool xs_copy_probe_is_of_range(enum xs_function fn);

/* Faults of smaller copies cost less than asking for them. */
#define XS_COPY_PROBE_LEAST_BYTES (1u << 20)

/*
 * Before the real call. Of calls that are no copies of one range to another
 * nothing is looked at, nor of small copies, unless they are hashed. errno may
 * change.
 */
void xs_copy_probe_look(struct xs_copy_probe *probe, enum xs_function fn,
			const void *arguments);

static inline void xs_copy_probe_begin(struct xs_copy_probe *probe,
				       enum xs_function fn,
				       const void *arguments)
{
	uint8_t call_class = xs_functions[fn].call_class;

	probe->bytes = 0;
	if (call_class == XS_CALL_COPY || call_class == XS_CALL_COPY_ASYNC)
		xs_copy_probe_look(probe, fn, arguments);
}

void xs_copy_probe_count_faults(struct xs_copy_probe *probe);

/* Right after the real call: from now on ahead->minor and ahead->major are of
 * the call alone, 0 where it was not looked. */
static inline void xs_copy_probe_end(struct xs_copy_probe *probe)
{
	if (probe->bytes)
		xs_copy_probe_count_faults(probe);
}

/* After a copy that succeeded: whether ahead->hash is that of the host's side.
 * That of a copy out is there when the call has waited for it. */
bool xs_copy_probe_content(struct xs_copy_probe *probe, enum xs_function fn,
			   const struct xs_event *event);

#endif
