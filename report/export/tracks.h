/* SPDX-License-Identifier: MIT */
/* Walks calls, NVTX ranges and ops by tracks, such as the thread or stream that
 * they ran on, one after the other. */
#pragma once

#include "report/export/slices.h"

/* Functions return 0, or -errno to stop. */
struct xs_export_walker {
	/* Returns the track of a call, range or op by its index. */
	uint64_t (*track_of)(const struct xs_trace *trace,
			     enum xs_export_kind kind, size_t index);
	int (*begin)(void *self, uint64_t track);
	int (*put)(void *self, const struct xs_export_slice *slice);
	int (*end)(void *self);
};

/* Walks all tracks in order of their numbers, each by the start of its slices;
 * a range is before a call that starts with it. Takes 8 bytes a slice. Returns
 * 0, -ENOMEM or an error of the walker. */
int xs_export_walk(const struct xs_trace *trace,
		   const struct xs_export_walker *walker, void *self);
