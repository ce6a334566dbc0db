/* SPDX-License-Identifier: MIT */
#include "report/export/tracks.h"

#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/sort.h"
#include "report/export/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The string of a name has the number of its kind, in string_count pieces;
 * string 0 is none. Kinds of copies and sets are behind them. */
static uint64_t number_of(const struct xs_trace *trace,
			  enum xs_export_kind kind, uint32_t string)
{
	return kind * trace->string_count +
	       (xs_export_string(trace, string) ? string : 0);
}

size_t xs_export_name_count(const struct xs_trace *trace)
{
	return XS_SLICES * trace->string_count + XS_OP_KINDS;
}

char *xs_export_name(const struct xs_trace *trace, uint64_t name)
{
	static const char *const nameless[XS_SLICES] = {"call", "range",
							"kernel"};
	const uint64_t kind = name / trace->string_count;
	const char *text;
	char *plain;

	if (kind >= XS_SLICES)
		return strdup(
		    xs_name_op((unsigned)(name % trace->string_count)));
	text = xs_export_string(trace, (uint32_t)(name % trace->string_count));
	plain = text && kind == XS_SLICE_OP ? xs_symbols_demangle(text) : NULL;
	return plain ? plain : strdup(text ? text : nameless[kind]);
}

static void take_call(const struct xs_trace *trace, size_t index,
		      struct xs_export_slice *out)
{
	const struct xs_call *call = &trace->calls[index];

	out->start_ns = call->start_ns;
	out->end_ns = call->end_ns;
	out->bytes = call->bytes;
	out->name = number_of(trace, XS_SLICE_CALL,
			      call->site < trace->site_count
				  ? trace->sites[call->site].function
				  : 0);
	out->flow = xs_call_issues(call->call_class) ? index + 1 : 0;
	out->site = call->site;
}

static void take_range(const struct xs_trace *trace, size_t index,
		       struct xs_export_slice *out)
{
	const struct xs_nvtx *range = &trace->nvtx[index];

	out->start_ns = range->start_ns;
	out->end_ns = range->end_ns;
	out->name = number_of(trace, XS_SLICE_RANGE, range->name);
}

static void take_op(const struct xs_trace *trace, size_t index,
		    struct xs_export_slice *out)
{
	const struct xs_op *op = &trace->ops[index];

	out->start_ns = op->start_ns;
	out->end_ns = op->end_ns;
	out->bytes = op->bytes;
	out->flow = op->call < trace->call_count ? op->call + UINT64_C(1) : 0;
	out->transfer = op->kind != XS_OP_KERNEL;
	if (out->transfer) {
		out->name = XS_SLICES * trace->string_count + op->kind;
		out->from = op->src_memory;
		out->to = op->dst_memory;
	} else {
		out->name = number_of(trace, XS_SLICE_OP,
				      op->shape < trace->shape_count
					  ? trace->shapes[op->shape].name
					  : 0);
	}
}

void xs_export_slice(const struct xs_trace *trace, enum xs_export_kind kind,
		     size_t index, struct xs_export_slice *out)
{
	*out = (struct xs_export_slice){.kind = kind, .site = XS_NONE};
	if (kind == XS_SLICE_CALL)
		take_call(trace, index, out);
	else if (kind == XS_SLICE_RANGE)
		take_range(trace, index, out);
	else
		take_op(trace, index, out);
	out->start_ns = xs_export_since(trace, out->start_ns);
	out->end_ns = xs_export_since(trace, out->end_ns);
}

/* The distinct ones of many numbers, in memory for these alone. Zeroed, it is
 * empty. */
struct ids {
	uint64_t *ids; /* owned */
	size_t count;
	size_t room;
	int error;
};

#define FIRST_ROOM 1024

/* Sorts the numbers; each is there once. Returns 0, or the error of an earlier
 * addition. */
static int ids_sort(struct ids *set)
{
	size_t kept = 0;

	xs_values_sort(set->ids, set->count);
	for (size_t i = 0; i < set->count; i++)
		if (i == 0 || set->ids[i] != set->ids[kept - 1])
			set->ids[kept++] = set->ids[i];
	set->count = kept;
	return set->error;
}

/* Makes room for at least as many numbers again as there are distinct ones. */
static int make_room(struct ids *set)
{
	const size_t room = set->room ? 2 * set->room : FIRST_ROOM;
	int err = ids_sort(set);
	uint64_t *ids;

	if (err || set->count < set->room / 2)
		return err;
	ids = realloc(set->ids, room * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	set->ids = ids;
	set->room = room;
	return 0;
}

static void ids_add(struct ids *set, uint64_t id)
{
	if (set->error || (set->count && set->ids[set->count - 1] == id))
		return;
	if (set->count == set->room)
		set->error = make_room(set);
	if (!set->error)
		set->ids[set->count++] = id;
}

/* Of a slice: the kind above, the index below. */
#define SHIFT 32

struct walk {
	const struct xs_trace *trace;
	const struct xs_export_walker *walker;
	struct ids tracks; /* numbers */
	size_t *ends;	   /* by track: of its slices, that were added */
	uint64_t *slices;  /* by track, then start */
};

typedef void visitor(struct walk *w, uint64_t slice);

static uint64_t track_of(const struct walk *w, uint64_t slice)
{
	return w->walker->track_of(
	    w->trace, (enum xs_export_kind)(slice >> SHIFT), (uint32_t)slice);
}

/* Visits all slices. Those of one track come by their start. */
static void visit_all(struct walk *w, visitor *visit)
{
	const struct xs_trace *trace = w->trace;
	const uint64_t ranges = (uint64_t)XS_SLICE_RANGE << SHIFT;
	const uint64_t ops = (uint64_t)XS_SLICE_OP << SHIFT;
	size_t range = 0;

	for (size_t i = 0; i < trace->call_count; i++) {
		while (range < trace->nvtx_count &&
		       trace->nvtx[range].start_ns <= trace->calls[i].start_ns)
			visit(w, ranges | range++);
		visit(w, i);
	}
	while (range < trace->nvtx_count)
		visit(w, ranges | range++);
	for (size_t i = 0; i < trace->op_count; i++)
		visit(w, ops | i);
}

static void add_track(struct walk *w, uint64_t slice)
{
	ids_add(&w->tracks, track_of(w, slice));
}

static size_t *end_of(struct walk *w, uint64_t slice)
{
	const uint64_t track = track_of(w, slice);
	size_t low = 0, high = w->tracks.count;

	XS_BISECT(low, high, i, w->tracks.ids[i] < track);
	return &w->ends[low];
}

static void count(struct walk *w, uint64_t slice)
{
	++*end_of(w, slice);
}

static void add(struct walk *w, uint64_t slice)
{
	w->slices[(*end_of(w, slice))++] = slice;
}

/* Finds the tracks and their slices. Returns 0 or -ENOMEM. */
static int sort_slices(struct walk *w)
{
	size_t first = 0;

	visit_all(w, add_track);
	if (ids_sort(&w->tracks))
		return -ENOMEM;
	w->ends = calloc(w->tracks.count + 1, sizeof(*w->ends));
	if (!w->ends)
		return -ENOMEM;
	visit_all(w, count);
	for (size_t i = 0; i < w->tracks.count; i++) {
		const size_t slices = w->ends[i];

		w->ends[i] = first;
		first += slices;
	}
	w->slices = calloc(first + 1, sizeof(*w->slices));
	if (!w->slices)
		return -ENOMEM;
	visit_all(w, add);
	return 0;
}

/* Walks the slices of a track from the first one on. */
static int walk_track(struct walk *w, size_t track, size_t first, void *self)
{
	int err = w->walker->begin(self, w->tracks.ids[track]);

	for (size_t i = first; !err && i < w->ends[track]; i++) {
		struct xs_export_slice slice;

		xs_export_slice(w->trace,
				(enum xs_export_kind)(w->slices[i] >> SHIFT),
				(uint32_t)w->slices[i], &slice);
		err = w->walker->put(self, &slice);
	}
	return err ? err : w->walker->end(self);
}

int xs_export_walk(const struct xs_trace *trace,
		   const struct xs_export_walker *walker, void *self)
{
	struct walk w = {.trace = trace, .walker = walker};
	int err = sort_slices(&w);

	for (size_t i = 0; !err && i < w.tracks.count; i++)
		err = walk_track(&w, i, i ? w.ends[i - 1] : 0, self);
	free(w.tracks.ids);
	free(w.ends);
	free(w.slices);
	return err;
}
