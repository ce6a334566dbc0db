/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/allocations.h"

#include "analyzer/timeline/live_ranges.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

struct event {
	uint64_t at_ns, address;
	uint64_t bytes; /* of an allocation; 0 for a free */
	bool free;
	bool mapping;	 /* of a part of an array, perhaps: it has its bytes */
	bool reset;	 /* device reset: frees everything */
	uint32_t resets; /* number of resets before the event */
	uint64_t change; /* change of the bytes in use, modulo 2^64 */
};

/* With several devices, the trace does not show which one was reset. */
static bool is_reset(const struct xs_trace *trace, const struct xs_call *call)
{
	return call->call_class == XS_CALL_RESET && call->error == 0 &&
	       trace->device_count <= 1;
}

static bool is_event(const struct xs_call *call)
{
	return (call->call_class == XS_CALL_ALLOC_DEVICE ||
		call->call_class == XS_CALL_FREE_DEVICE) &&
	       call->error == 0 && call->dst != 0;
}

/* Memory is in use from the return of its allocation to the start of its free:
 * another thread may get it again before the free returns. */
static struct event event_of(const struct xs_trace *trace,
			     const struct xs_call *call)
{
	const bool frees = call->call_class == XS_CALL_FREE_DEVICE;

	return (struct event){.at_ns = frees ? call->start_ns : call->end_ns,
			      .address = call->dst,
			      .bytes = call->bytes,
			      .free = frees,
			      .mapping = xs_call_maps(trace, call)};
}

static size_t collect(const struct xs_trace *trace, struct event *events)
{
	size_t count = 0;

	XS_EACH(call, trace->calls, trace->call_count) {
		bool reset = is_reset(trace, call);

		if (!reset && !is_event(call))
			continue;
		if (events)
			events[count] =
			    reset ? (struct event){.at_ns = call->start_ns,
						   .reset = true}
				  : event_of(trace, call);
		count++;
	}
	return count;
}

/* Sets the change of each event of one address, in order: a free returns the
 * bytes of the allocation before it. A free that was not recorded is assumed
 * before the next allocation. */
static void pair(const struct xs_key *keys, size_t count, struct event *events)
{
	uint64_t address = 0, held = 0;
	uint32_t resets = 0;

	for (size_t i = 0; i < count; i++) {
		struct event *event = &events[keys[i].index];

		if (event->mapping) {
			event->change =
			    event->free ? 0 - event->bytes : event->bytes;
			continue;
		}
		if (event->address != address || event->resets != resets)
			held = 0;
		address = event->address;
		resets = event->resets;
		event->change = 0 - held;
		held = event->free ? 0 : event->bytes;
		event->change += held;
	}
}

/* events: sorted by time. */
static void pair_by_address(struct event *events, struct xs_key *keys,
			    size_t count)
{
	uint32_t resets = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){events[i].at_ns, (uint32_t)i};
	xs_keys_sort(keys, count);
	xs_keys_apply(keys, count, events, sizeof(*events));
	for (size_t i = 0; i < count; i++) {
		resets += events[i].reset;
		events[i].resets = resets;
		keys[i] = (struct xs_key){events[i].address, (uint32_t)i};
	}
	xs_keys_sort(keys, count);
	pair(keys, count, events);
}

static void fill(struct xs_allocations *out, const struct event *events)
{
	const size_t count = out->count;
	uint64_t in_use = 0;

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &events[i];

		/* what was mapped before the trace is none of it */
		if (event->reset ||
		    (event->mapping && event->free && event->bytes > in_use))
			in_use = 0;
		else
			in_use += event->change;
		out->at_ns[i] = events[i].at_ns;
		out->most_bytes[count + i] = in_use;
	}
	for (size_t i = count; i-- > 1;) {
		const uint64_t *below = &out->most_bytes[2 * i];

		out->most_bytes[i] = below[0] > below[1] ? below[0] : below[1];
	}
}

int xs_allocations_build(const struct xs_trace *trace,
			 struct xs_allocations *out)
{
	const size_t count = collect(trace, NULL);
	struct event *events = calloc(count + 1, sizeof(*events));
	struct xs_key *keys = calloc(count + 1, sizeof(*keys));
	int rc = -ENOMEM;

	*out = (struct xs_allocations){
	    .at_ns = calloc(count + 1, sizeof(*out->at_ns)),
	    .most_bytes = calloc(2 * count + 1, sizeof(*out->most_bytes)),
	    .count = count};
	if (events && keys && out->at_ns && out->most_bytes) {
		collect(trace, events);
		pair_by_address(events, keys, count);
		fill(out, events);
		rc = 0;
	} else {
		xs_allocations_free(out);
	}
	free(events);
	free(keys);
	return rc;
}

void xs_allocations_free(struct xs_allocations *allocations)
{
	free(allocations->at_ns);
	free(allocations->most_bytes);
	*allocations = (struct xs_allocations){0};
}

/* Returns the number of events up to and including a time. */
static size_t events_until(const struct xs_allocations *allocations,
			   uint64_t ns)
{
	size_t low = 0, high = allocations->count;

	XS_BISECT(low, high, i, allocations->at_ns[i] <= ns);
	return low;
}

bool xs_allocations_peak(const struct xs_allocations *allocations,
			 uint64_t from_ns, uint64_t to_ns, uint64_t *bytes)
{
	const uint64_t *most = allocations->most_bytes;
	size_t first = events_until(allocations, from_ns);
	size_t end = events_until(allocations, to_ns);

	*bytes = 0;
	if (end == 0)
		return false;
	/* the level at from_ns was set by the event before */
	first = (first ? first - 1 : 0) + allocations->count;
	end += allocations->count;
	for (; first < end; first /= 2, end /= 2) {
		if (first & 1) {
			*bytes = most[first] > *bytes ? most[first] : *bytes;
			first++;
		}
		if (end & 1) {
			end--;
			*bytes = most[end] > *bytes ? most[end] : *bytes;
		}
	}
	return true;
}
