/* SPDX-License-Identifier: MIT */
/* Calls, NVTX ranges and ops by the thread or stream that they ran on, for
 * formats that want one after the other. */
#ifndef XS_REPORT_EXPORT_TRACKS_H
#define XS_REPORT_EXPORT_TRACKS_H

#include "analyzer/read/trace.h"

/* What a number in slices is of: its upper half. The lower half is an index. */
enum xs_export_slice { XS_SLICE_CALL, XS_SLICE_RANGE, XS_SLICE_OP, XS_SLICES };

enum xs_export_track_kind {
	XS_TRACK_THREAD,
	XS_TRACK_PROCESS, /* ranges that any thread started */
	XS_TRACK_QUEUE
};

struct xs_export_track {
	enum xs_export_track_kind kind;
	uint32_t owner;	   /* tid, or index of a queue */
	size_t first, end; /* of its slices */
};

struct xs_export_tracks {
	struct xs_export_track *tracks; /* owned, as slices are */
	size_t count;
	/* Of a track by their start. A range is before a call that starts with
	 * it. */
	uint64_t *slices;
};

/* Finds all tracks. Returns 0 or -ENOMEM; release in any case. Takes 8 bytes a
 * slice. */
int xs_export_tracks_find(const struct xs_trace *trace,
			  struct xs_export_tracks *out);
void xs_export_tracks_release(struct xs_export_tracks *tracks);

#endif
