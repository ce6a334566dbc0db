/* SPDX-License-Identifier: MIT */
/*
 * Writes records into the chunks of one writer: a thread of the application,
 * or the drain of GPU records. Not safe to share; each has its own.
 */
#ifndef XS_PRELOAD_TRACE_WRITER_H
#define XS_PRELOAD_TRACE_WRITER_H

#include "preload/trace/trace_file.h"

/*
 * Where the chunk at hand has its timed records, in units of 4 bytes, by what
 * they say: those that are said again are written short. 0: none. A page.
 */
struct xs_seen {
	xs_u16 at[2048];
};

struct xs_writer {
	struct xs_trace_file *trace;
	struct xs_chunk_header *chunk; /* NULL: none yet */
	struct xs_seen *seen;	       /* NULL: none is written short */
	uint64_t base_ns;	       /* starts count from here */
	uint32_t used_bytes;
	uint32_t thread; /* kernel thread id; 0 = GPU drain */
	uint32_t chunks; /* claimed so far: the first ones are small */
};

/*
 * For records of `thread`. Its memory is mapped, never the application's. It
 * may begin in what xs_writer_leave() left: a `thread` record has to come
 * before the first timed one.
 */
void xs_writer_open(struct xs_writer *writer, struct xs_trace_file *trace,
		    uint32_t thread);

/* The beginning of every timed record: XS_FIELDS_CALL_HEAD, and with a queue
 * in the place of the site XS_FIELDS_OP_HEAD. */
struct xs_timed_head {
	xs_u8 kind;
	xs_u8 words;
	xs_u16 place;
	xs_u32 correlation;
	xs_u32 start;
	xs_u32 duration;
};

#define XS_RECORD(name)                                                        \
	.kind = XS_REC_##name, .words = sizeof(struct xs_rec_##name) / 4

/*
 * Writes a timed record. `record` has everything but the place (site or
 * queue), start and duration, which come from the arguments, with a `time` and
 * a `wide` record in front where they do not fit; what stands in the chunk
 * already becomes an `again` record. 0, or -ENOSPC when there is no room:
 * nothing is written then.
 */
int xs_writer_timed(struct xs_writer *writer, void *record, uint32_t place,
		    uint64_t start_ns, uint64_t end_ns);

/* Writes a record without times, with `length` bytes of text at its end
 * (cut to what a record holds). 0 or -ENOSPC. */
int xs_writer_plain(struct xs_writer *writer, void *record, const char *text,
		    size_t length);

/* Writes a string of any length under `id`, in parts. 0 or -ENOSPC. */
int xs_writer_string(struct xs_writer *writer, uint32_t id, const char *text);

/* As xs_writer_drop(), and the rest of its chunk is another thread's. */
void xs_writer_leave(struct xs_writer *writer);

/* Gives the writer's mappings back; it can be opened again. */
void xs_writer_drop(struct xs_writer *writer);

#endif
