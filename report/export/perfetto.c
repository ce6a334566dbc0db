/* SPDX-License-Identifier: MIT */
/* --to perfetto: for ui.perfetto.dev. Records go to the file one by one. */
#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/bisect.h"
#include "report/export/export.h"
#include "report/export/ids.h"
#include "report/export/names.h"
#include "report/export/perfetto_packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Copies of one direction at once whose rates are added up. */
#define COPIES_MOST 16

/* Kinds of tracks, in the upper bits of their ids; below them are the number of
 * a thread, or a device and a queue, and the lane. */
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

/* What may have no name, in the order of their names. */
enum nameless { CALL, RANGE, NAMELESS };

static uint64_t id_of(enum track_kind kind, uint64_t owner, uint64_t part)
{
	return (uint64_t)kind << 56 | (owner << 20 | part) * XS_PERFETTO_LANES;
}

/* The rate of copies of one direction of a GPU: the sum over those that run. */
struct rate {
	uint64_t id;
	size_t count;
	struct {
		uint64_t end_ns;
		double rate;
	} running[COPIES_MOST];
};

struct exporting {
	const struct xs_trace *trace;
	struct xs_perfetto to;
	bool *named; /* strings, then kernels by string, then kinds of ops, then
		      * what has no name */
	struct xs_perfetto_track *tracks; /* by id; owned */
	size_t track_count;
	struct rate *rates; /* owned; in, out by device */
	size_t device_count;
};

static uint64_t id_of_range(const struct xs_nvtx *range)
{
	return range->process ? id_of(PROCESS_RANGES, 0, 0)
			      : id_of(RANGES, range->thread, 0);
}

static const struct xs_queue *queue_of(const struct xs_trace *trace,
				       const struct xs_op *op)
{
	static const struct xs_queue unknown;

	return op->queue < trace->queue_count ? &trace->queues[op->queue]
					      : &unknown;
}

static uint64_t id_of_op(const struct xs_trace *trace, const struct xs_op *op)
{
	const bool kernel = op->kind == XS_OP_KERNEL;

	return id_of(kernel ? KERNELS : COPIES, queue_of(trace, op)->device,
		     kernel ? op->queue : op->kind);
}

/* Makes the tracks of all calls, ranges and ops. Returns 0 or -ENOMEM. */
static int make_tracks(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;
	struct xs_export_ids set = {0};
	int err;

	for (size_t i = 0; i < trace->call_count; i++)
		xs_export_ids_add(&set,
				  id_of(THREADS, trace->calls[i].thread, 0));
	for (size_t i = 0; i < trace->nvtx_count; i++) {
		xs_export_ids_add(&set,
				  id_of(THREADS, trace->nvtx[i].thread, 0));
		xs_export_ids_add(&set, id_of_range(&trace->nvtx[i]));
	}
	for (size_t i = 0; i < trace->op_count; i++)
		xs_export_ids_add(&set, id_of_op(trace, &trace->ops[i]));
	err = xs_export_ids_sort(&set);
	e->tracks = calloc(set.count + 1, sizeof(*e->tracks));
	for (size_t i = 0; e->tracks && i < set.count; i++)
		e->tracks[i].id = set.ids[i];
	e->track_count = set.count;
	free(set.ids);
	return e->tracks ? err : -ENOMEM;
}

/* The track was made. */
static struct xs_perfetto_track *find_track(struct exporting *e, uint64_t id)
{
	size_t low = 0, high = e->track_count;

	XS_BISECT(low, high, i, e->tracks[i].id < id);
	return &e->tracks[low];
}

static struct xs_perfetto_track *thread_track(struct exporting *e,
					      uint32_t thread)
{
	struct xs_perfetto_track *track =
	    find_track(e, id_of(THREADS, thread, 0));

	track->pid = e->trace->header.pid;
	track->tid = thread;
	track->name = "calls";
	return track;
}

/* Returns the number of a name, which is written when it is first used. what:
 * 0 for a string, 1 for a kernel, 2 for a kind of op, or beyond these for what
 * has no name. */
static uint64_t number_of(struct exporting *e, unsigned what, uint32_t index,
			  const char *name)
{
	const uint64_t number = (uint64_t)what * e->trace->string_count + index;

	if (!e->named[number])
		xs_perfetto_name(&e->to, number + 1, name);
	e->named[number] = true;
	return number + 1;
}

/* A string of the trace, or the name of what has none. */
static uint64_t number_of_string(struct exporting *e, uint32_t string,
				 enum nameless nameless)
{
	static const char *const names[NAMELESS] = {"call", "range"};
	const char *name = xs_export_string(e->trace, string);

	return name ? number_of(e, 0, string, name)
		    : number_of(e, 2, XS_OP_KINDS + nameless, names[nameless]);
}

static uint64_t number_of_op(struct exporting *e, const struct xs_op *op)
{
	const struct xs_trace *trace = e->trace;
	uint32_t string = 0;
	uint64_t number;
	char *name;

	if (op->kind != XS_OP_KERNEL)
		return number_of(e, 2, op->kind, xs_name_op(op->kind));
	if (op->shape < trace->shape_count &&
	    trace->shapes[op->shape].name < trace->string_count)
		string = trace->shapes[op->shape].name;
	name = e->named[trace->string_count + string]
		   ? NULL
		   : xs_export_kernel(trace, op->shape);
	number = number_of(e, 1, string, name ? name : "kernel");
	free(name);
	return number;
}

static void put_call(struct exporting *e, uint32_t index)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_call *call = &trace->calls[index];
	const uint32_t function = call->site < trace->site_count
				      ? trace->sites[call->site].function
				      : 0;
	char place[512];
	const struct xs_perfetto_slice slice = {
	    .start_ns = xs_export_since(e->trace, call->start_ns),
	    .end_ns = xs_export_since(e->trace, call->end_ns),
	    .name = number_of_string(e, function, CALL),
	    .bytes = call->bytes,
	    .site = xs_export_place(trace, call->site, place, sizeof(place)),
	    .flow = xs_call_issues(call->call_class) ? index + 1 : 0,
	};

	xs_perfetto_slice(&e->to, thread_track(e, call->thread), &slice);
}

static void put_range(struct exporting *e, const struct xs_nvtx *range)
{
	struct xs_perfetto_track *track = find_track(e, id_of_range(range));
	const struct xs_perfetto_slice slice = {
	    .start_ns = xs_export_since(e->trace, range->start_ns),
	    .end_ns = xs_export_since(e->trace, range->end_ns),
	    .name = number_of_string(e, range->name, RANGE),
	};

	track->parent = id_of(PROCESS, 0, 0);
	if (!range->process) {
		struct xs_perfetto_track *thread =
		    thread_track(e, range->thread);

		xs_perfetto_describe(&e->to, thread);
		track->parent = thread->id;
	}
	track->name = "NVTX";
	xs_perfetto_slice(&e->to, track, &slice);
}

/* Ends the copies that end at or before a time, the earliest first. */
static void end_copies(struct exporting *e, struct rate *in, uint64_t before_ns)
{
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
		xs_perfetto_count(&e->to, in->id,
				  xs_export_since(e->trace, at_ns), sum);
	}
}

static void count_copy(struct exporting *e, struct rate *in,
		       const struct xs_op *op)
{
	double sum = 0;

	end_copies(e, in, op->start_ns);
	if (in->count == COPIES_MOST || op->end_ns <= op->start_ns)
		return;
	in->running[in->count].end_ns = op->end_ns;
	in->running[in->count++].rate =
	    1e9 * (double)op->bytes / (double)(op->end_ns - op->start_ns);
	for (size_t i = 0; i < in->count; i++)
		sum += in->running[i].rate;
	xs_perfetto_count(&e->to, in->id,
			  xs_export_since(e->trace, op->start_ns), sum);
}

static void name_op_track(const struct xs_op *op, const struct xs_queue *queue,
			  char *name, size_t size)
{
	static const char *const names[XS_OP_KINDS] = {
	    "copies in",	  "copies out", "copies on the GPU",
	    "copies on the host", "sets",	NULL,
	    "copies between GPUs"};

	if (op->kind == XS_OP_KERNEL)
		snprintf(name, size, "kernels, stream %u", queue->stream);
	else
		snprintf(name, size, "%s", names[op->kind % XS_OP_KINDS]);
}

static void put_op(struct exporting *e, const struct xs_op *op)
{
	const struct xs_trace *trace = e->trace;
	const struct xs_queue *queue = queue_of(trace, op);
	const bool kernel = op->kind == XS_OP_KERNEL;
	struct xs_perfetto_track *track = find_track(e, id_of_op(trace, op));
	const struct xs_perfetto_slice slice = {
	    .start_ns = xs_export_since(e->trace, op->start_ns),
	    .end_ns = xs_export_since(e->trace, op->end_ns),
	    .name = number_of_op(e, op),
	    .bytes = op->bytes,
	    .flow = op->call < trace->call_count ? op->call + 1 : 0,
	    .from = kernel ? NULL : xs_name_memory(op->src_memory),
	    .to = kernel ? NULL : xs_name_memory(op->dst_memory),
	};
	char name[64];

	name_op_track(op, queue, name, sizeof(name));
	track->parent = id_of(GPUS, queue->device, 0);
	track->name = name; /* for now: only a new lane reads it */
	xs_perfetto_slice(&e->to, track, &slice);
	track->name = NULL;
	if (op->kind <= XS_OP_D2H && queue->device < e->device_count)
		count_copy(e, &e->rates[2 * queue->device + op->kind], op);
}

static void describe_gpu(struct exporting *e, size_t device)
{
	const uint64_t id = id_of(GPUS, device, 0);
	char name[128];

	xs_export_gpu(e->trace, device, name, sizeof(name));
	xs_perfetto_group(&e->to, id, id_of(PROCESS, 0, 0), name);
	for (unsigned out = 0; out < 2; out++) {
		struct rate *rate = &e->rates[2 * device + out];

		rate->id = id_of(COUNTERS, device, out);
		xs_perfetto_counter(&e->to, rate->id, id,
				    out ? "rate of copies out"
					: "rate of copies in");
	}
}

static int prepare(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	e->device_count = xs_export_gpu_count(trace);
	e->named = calloc(2 * trace->string_count + XS_OP_KINDS + NAMELESS,
			  sizeof(*e->named));
	e->rates = calloc(2 * e->device_count + 1, sizeof(*e->rates));
	return e->named && e->rates ? make_tracks(e) : -ENOMEM;
}

static void put_all(struct exporting *e)
{
	const struct xs_trace *trace = e->trace;

	xs_perfetto_process(&e->to, id_of(PROCESS, 0, 0), trace->header.pid,
			    xs_trace_find_info(trace, "app"));
	for (size_t i = 0; i < e->device_count; i++)
		describe_gpu(e, i);
	for (size_t i = 0; i < trace->call_count; i++)
		put_call(e, (uint32_t)i);
	for (size_t i = 0; i < trace->nvtx_count; i++)
		put_range(e, &trace->nvtx[i]);
	for (size_t i = 0; i < trace->op_count; i++)
		put_op(e, &trace->ops[i]);
	for (size_t i = 0; i < 2 * e->device_count; i++)
		end_copies(e, &e->rates[i], UINT64_MAX);
}

int xs_export_perfetto(const struct xs_trace *trace, FILE *out,
		       const char *path)
{
	struct exporting e = {.trace = trace, .to = {.out = out}};
	int err = prepare(&e);

	(void)path;
	if (!err) {
		put_all(&e);
		err = e.to.error;
	}
	xs_proto_free(&e.to.packet);
	free(e.tracks);
	free(e.named);
	free(e.rates);
	return err;
}
