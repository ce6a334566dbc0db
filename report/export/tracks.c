/* SPDX-License-Identifier: MIT */
#include "report/export/tracks.h"

#include "analyzer/read/names.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"
#include "report/export/names.h"

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
		return xs_strdup(
		    xs_name_op((unsigned)(name % trace->string_count)));
	text = xs_export_string(trace, (uint32_t)(name % trace->string_count));
	plain = text && kind == XS_SLICE_OP ? xs_symbols_demangle(text) : NULL;
	return plain ? plain : xs_strdup(text ? text : nameless[kind]);
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

static void take(const struct xs_trace *trace, enum xs_export_kind kind,
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

/* All slices in the order of their starts, with the keys that sort them by
 * track. */
struct walk {
	const struct xs_trace *trace;
	const struct xs_export_walker *walker;
	struct xs_key *keys;
	struct slice {
		enum xs_export_kind kind;
		uint32_t index;
	} * slices;
	size_t count;
};

static void add(struct walk *w, enum xs_export_kind kind, size_t index)
{
	w->keys[w->count] = (struct xs_key){
	    w->walker->track_of(w->trace, kind, index), (uint32_t)w->count};
	w->slices[w->count++] = (struct slice){kind, (uint32_t)index};
}

static void add_all(struct walk *w)
{
	const struct xs_trace *trace = w->trace;
	size_t range = 0;

	for (size_t i = 0; i < trace->call_count; i++) {
		while (range < trace->nvtx_count &&
		       trace->nvtx[range].start_ns <= trace->calls[i].start_ns)
			add(w, XS_SLICE_RANGE, range++);
		add(w, XS_SLICE_CALL, i);
	}
	while (range < trace->nvtx_count)
		add(w, XS_SLICE_RANGE, range++);
	for (size_t i = 0; i < trace->op_count; i++)
		add(w, XS_SLICE_OP, i);
	xs_keys_sort(w->keys, w->count);
}

static int walk_all(const struct walk *w, void *self)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->count; i++) {
		const struct slice *at = &w->slices[w->keys[i].index];
		const bool first = !i || w->keys[i].key != w->keys[i - 1].key;
		struct xs_export_slice slice;

		if (i && first)
			err = w->walker->end(self);
		if (!err && first)
			err = w->walker->begin(self, w->keys[i].key);
		take(w->trace, at->kind, at->index, &slice);
		if (!err)
			err = w->walker->put(self, &slice);
	}
	return err || !w->count ? err : w->walker->end(self);
}

int xs_export_walk(const struct xs_trace *trace,
		   const struct xs_export_walker *walker, void *self)
{
	const size_t count =
	    trace->call_count + trace->nvtx_count + trace->op_count;
	struct walk w = {.trace = trace, .walker = walker};
	int err;

	if (count >= XS_NONE)
		xs_too_many();
	w.keys = xs_calloc(count + 1, sizeof(*w.keys));
	w.slices = xs_calloc(count + 1, sizeof(*w.slices));
	add_all(&w);
	err = walk_all(&w, self);
	free(w.keys);
	free(w.slices);
	return err;
}
