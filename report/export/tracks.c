/* SPDX-License-Identifier: MIT */
#include "report/export/tracks.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

#define SHIFT 32

static uint64_t id_of(enum xs_export_track_kind kind, uint32_t owner)
{
	return (uint64_t)kind << SHIFT | owner;
}

static uint64_t id_of_range(const struct xs_nvtx *range)
{
	return range->process ? id_of(XS_TRACK_PROCESS, 0)
			      : id_of(XS_TRACK_THREAD, range->thread);
}

static uint64_t id_of_slice(const struct xs_trace *trace, uint64_t slice)
{
	const uint32_t i = (uint32_t)slice;

	switch (slice >> SHIFT) {
	case XS_SLICE_CALL:
		return id_of(XS_TRACK_THREAD, trace->calls[i].thread);
	case XS_SLICE_RANGE:
		return id_of_range(&trace->nvtx[i]);
	default:
		return id_of(XS_TRACK_QUEUE, trace->ops[i].queue);
	}
}

/* Makes the tracks of the ids of all slices, which it sorts. Each has room for
 * its slices, and none yet. Returns 0 or -ENOMEM. */
static int make_tracks(struct xs_export_tracks *out, uint64_t *ids,
		       uint64_t *scratch, size_t slices)
{
	size_t count = 0;

	xs_values_sort(ids, scratch, slices);
	for (size_t i = 0; i < slices; i++)
		count += i == 0 || ids[i] != ids[i - 1];
	out->tracks = calloc(count + 1, sizeof(*out->tracks));
	if (!out->tracks)
		return -ENOMEM;
	for (size_t i = 0; i < slices; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			out->tracks[out->count++] = (struct xs_export_track){
			    .kind =
				(enum xs_export_track_kind)(ids[i] >> SHIFT),
			    .owner = (uint32_t)ids[i],
			    .first = i,
			    .end = i};
	return 0;
}

static int find_tracks(const struct xs_trace *trace,
		       struct xs_export_tracks *out, size_t count)
{
	uint64_t *ids = calloc(count + 1, sizeof(*ids));
	size_t n = 0;
	int err;

	for (size_t i = 0; ids && i < trace->call_count; i++)
		ids[n++] = id_of(XS_TRACK_THREAD, trace->calls[i].thread);
	for (size_t i = 0; ids && i < trace->nvtx_count; i++)
		ids[n++] = id_of_range(&trace->nvtx[i]);
	for (size_t i = 0; ids && i < trace->op_count; i++)
		ids[n++] = id_of(XS_TRACK_QUEUE, trace->ops[i].queue);
	err = ids ? make_tracks(out, ids, out->slices, count) : -ENOMEM;
	free(ids);
	return err;
}

static void add(const struct xs_trace *trace, struct xs_export_tracks *out,
		enum xs_export_slice kind, size_t index)
{
	const uint64_t slice = (uint64_t)kind << SHIFT | index;
	const uint64_t id = id_of_slice(trace, slice);
	size_t low = 0, high = out->count;

	XS_BISECT(low, high, i,
		  id_of(out->tracks[i].kind, out->tracks[i].owner) < id);
	out->slices[out->tracks[low].end++] = slice;
}

int xs_export_tracks_find(const struct xs_trace *trace,
			  struct xs_export_tracks *out)
{
	const size_t count =
	    trace->call_count + trace->nvtx_count + trace->op_count;
	size_t range = 0;
	int err;

	*out = (struct xs_export_tracks){0};
	out->slices = calloc(count + 1, sizeof(*out->slices));
	err = out->slices ? find_tracks(trace, out, count) : -ENOMEM;
	for (size_t i = 0; !err && i < trace->call_count; i++) {
		while (range < trace->nvtx_count &&
		       trace->nvtx[range].start_ns <= trace->calls[i].start_ns)
			add(trace, out, XS_SLICE_RANGE, range++);
		add(trace, out, XS_SLICE_CALL, i);
	}
	while (!err && range < trace->nvtx_count)
		add(trace, out, XS_SLICE_RANGE, range++);
	for (size_t i = 0; !err && i < trace->op_count; i++)
		add(trace, out, XS_SLICE_OP, i);
	return err;
}

void xs_export_tracks_release(struct xs_export_tracks *tracks)
{
	free(tracks->tracks);
	free(tracks->slices);
}
