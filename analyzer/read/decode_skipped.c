/* SPDX-License-Identifier: MIT */
/* Calls of a long trace that are counted and not read. */
#include "analyzer/read/decode.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

/* What the tally of a call depends on; its class is known in the end. */
struct key {
	uint32_t site;
	uint8_t size, direction, failed, zero;
};

struct skipped {
	uint64_t calls, bytes, ns;
};

void xs_decoder_skip_call(struct xs_decoder *d, const struct xs_call *call)
{
	const struct key key = {.site = call->site,
				.size = xs_tally_size(call->bytes),
				.direction = call->direction,
				.failed = call->error != 0};
	struct skipped *skipped = xs_distinct_map_find(
	    &d->skipped_calls, &key, sizeof(key), sizeof(*skipped));

	skipped->calls++;
	skipped->bytes += call->bytes;
	skipped->ns += call->end_ns - call->start_ns;
}

/* Makes room for so many queues. */
static void reserve_queues(struct xs_decoder *d, size_t count)
{
	const size_t room = 2 * count;

	if (count <= d->skipped_room)
		return;
	d->skipped_ops =
	    xs_realloc(d->skipped_ops, room * sizeof(*d->skipped_ops));
	memset(d->skipped_ops + d->skipped_room, 0,
	       (room - d->skipped_room) * sizeof(*d->skipped_ops));
	d->skipped_room = room;
}

void xs_decoder_skip_op(struct xs_decoder *d, const struct xs_op *op)
{
	reserve_queues(d, op->queue + 1u);
	xs_skipped_add(&d->skipped_ops[op->queue], op);
}

static void add_tally(struct xs_trace *trace, const struct key *key,
		      const struct skipped *skipped)
{
	const struct xs_tally tally = {
	    .site = key->site,
	    .size = key->size,
	    .direction = key->failed ? XS_TALLY_FAILED
				     : xs_tally_direction(
					   trace->sites[key->site].call_class,
					   key->direction),
	    .calls = skipped->calls,
	    .bytes = skipped->bytes,
	    .ns = skipped->ns};

	XS_ARRAY_ADD(trace->tallies, trace->tally_count, tally);
}

static void add_windows(struct xs_decoder *d)
{
	struct xs_trace *trace = d->trace;
	const size_t count = d->windows.count;

	trace->windows = xs_malloc(count * sizeof(*trace->windows));
	for (size_t i = 0; i < count; i++)
		trace->windows[i] = d->windows.items[i].times;
	trace->window_count = count;
	reserve_queues(d, trace->queue_count + 1);
	trace->skipped = d->skipped_ops;
	d->skipped_ops = NULL;
	if (trace->end_ns > trace->windows[count - 1].end_ns)
		trace->counted_ns =
		    trace->end_ns - trace->windows[count - 1].end_ns;
}

void xs_decoder_finish_windows(struct xs_decoder *d)
{
	const struct xs_distinct *keys = &d->skipped_calls.keys;
	const struct skipped *skipped = d->skipped_calls.items;

	add_windows(d);
	for (size_t i = 0; i < keys->count; i++)
		add_tally(d->trace, xs_distinct_value(keys, i), &skipped[i]);
}
