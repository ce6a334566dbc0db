/* SPDX-License-Identifier: MIT */
/* Calls, NVTX ranges and ops as slices of time with a name, for formats of
 * timelines. */
#pragma once

#include "analyzer/read/trace.h"

enum xs_export_kind { XS_SLICE_CALL, XS_SLICE_RANGE, XS_SLICE_OP, XS_SLICES };

/* Times are ns after the start of the run. */
struct xs_export_slice {
	enum xs_export_kind kind;
	uint64_t start_ns, end_ns;
	uint64_t bytes;	  /* 0: none */
	uint64_t name;	  /* its number */
	uint64_t flow;	  /* the number of a call + 1: of one that issues ops
			   * and of these; 0: none */
	uint32_t site;	  /* of a call; XS_NONE: none */
	uint8_t from, to; /* of a copy or set: enum xs_memory */
	bool transfer;	  /* a copy or set */
};

/* How many numbers names may have, from 0. One is a kind and a text. */
size_t xs_export_name_count(const struct xs_trace *trace);

/* Returns the text of a name. Caller frees it. */
char *xs_export_name(const struct xs_trace *trace, uint64_t name);

/* Walks calls, NVTX ranges and ops by tracks, such as the thread or stream that
 * they ran on, one after the other. */

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
 * a range is before a call that starts with it. Takes 24 bytes a slice. Returns
 * 0 or an error of the walker. */
int xs_export_walk(const struct xs_trace *trace,
		   const struct xs_export_walker *walker, void *self);
