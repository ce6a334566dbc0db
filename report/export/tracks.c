/* SPDX-License-Identifier: MIT */
#include "report/export/tracks.h"

#include "analyzer/util/bisect.h"

#include "analyzer/util/large.h"
#include "report/export/ids.h"

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

/* Makes the tracks, without slices. Returns 0 or -ENOMEM. */
static int find_tracks(const struct xs_trace *trace,
		       struct xs_export_tracks *out)
{
	struct xs_export_ids set = {0};
	int err;

	for (size_t i = 0; i < trace->call_count; i++)
		xs_export_ids_add(
		    &set, id_of(XS_TRACK_THREAD, trace->calls[i].thread));
	for (size_t i = 0; i < trace->nvtx_count; i++)
		xs_export_ids_add(&set, id_of_range(&trace->nvtx[i]));
	for (size_t i = 0; i < trace->op_count; i++)
		xs_export_ids_add(&set,
				  id_of(XS_TRACK_QUEUE, trace->ops[i].queue));
	err = xs_export_ids_sort(&set);
	out->tracks = calloc(set.count + 1, sizeof(*out->tracks));
	for (size_t i = 0; out->tracks && i < set.count; i++)
		out->tracks[i] = (struct xs_export_track){
		    .kind = (enum xs_export_track_kind)(set.ids[i] >> SHIFT),
		    .owner = (uint32_t)set.ids[i]};
	out->count = set.count;
	free(set.ids);
	return out->tracks ? err : -ENOMEM;
}

static struct xs_export_track *track_of(const struct xs_trace *trace,
					struct xs_export_tracks *in,
					uint64_t slice)
{
	const uint64_t id = id_of_slice(trace, slice);
	size_t low = 0, high = in->count;

	XS_BISECT(low, high, i,
		  id_of(in->tracks[i].kind, in->tracks[i].owner) < id);
	return &in->tracks[low];
}

static uint64_t slice_of(enum xs_export_slice kind, size_t index)
{
	return (uint64_t)kind << SHIFT | index;
}

/* Gives each track room for its slices, and none yet. */
static void make_room(const struct xs_trace *trace,
		      struct xs_export_tracks *out)
{
	size_t at = 0;

	for (size_t i = 0; i < trace->call_count; i++)
		track_of(trace, out, slice_of(XS_SLICE_CALL, i))->end++;
	for (size_t i = 0; i < trace->nvtx_count; i++)
		track_of(trace, out, slice_of(XS_SLICE_RANGE, i))->end++;
	for (size_t i = 0; i < trace->op_count; i++)
		track_of(trace, out, slice_of(XS_SLICE_OP, i))->end++;
	for (size_t i = 0; i < out->count; i++) {
		const size_t count = out->tracks[i].end;

		out->tracks[i].first = out->tracks[i].end = at;
		at += count;
	}
}

static void add(const struct xs_trace *trace, struct xs_export_tracks *out,
		enum xs_export_slice kind, size_t index)
{
	const uint64_t slice = slice_of(kind, index);

	out->slices[track_of(trace, out, slice)->end++] = slice;
}

int xs_export_tracks_find(const struct xs_trace *trace,
			  struct xs_export_tracks *out)
{
	const size_t count =
	    trace->call_count + trace->nvtx_count + trace->op_count;
	size_t range = 0;
	int err;

	*out = (struct xs_export_tracks){0};
	out->slices = xs_large_new(count + 1, sizeof(*out->slices));
	err = out->slices ? find_tracks(trace, out) : -ENOMEM;
	if (!err)
		make_room(trace, out);
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
	xs_large_free(tracks->slices);
}
