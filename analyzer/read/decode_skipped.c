/* SPDX-License-Identifier: MIT */
/* Calls of a long trace that are counted and not read. */
#include "analyzer/read/decode.h"

#include "analyzer/util/sort.h"

#include <errno.h>
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

int xs_decoder_skip_call(struct xs_decoder *d, const struct xs_call *call)
{
	const struct key key = {.site = call->site,
				.size = xs_tally_size(call->bytes),
				.direction = call->direction,
				.failed = call->error != 0};
	struct skipped *skipped = xs_distinct_map_find(
	    &d->skipped_calls, &key, sizeof(key), sizeof(*skipped));

	if (!skipped)
		return -ENOMEM;
	skipped->calls++;
	skipped->bytes += call->bytes;
	skipped->ns += call->end_ns - call->start_ns;
	return 0;
}

/* Returns whether there is room for so many queues. */
static bool reserve_queues(struct xs_decoder *d, size_t count)
{
	const size_t room = 2 * count;
	struct xs_skipped *grown;

	if (count <= d->skipped_room)
		return true;
	grown = realloc(d->skipped_ops, room * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + d->skipped_room, 0,
	       (room - d->skipped_room) * sizeof(*grown));
	d->skipped_ops = grown;
	d->skipped_room = room;
	return true;
}

int xs_decoder_skip_op(struct xs_decoder *d, const struct xs_op *op)
{
	if (!reserve_queues(d, op->queue + 1u))
		return -ENOMEM;
	xs_skipped_add(&d->skipped_ops[op->queue], op);
	return 0;
}

static int add_tally(struct xs_trace *trace, const struct key *key,
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

	return XS_ARRAY_ADD(trace->tallies, trace->tally_count, tally);
}

static int add_windows(struct xs_decoder *d)
{
	struct xs_trace *trace = d->trace;
	const size_t count = d->windows.count;

	trace->windows = malloc(count * sizeof(*trace->windows));
	if (!trace->windows)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		trace->windows[i] = d->windows.items[i].times;
	trace->window_count = count;
	if (!reserve_queues(d, trace->queue_count + 1))
		return -ENOMEM;
	trace->skipped = d->skipped_ops;
	d->skipped_ops = NULL;
	if (trace->end_ns > trace->windows[count - 1].end_ns)
		trace->counted_ns =
		    trace->end_ns - trace->windows[count - 1].end_ns;
	return 0;
}

int xs_decoder_finish_windows(struct xs_decoder *d)
{
	const struct xs_distinct *keys = &d->skipped_calls.keys;
	const struct skipped *skipped = d->skipped_calls.items;
	int rc = add_windows(d);

	for (size_t i = 0; !rc && i < keys->count; i++)
		rc = add_tally(d->trace, xs_distinct_value(keys, i),
			       &skipped[i]);
	return rc;
}
