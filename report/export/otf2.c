/* SPDX-License-Identifier: MIT */
/* --to otf2: a folder for Vampir, Scalasca and others. Host threads and streams
 * of GPUs are locations, which are written one after the other. */
#include "analyzer/read/names.h"
#include "analyzer/util/memory.h"
#include "report/export/export.h"
#include "report/export/names.h"
#include "report/export/otf2_archive.h"
#include "report/export/tracks.h"

#include <stdlib.h>

/* Kinds of tracks, in the upper half of their numbers; below them is a thread
 * or the index of a queue. */
enum track_kind {
	THREAD,
	PROCESS, /* ranges that any thread started */
	QUEUE
};

struct exporting {
	const struct xs_trace *trace;
	struct xs_otf2 to;
	struct xs_otf2_track track; /* the current one */
	/* numbers of what was defined + 1, 0: not yet; owned */
	uint32_t *regions;		/* by number of a name */
	uint32_t *places;		/* by site; strings */
	uint32_t *groups;		/* by GPU */
	uint32_t memory[UINT8_MAX + 1]; /* strings */
};

static uint64_t id_of(enum track_kind kind, uint32_t owner)
{
	return (uint64_t)kind << 32 | owner;
}

static uint64_t track_of(const struct xs_trace *trace, enum xs_export_kind kind,
			 size_t index)
{
	if (kind == XS_SLICE_CALL)
		return id_of(THREAD, trace->calls[index].thread);
	if (kind == XS_SLICE_OP)
		return id_of(QUEUE, trace->ops[index].queue);
	return trace->nvtx[index].process
		   ? id_of(PROCESS, 0)
		   : id_of(THREAD, trace->nvtx[index].thread);
}

/* Returns the group of a GPU. */
static uint32_t group_of(struct exporting *e, uint16_t device)
{
	char name[128];

	if (!e->groups[device]) {
		xs_export_gpu(e->trace, device, name, sizeof(name));
		e->groups[device] = 1 + xs_otf2_group(&e->to, name);
	}
	return e->groups[device] - 1;
}

static int begin_track(void *self, uint64_t id)
{
	struct exporting *e = self;
	const enum track_kind kind = (enum track_kind)(id >> 32);
	const uint32_t owner = (uint32_t)id;
	struct xs_otf2_track *track = &e->track;
	char name[64] = "NVTX ranges of the process";

	*track = (struct xs_otf2_track){.type = OTF2_LOCATION_TYPE_CPU_THREAD,
					.nests = kind != QUEUE};
	if (kind == THREAD)
		snprintf(name, sizeof(name), "thread %u", owner);
	if (kind == QUEUE) {
		const struct xs_queue *queue = xs_export_queue(e->trace, owner);

		snprintf(name, sizeof(name), "GPU %u, stream %u", queue->device,
			 queue->stream);
		track->type = OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
		track->group = group_of(e, queue->device);
	}
	track->name = xs_otf2_string(&e->to, name);
	return e->to.error;
}

/* Returns the region of a slice, which is defined when it is first used. */
static uint32_t region_of(struct exporting *e,
			  const struct xs_export_slice *slice)
{
	OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
	char *name;

	if (e->regions[slice->name])
		return e->regions[slice->name] - 1;
	if (slice->transfer)
		role = OTF2_REGION_ROLE_DATA_TRANSFER;
	else if (slice->kind == XS_SLICE_RANGE)
		role = OTF2_REGION_ROLE_CODE;
	name = xs_export_name(e->trace, slice->name);
	e->regions[slice->name] = 1 + xs_otf2_region(&e->to, name, role);
	free(name);
	return e->regions[slice->name] - 1;
}

/* The next slice is called at a place in the source, if that is known. */
static void put_place(struct exporting *e, uint32_t site)
{
	char buffer[512];
	const char *place = NULL;

	if (site >= e->trace->site_count)
		return;
	if (!e->places[site]) {
		place = xs_export_place(e->trace, site, buffer, sizeof(buffer));
		e->places[site] =
		    1 + (place ? xs_otf2_string(&e->to, place) : 0);
	}
	if (e->places[site] > 1)
		xs_otf2_text(&e->to, XS_OTF2_CALLED, e->places[site] - 1);
}

static void put_memory(struct exporting *e, enum xs_otf2_attribute attribute,
		       uint8_t memory)
{
	const char *name = xs_name_memory(memory);

	if (!name)
		return;
	if (!e->memory[memory])
		e->memory[memory] = 1 + xs_otf2_string(&e->to, name);
	xs_otf2_text(&e->to, attribute, e->memory[memory] - 1);
}

static int put_slice(void *self, const struct xs_export_slice *given)
{
	struct exporting *e = self;
	const bool is_op = given->kind == XS_SLICE_OP;
	const struct xs_otf2_slice slice = {
	    .start_ns = given->start_ns,
	    .end_ns = given->end_ns,
	    .bytes = is_op ? given->bytes : 0,
	    .region = region_of(e, given),
	};

	if (given->flow)
		xs_otf2_number(&e->to, XS_OTF2_CALL, given->flow - 1);
	if (!is_op && given->bytes)
		xs_otf2_number(&e->to, XS_OTF2_BYTES, given->bytes);
	put_place(e, given->site);
	put_memory(e, XS_OTF2_FROM, given->from);
	put_memory(e, XS_OTF2_TO, given->to);
	xs_otf2_slice(&e->to, &e->track, &slice);
	return e->to.error;
}

static int end_track(void *self)
{
	struct exporting *e = self;

	xs_otf2_end_track(&e->to, &e->track);
	return e->to.error;
}

/* Readers want a location, so that a trace without events has one for its first
 * thread. */
static int put_tracks(struct exporting *e)
{
	static const struct xs_export_walker walker = {
	    .track_of = track_of,
	    .begin = begin_track,
	    .put = put_slice,
	    .end = end_track,
	};
	int err = xs_export_walk(e->trace, &walker, e);

	if (err || e->to.locations)
		return err;
	err = begin_track(e, id_of(THREAD, e->trace->header.pid));
	return err ? err : end_track(e);
}

static int put_all(struct exporting *e, const char *folder)
{
	const struct xs_trace *trace = e->trace;
	const char *host = xs_trace_find_info(trace, "host");
	const char *app = xs_trace_find_info(trace, "app");
	const struct xs_otf2_run about = {
	    .host = host ? host : "host",
	    .process = app ? app : "process",
	    .start_ns = trace->begin_ns,
	    .ns = trace->end_ns - trace->begin_ns,
	};
	int err = xs_otf2_open(&e->to, folder, &about), closed;

	if (!err)
		err = put_tracks(e);
	closed = xs_otf2_close(&e->to);
	return err ? err : closed;
}

int xs_export_otf2(const struct xs_trace *trace, FILE *out, const char *folder)
{
	struct exporting *e = xs_calloc(1, sizeof(*e));
	int err;

	(void)out;
	e->trace = trace;
	e->regions =
	    xs_calloc(xs_export_name_count(trace), sizeof(*e->regions));
	e->places = xs_calloc(trace->site_count + 1, sizeof(*e->places));
	e->groups =
	    xs_calloc(xs_export_gpu_count(trace) + 1, sizeof(*e->groups));
	err = put_all(e, folder);
	free(e->regions);
	free(e->places);
	free(e->groups);
	free(e);
	return err;
}
