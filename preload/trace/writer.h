/* SPDX-License-Identifier: MIT */
/* Writes records into chunks. A writer belongs to one thread, or is the shared
 * writer of GPU records. Not thread-safe. */
#pragma once

#include "preload/trace/trace_file.h"

/* Positions of the current chunk's timed records, in units of 4 bytes, by the
 * hash of their fields. A repeated record is written as `again`. 0: none. One
 * page. */
struct xs_seen {
	xs_u16 at[2048];
};

struct xs_writer {
	struct xs_trace_file *trace;
	struct xs_chunk_header *chunk; /* NULL: none yet */
	struct xs_seen *seen;	       /* NULL: no `again` records */
	uint64_t base_ns;	       /* base of starts */
	uint32_t used_bytes;
	uint32_t thread; /* kernel thread id; 0 = the shared writer */
	uint32_t chunks; /* chunks claimed so far: the first are small */
};

/* Opens a writer for `thread`. Its memory comes from mmap, not from the
 * application's malloc. It may continue a chunk that xs_writer_release() left:
 * write a `thread` record before the first timed one. */
void xs_writer_open(struct xs_writer *writer, struct xs_trace_file *trace,
		    uint32_t thread);

/* The head of every timed record: XS_FIELDS_CALL_HEAD, or XS_FIELDS_OP_HEAD
 * with a queue instead of the site. */
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
 * Writes a timed record. `record` has all fields except place (site or queue),
 * start and duration, which come from the arguments. Writes a `time` and a
 * `wide` record first if they do not fit, and an `again` record if the chunk
 * already has an equal one. Returns 0, or -ENOSPC with nothing written.
 */
int xs_writer_timed(struct xs_writer *writer, void *record, uint32_t place,
		    uint64_t start_ns, uint64_t end_ns);

/* Writes a record without times, followed by `length` bytes of text, cut to the
 * size of a record. Returns 0 or -ENOSPC. */
int xs_writer_plain(struct xs_writer *writer, void *record, const char *text,
		    size_t length);

/* Writes a string of any length under `id`, in parts. Returns 0 or -ENOSPC. */
int xs_writer_string(struct xs_writer *writer, uint32_t id, const char *text);

/* Call after a jump out of any function of the writer: drops the record that
 * was not complete. */
void xs_writer_recover(struct xs_writer *writer);

/* Like xs_writer_close(), but another thread may continue the chunk. */
void xs_writer_release(struct xs_writer *writer);

/* Unmaps the writer's memory. It can be opened again. */
void xs_writer_close(struct xs_writer *writer);
