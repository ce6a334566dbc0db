/* SPDX-License-Identifier: MIT */
#include "report/export/perfetto_packets.h"

/* Numbers of fields, from the published schema. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK = 60,

	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	COUNTER_UNIT_NAME = 6,

	INTERNED_EVENT_NAME = 2,
	NAME_NUMBER = 1,
	NAME_TEXT = 2,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_NUMBER = 10,
	EVENT_TRACK = 11,
	EVENT_VALUE = 44, /* of a counter: a double */
	EVENT_FLOW = 47,
	ANNOTATION_NUMBER = 3,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 };
enum { CLEARS_STATE = 1, NEEDS_STATE = 2 };

#define SEQUENCE 1

/* Begins a packet. Returns what ends it. */
static size_t begin(struct xs_perfetto *to)
{
	const size_t packet = xs_proto_begin(&to->packet, TRACE_PACKET);

	xs_proto_int(&to->packet, PACKET_SEQUENCE, SEQUENCE);
	xs_proto_int(&to->packet, PACKET_SEQUENCE_FLAGS,
		     to->begun ? NEEDS_STATE : CLEARS_STATE);
	to->begun = true;
	return packet;
}

static void end(struct xs_perfetto *to, size_t packet)
{
	int err;

	xs_proto_end(&to->packet, packet);
	err = xs_proto_write(&to->packet, to->out);
	to->error = to->error ? to->error : err;
}

void xs_perfetto_process(struct xs_perfetto *to, uint64_t id, uint32_t pid,
			 const char *name)
{
	const size_t packet = begin(to);
	const size_t track = xs_proto_begin(&to->packet, PACKET_TRACK);
	size_t process;

	xs_proto_int(&to->packet, TRACK_ID, id);
	process = xs_proto_begin(&to->packet, TRACK_PROCESS);
	xs_proto_int(&to->packet, PROCESS_PID, pid);
	xs_proto_text(&to->packet, PROCESS_NAME, name);
	xs_proto_end(&to->packet, process);
	xs_proto_end(&to->packet, track);
	end(to, packet);
}

/* Begins the packet of a track. tracks: the ends of both messages. */
static void begin_track(struct xs_perfetto *to, uint64_t id, uint64_t parent,
			const char *name, size_t ends[2])
{
	ends[0] = begin(to);
	ends[1] = xs_proto_begin(&to->packet, PACKET_TRACK);
	xs_proto_int(&to->packet, TRACK_ID, id);
	if (parent)
		xs_proto_int(&to->packet, TRACK_PARENT, parent);
	xs_proto_text(&to->packet, TRACK_NAME, name);
}

static void end_track(struct xs_perfetto *to, const size_t ends[2])
{
	xs_proto_end(&to->packet, ends[1]);
	end(to, ends[0]);
}

void xs_perfetto_group(struct xs_perfetto *to, uint64_t id, uint64_t parent,
		       const char *name)
{
	size_t ends[2];

	begin_track(to, id, parent, name, ends);
	end_track(to, ends);
}

void xs_perfetto_name(struct xs_perfetto *to, uint64_t number, const char *name)
{
	const size_t packet = begin(to);
	const size_t interned = xs_proto_begin(&to->packet, PACKET_INTERNED);
	const size_t entry = xs_proto_begin(&to->packet, INTERNED_EVENT_NAME);

	xs_proto_int(&to->packet, NAME_NUMBER, number);
	xs_proto_text(&to->packet, NAME_TEXT, name);
	xs_proto_end(&to->packet, entry);
	xs_proto_end(&to->packet, interned);
	end(to, packet);
}

/* The first lane of a thread's own track is the thread; further lanes are below
 * it, or beside a track of the same name, which Perfetto shows as one. */
static void describe_lane(struct xs_perfetto *to,
			  const struct xs_perfetto_track *track, unsigned lane)
{
	size_t ends[2], thread;

	begin_track(to, track->id + lane,
		    track->tid && lane ? track->id : track->parent,
		    track->tid && !lane ? NULL : track->name, ends);
	if (track->tid && !lane) {
		thread = xs_proto_begin(&to->packet, TRACK_THREAD);
		xs_proto_int(&to->packet, THREAD_PID, track->pid);
		xs_proto_int(&to->packet, THREAD_TID, track->tid);
		xs_proto_end(&to->packet, thread);
	}
	end_track(to, ends);
}

void xs_perfetto_describe(struct xs_perfetto *to,
			  struct xs_perfetto_track *track)
{
	if (track->lanes == 0)
		describe_lane(to, track, track->lanes++);
}

/* Returns a lane that is free from start_ns on, and the last one if none is. */
static unsigned find_lane(struct xs_perfetto *to,
			  struct xs_perfetto_track *track, uint64_t start_ns)
{
	unsigned lane = 0;

	while (lane < XS_PERFETTO_LANES - 1 && lane < track->lanes &&
	       track->ends_ns[lane] > start_ns)
		lane++;
	if (lane == track->lanes) {
		describe_lane(to, track, lane);
		track->lanes++;
	}
	return lane;
}

static size_t begin_event(struct xs_perfetto *to, uint64_t at_ns, unsigned type,
			  uint64_t track)
{
	size_t event;

	xs_proto_int(&to->packet, PACKET_TIMESTAMP, at_ns);
	event = xs_proto_begin(&to->packet, PACKET_TRACK_EVENT);
	xs_proto_int(&to->packet, EVENT_TYPE, type);
	xs_proto_int(&to->packet, EVENT_TRACK, track);
	return event;
}

static void annotate(struct xs_perfetto *to, const char *name, const char *text,
		     uint64_t number)
{
	size_t annotation;

	if (!text && !number)
		return;
	annotation = xs_proto_begin(&to->packet, EVENT_ANNOTATION);
	xs_proto_text(&to->packet, ANNOTATION_NAME, name);
	if (text)
		xs_proto_text(&to->packet, ANNOTATION_TEXT, text);
	else
		xs_proto_int(&to->packet, ANNOTATION_NUMBER, number);
	xs_proto_end(&to->packet, annotation);
}

void xs_perfetto_slice(struct xs_perfetto *to, struct xs_perfetto_track *track,
		       const struct xs_perfetto_slice *slice)
{
	const unsigned lane = find_lane(to, track, slice->start_ns);
	size_t packet = begin(to);
	size_t event =
	    begin_event(to, slice->start_ns, SLICE_BEGIN, track->id + lane);

	xs_proto_int(&to->packet, EVENT_NAME_NUMBER, slice->name);
	if (slice->flow)
		xs_proto_fixed64(&to->packet, EVENT_FLOW, slice->flow);
	annotate(to, "bytes", NULL, slice->bytes);
	annotate(to, "from", slice->from, 0);
	annotate(to, "to", slice->to, 0);
	annotate(to, "called at", slice->site, 0);
	xs_proto_end(&to->packet, event);
	end(to, packet);
	packet = begin(to);
	event = begin_event(to, slice->end_ns, SLICE_END, track->id + lane);
	xs_proto_end(&to->packet, event);
	end(to, packet);
	track->ends_ns[lane] = slice->end_ns;
}

void xs_perfetto_counter(struct xs_perfetto *to, uint64_t id, uint64_t parent,
			 const char *name)
{
	size_t ends[2], counter;

	begin_track(to, id, parent, name, ends);
	counter = xs_proto_begin(&to->packet, TRACK_COUNTER);
	xs_proto_text(&to->packet, COUNTER_UNIT_NAME, "B/s");
	xs_proto_end(&to->packet, counter);
	end_track(to, ends);
}

void xs_perfetto_count(struct xs_perfetto *to, uint64_t id, uint64_t at_ns,
		       double value)
{
	const size_t packet = begin(to);
	const size_t event = begin_event(to, at_ns, COUNTER, id);

	xs_proto_double(&to->packet, EVENT_VALUE, value);
	xs_proto_end(&to->packet, event);
	end(to, packet);
}
