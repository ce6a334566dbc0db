/* SPDX-License-Identifier: MIT */
/* --to otf2: a folder for Vampir, Scalasca and others. Host threads and streams
 * of GPUs are locations, which are written one after the other. */
#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "report/export/export.h"
#include "report/export/names.h"
#include "report/export/otf2_archive.h"
#include "report/export/tracks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct exporting {
	const struct xs_trace *trace;
	struct xs_otf2 to;
	struct xs_export_tracks tracks;
	/* numbers of what was defined + 1, 0: not yet; owned */
	uint32_t *regions; /* by kind of slice and string; then kinds of ops */
	uint32_t *places;  /* by site; strings */
	uint32_t *groups;  /* by GPU */
	uint32_t memory[UINT8_MAX + 1]; /* strings */
};

/* Returns the region with that name, which is defined when it is first used. */
static uint32_t region_of(struct exporting *e, size_t index, const char *name,
			  OTF2_RegionRole role)
{
	if (!e->regions[index])
		e->regions[index] = 1 + xs_otf2_region(&e->to, name, role);
	return e->regions[index] - 1;
}

/* Of a call or range: by a string, of which 0 is none. */
static uint32_t region_of_string(struct exporting *e, enum xs_export_slice kind,
				 uint32_t string)
{
	const char *name = xs_export_string(e->trace, string);

	return region_of(e, kind * e->trace->string_count + (name ? string : 0),
			 name			 ? name
			 : kind == XS_SLICE_CALL ? "call"
						 : "range",
			 kind == XS_SLICE_CALL ? OTF2_REGION_ROLE_FUNCTION
					       : OTF2_REGION_ROLE_CODE);
}

static uint32_t region_of_op(struct exporting *e, const struct xs_op *op)
{
	const struct xs_trace *trace = e->trace;
	uint32_t string = 0, region;
	char *name;

	if (op->kind != XS_OP_KERNEL)
		return region_of(e, XS_SLICES * trace->string_count + op->kind,
				 xs_name_op(op->kind),
				 OTF2_REGION_ROLE_DATA_TRANSFER);
	if (op->shape < trace->shape_count &&
	    trace->shapes[op->shape].name < trace->string_count)
		string = trace->shapes[op->shape].name;
	name = e->regions[XS_SLICE_OP * trace->string_count + string]
		   ? NULL
		   : xs_export_kernel(trace, op->shape);
	region = region_of(e, XS_SLICE_OP * trace->string_count + string,
			   name ? name : "kernel", OTF2_REGION_ROLE_FUNCTION);
	free(name);
	return region;
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

static void put_call(struct exporting *e, struct xs_otf2_track *track,
		     uint32_t index)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_call *call = &trace->calls[index];
	const uint32_t function = call->site < trace->site_count
				      ? trace->sites[call->site].function
				      : 0;
	const struct xs_otf2_slice slice = {
	    .start_ns = xs_export_since(e->trace, call->start_ns),
	    .end_ns = xs_export_since(e->trace, call->end_ns),
	    .region = region_of_string(e, XS_SLICE_CALL, function),
	};

	if (xs_call_issues(call->call_class))
		xs_otf2_number(&e->to, XS_OTF2_CALL, index);
	if (call->bytes)
		xs_otf2_number(&e->to, XS_OTF2_BYTES, call->bytes);
	put_place(e, call->site);
	xs_otf2_slice(&e->to, track, &slice);
}

static void put_range(struct exporting *e, struct xs_otf2_track *track,
		      const struct xs_nvtx *range)
{
	const struct xs_otf2_slice slice = {
	    .start_ns = xs_export_since(e->trace, range->start_ns),
	    .end_ns = xs_export_since(e->trace, range->end_ns),
	    .region = region_of_string(e, XS_SLICE_RANGE, range->name),
	};

	xs_otf2_slice(&e->to, track, &slice);
}

static void put_op(struct exporting *e, struct xs_otf2_track *track,
		   const struct xs_op *op)
{
	const struct xs_otf2_slice slice = {
	    .start_ns = xs_export_since(e->trace, op->start_ns),
	    .end_ns = xs_export_since(e->trace, op->end_ns),
	    .bytes = op->bytes,
	    .region = region_of_op(e, op),
	};

	if (op->call < e->trace->call_count)
		xs_otf2_number(&e->to, XS_OTF2_CALL, op->call);
	if (op->kind != XS_OP_KERNEL) {
		put_memory(e, XS_OTF2_FROM, op->src_memory);
		put_memory(e, XS_OTF2_TO, op->dst_memory);
	}
	xs_otf2_slice(&e->to, track, &slice);
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

static void begin_track(struct exporting *e,
			const struct xs_export_track *track,
			struct xs_otf2_track *out)
{
	static const struct xs_queue unknown;
	const struct xs_trace *trace = e->trace;
	const struct xs_queue *queue = track->owner < trace->queue_count
					   ? &trace->queues[track->owner]
					   : &unknown;
	char name[64] = "NVTX ranges of the process";

	*out = (struct xs_otf2_track){.type = OTF2_LOCATION_TYPE_CPU_THREAD,
				      .nests = track->kind != XS_TRACK_QUEUE};
	if (track->kind == XS_TRACK_THREAD)
		snprintf(name, sizeof(name), "thread %u", track->owner);
	if (track->kind == XS_TRACK_QUEUE) {
		snprintf(name, sizeof(name), "GPU %u, stream %u", queue->device,
			 queue->stream);
		out->type = OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
		out->group = group_of(e, queue->device);
	}
	out->name = xs_otf2_string(&e->to, name);
}

static void put_slice(struct exporting *e, struct xs_otf2_track *track,
		      uint64_t slice)
{
	const uint32_t index = (uint32_t)slice;

	switch (slice >> 32) {
	case XS_SLICE_CALL:
		put_call(e, track, index);
		break;
	case XS_SLICE_RANGE:
		put_range(e, track, &e->trace->nvtx[index]);
		break;
	default:
		put_op(e, track, &e->trace->ops[index]);
	}
}

static int put_track(struct exporting *e, const struct xs_export_track *track,
		     struct xs_otf2_track *out)
{
	begin_track(e, track, out);
	for (size_t i = track->first; i < track->end && !e->to.error; i++)
		put_slice(e, out, e->tracks.slices[i]);
	xs_otf2_end_track(&e->to, out);
	return e->to.error;
}

static int prepare(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	e->regions = calloc(XS_SLICES * trace->string_count + XS_OP_KINDS,
			    sizeof(*e->regions));
	e->places = calloc(trace->site_count + 1, sizeof(*e->places));
	e->groups = calloc(xs_export_gpu_count(trace) + 1, sizeof(*e->groups));
	return e->regions && e->places && e->groups
		   ? xs_export_tracks_find(trace, &e->tracks)
		   : -ENOMEM;
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
	struct xs_otf2_track *out = calloc(1, sizeof(*out));
	int err;

	if (!out)
		return -ENOMEM;
	err = xs_otf2_open(&e->to, folder, &about);
	for (size_t i = 0; !err && i < e->tracks.count; i++)
		err = put_track(e, &e->tracks.tracks[i], out);
	err = xs_otf2_close(&e->to);
	free(out);
	return err;
}

int xs_export_otf2(const struct xs_trace *trace, FILE *out, const char *folder)
{
	struct exporting e = {.trace = trace};
	int err = prepare(&e);

	(void)out;
	if (!err)
		err = put_all(&e, folder);
	xs_export_tracks_release(&e.tracks);
	free(e.regions);
	free(e.places);
	free(e.groups);
	return err;
}
