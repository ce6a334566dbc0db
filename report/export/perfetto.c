/* SPDX-License-Identifier: MIT */
/* --to perfetto: for ui.perfetto.dev. Records go to the file one by one. */
#include "analyzer/read/names.h"
#include "analyzer/util/memory.h"
#include "report/export/export.h"
#include "report/export/names.h"
#include "report/export/perfetto_packets.h"
#include "report/export/tracks.h"

#include <stdlib.h>

/* Copies of one direction at once whose rates are added up. */
#define COPIES_MOST 16

/* Kinds of tracks, in the upper bits of their ids; below them are the number of
 * a thread, or a device and a queue or kind of copy, and the lane. A parent is
 * before its children. */
enum track_kind {
	PROCESS = 1,
	THREADS,
	RANGES,
	PROCESS_RANGES,
	GPUS,
	COPIES,
	KERNELS,
	COUNTERS,
};
#define KIND_SHIFT  56
#define OWNER_SHIFT 20

/* The rate of copies of one direction of a GPU: the sum over those that run. */
struct rate {
	uint64_t id; /* 0: these are no such copies */
	size_t count;
	struct {
		uint64_t end_ns;
		double rate;
	} running[COPIES_MOST];
};

struct exporting {
	const struct xs_trace *trace;
	struct xs_perfetto to;
	bool *named; /* by number of a name */
	/* of the current track */
	struct xs_perfetto_track track;
	char track_name[64];
	struct rate rate;
};

static uint64_t id_of(enum track_kind kind, uint64_t owner, uint64_t part)
{
	return (uint64_t)kind << KIND_SHIFT |
	       (owner << OWNER_SHIFT | part) * XS_PERFETTO_LANES;
}

static uint64_t track_of(const struct xs_trace *trace, enum xs_export_kind kind,
			 size_t index)
{
	const struct xs_op *op;

	if (kind == XS_SLICE_CALL)
		return id_of(THREADS, trace->calls[index].thread, 0);
	if (kind == XS_SLICE_RANGE)
		return trace->nvtx[index].process
			   ? id_of(PROCESS_RANGES, 0, 0)
			   : id_of(RANGES, trace->nvtx[index].thread, 0);
	op = &trace->ops[index];
	return op->kind == XS_OP_KERNEL
		   ? id_of(KERNELS, xs_export_queue(trace, op->queue)->device,
			   op->queue)
		   : id_of(COPIES, xs_export_queue(trace, op->queue)->device,
			   op->kind);
}

static struct xs_perfetto_track thread_track(const struct exporting *e,
					     uint32_t thread)
{
	return (struct xs_perfetto_track){.id = id_of(THREADS, thread, 0),
					  .pid = e->trace->header.pid,
					  .tid = thread,
					  .name = "calls"};
}

/* Ranges are a track below that of their thread, which may have no calls. */
static void begin_ranges(struct exporting *e, uint32_t thread)
{
	struct xs_perfetto_track parent = thread_track(e, thread);

	xs_perfetto_describe(&e->to, &parent);
	e->track.parent = parent.id;
	e->track.name = "NVTX";
}

static void begin_copies(struct exporting *e, uint64_t device, uint64_t kind)
{
	static const char *const names[XS_OP_KINDS] = {
	    "copies in",	  "copies out", "copies on the GPU",
	    "copies on the host", "sets",	NULL,
	    "copies between GPUs"};

	e->track.parent = id_of(GPUS, device, 0);
	e->track.name = names[kind % XS_OP_KINDS];
	if (kind > XS_OP_D2H)
		return;
	e->rate.id = id_of(COUNTERS, device, kind);
	xs_perfetto_counter(&e->to, e->rate.id, e->track.parent,
			    kind == XS_OP_D2H ? "rate of copies out"
					      : "rate of copies in");
}

static void begin_kernels(struct exporting *e, uint64_t device, uint64_t queue)
{
	snprintf(e->track_name, sizeof(e->track_name), "kernels, stream %u",
		 xs_export_queue(e->trace, queue)->stream);
	e->track.parent = id_of(GPUS, device, 0);
	e->track.name = e->track_name;
}

static int begin_track(void *self, uint64_t id)
{
	struct exporting *e = self;
	const uint64_t rest =
	    (id & ((UINT64_C(1) << KIND_SHIFT) - 1)) / XS_PERFETTO_LANES;
	const uint64_t owner = rest >> OWNER_SHIFT;
	const uint64_t part = rest & ((1u << OWNER_SHIFT) - 1);

	e->track = (struct xs_perfetto_track){.id = id};
	e->rate = (struct rate){0};
	switch (id >> KIND_SHIFT) {
	case THREADS:
		e->track = thread_track(e, (uint32_t)owner);
		break;
	case RANGES:
		begin_ranges(e, (uint32_t)owner);
		break;
	case COPIES:
		begin_copies(e, owner, part);
		break;
	case KERNELS:
		begin_kernels(e, owner, part);
		break;
	default:
		e->track.parent = id_of(PROCESS, 0, 0);
		e->track.name = "NVTX";
	}
	return e->to.error;
}

/* Ends the copies that end at or before a time, the earliest first. */
static void end_copies(struct exporting *e, uint64_t before_ns)
{
	struct rate *in = &e->rate;

	for (;;) {
		size_t first = 0;
		double sum = 0;
		uint64_t at_ns;

		for (size_t i = 1; i < in->count; i++)
			if (in->running[i].end_ns < in->running[first].end_ns)
				first = i;
		if (!in->count || in->running[first].end_ns > before_ns)
			return;
		at_ns = in->running[first].end_ns;
		in->running[first] = in->running[--in->count];
		for (size_t i = 0; i < in->count; i++)
			sum += in->running[i].rate;
		xs_perfetto_count(&e->to, in->id, at_ns, sum);
	}
}

static void count_copy(struct exporting *e, const struct xs_export_slice *copy)
{
	struct rate *in = &e->rate;
	double sum = 0;

	end_copies(e, copy->start_ns);
	if (in->count == COPIES_MOST || copy->end_ns <= copy->start_ns)
		return;
	in->running[in->count].end_ns = copy->end_ns;
	in->running[in->count++].rate =
	    1e9 * (double)copy->bytes / (double)(copy->end_ns - copy->start_ns);
	for (size_t i = 0; i < in->count; i++)
		sum += in->running[i].rate;
	xs_perfetto_count(&e->to, in->id, copy->start_ns, sum);
}

/* Returns the number of a name, which is written when it is first used. */
static uint64_t number_of(struct exporting *e, uint64_t name)
{
	char *text = e->named[name] ? NULL : xs_export_name(e->trace, name);

	if (text)
		xs_perfetto_name(&e->to, name + 1, text);
	e->named[name] = true;
	free(text);
	return name + 1;
}

static int put_slice(void *self, const struct xs_export_slice *given)
{
	struct exporting *e = self;
	char place[512];
	const struct xs_perfetto_slice slice = {
	    .start_ns = given->start_ns,
	    .end_ns = given->end_ns,
	    .name = number_of(e, given->name),
	    .bytes = given->bytes,
	    .flow = given->flow,
	    .site = given->site == XS_NONE
			? NULL
			: xs_export_place(e->trace, given->site, place,
					  sizeof(place)),
	    .from = xs_name_memory(given->from),
	    .to = xs_name_memory(given->to),
	};

	xs_perfetto_slice(&e->to, &e->track, &slice);
	if (e->rate.id)
		count_copy(e, given);
	return e->to.error;
}

static int end_track(void *self)
{
	struct exporting *e = self;

	end_copies(e, UINT64_MAX);
	return e->to.error;
}

static int put_all(struct exporting *e)
{
	static const struct xs_export_walker walker = {
	    .track_of = track_of,
	    .begin = begin_track,
	    .put = put_slice,
	    .end = end_track,
	};
	const struct xs_trace *trace = e->trace;
	const uint64_t process = id_of(PROCESS, 0, 0);
	int err;

	xs_perfetto_process(&e->to, process, trace->header.pid,
			    xs_trace_find_info(trace, "app"));
	for (size_t i = 0; i < xs_export_gpu_count(trace); i++) {
		char name[128];

		xs_export_gpu(trace, i, name, sizeof(name));
		xs_perfetto_group(&e->to, id_of(GPUS, i, 0), process, name);
	}
	err = xs_export_walk(trace, &walker, e);
	return err ? err : e->to.error;
}

int xs_export_perfetto(const struct xs_trace *trace, FILE *out,
		       const char *path)
{
	struct exporting e = {
	    .trace = trace,
	    .to = {.out = out},
	    .named = xs_calloc(xs_export_name_count(trace), sizeof(*e.named))};
	const int err = put_all(&e);

	(void)path;
	xs_proto_free(&e.to.packet);
	free(e.named);
	return err;
}
