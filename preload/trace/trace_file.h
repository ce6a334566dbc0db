/* SPDX-License-Identifier: MIT */
/*
 * The trace file. Threads write their records directly into shared mappings of
 * its chunks, so that they outlive the process however it ends.
 *
 * Disk space is allocated before it is mapped, and the mapping is populated at
 * once: a full disk is an error here and not a SIGBUS in the application.
 * Truncating the file while it is mapped still raises SIGBUS in the
 * application. There is no handler for that: a process-wide handler would be a
 * greater risk to the application.
 */
#pragma once

#include "preload/format.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#define XS_TRACE_FILE_CLOSED UINT64_MAX

struct xs_trace_file {
	struct xs_file_header *header; /* mapped; NULL until open */
	int fd;
	dev_t device; /* with inode: identifies our file */
	ino_t inode;
	uint64_t start_realtime_ns;  /* as in the header: detects overwriting */
	_Atomic uint64_t tail_bytes; /* of the next chunk, or
				      * XS_TRACE_FILE_CLOSED */
	_Atomic uint64_t allocated_bytes; /* file bytes that may be mapped */
	_Atomic uint64_t limit_bytes;	  /* maximum size; 0: none */
	atomic_bool growing;
	atomic_bool full;	 /* growth failed; the collector retries */
	atomic_int map_error;	 /* errno of a failed mapping; retried */
	atomic_bool overwritten; /* or truncated, or the parent's */
	char path[PATH_MAX];
};

/* When the process started. */
struct xs_trace_file_start {
	pid_t pid;
	uint64_t realtime_ns;
	uint64_t monotonic_ns;
};

/* Creates the file, mode 0600. Never opens an existing file: if `path` exists,
 * .1, .2, ... is appended. Returns 0 or -errno. */
int xs_trace_file_open(struct xs_trace_file *trace, const char *path,
		       const struct xs_trace_file_start *start);

/* Returns a zeroed, mapped chunk of `bytes` (a multiple of XS_PAGE_BYTES) with
 * its header filled; used_bytes is the header's own size. NULL if there is no
 * space. Thread-safe; does not block for long. */
struct xs_chunk_header *xs_trace_file_claim(struct xs_trace_file *trace,
					    uint32_t bytes, uint32_t thread,
					    uint64_t base_ns);

/* Returns the next chunk of a writer that has claimed `chunks_before`. Sizes
 * increase as far as the file's limit allows; a page if there is no space for
 * more. */
struct xs_chunk_header *xs_trace_file_claim_next(struct xs_trace_file *trace,
						 uint32_t chunks_before,
						 uint32_t thread,
						 uint64_t base_ns);

/* Unmaps a chunk; it stays in the file. */
void xs_trace_file_release(struct xs_chunk_header *chunk);

/* Stores the time up to which GPU records are complete. */
void xs_trace_file_flushed(struct xs_trace_file *trace, uint64_t realtime_ns);

/* Allocates space ahead of need; called by the collector. Returns 0 or -errno:
 * -EBADF if the program closed the file. */
int xs_trace_file_grow_ahead(struct xs_trace_file *trace);

/* Limits the size of the file; 0: no limit. */
void xs_trace_file_limit(struct xs_trace_file *trace, uint64_t bytes);
bool xs_trace_file_is_limited(struct xs_trace_file *trace);

/* The last part of a file with a limit is not for records of calls: it is
 * reserved for counters of the calls that do not fit, and for ops. */
#define XS_TRACE_FILE_RESERVE(limit_bytes) ((limit_bytes) / 8)

/* Returns whether a record of a call may use a new chunk. */
bool xs_trace_file_takes_calls(struct xs_trace_file *trace);

/* Returns the file bytes handed out to chunks. */
uint64_t xs_trace_file_used_bytes(struct xs_trace_file *trace);

/* Call in the child of a fork: the file is the parent's from now on. */
void xs_trace_file_disown(struct xs_trace_file *trace);

/* Adds to the losses in the header. Does nothing before the file is open, and
 * after its end: what comes then is no part of the trace. */
void xs_trace_file_lose(struct xs_trace_file *trace, enum xs_loss what,
			uint64_t count);

/*
 * Truncates the file to its used size and marks it complete. Mappings stay
 * valid: a thread that is still writing a record does no harm. Returns the
 * file's size in bytes, or 0, with the file left alone, if it was truncated or
 * overwritten.
 */
uint64_t xs_trace_file_close(struct xs_trace_file *trace,
			     uint64_t end_realtime_ns);

/* The rest is of trace_growth.c, for trace_file.c. */

/* Checks that the descriptor is still our file. An application that closes all
 * descriptors closes ours too, and may reuse its number. If someone truncated
 * or overwrote the file, it is left alone. */
bool xs_trace_file_is_ours(struct xs_trace_file *trace, uint64_t least_bytes);

/* Allocates the first space. Returns 0 or -errno. */
int xs_trace_file_begin_growth(struct xs_trace_file *trace);

/* Returns whether the file may be mapped up to `end_bytes`, after it has grown
 * if need be. Callers run in a guard: a thread must not end while it holds
 * `growing`. */
bool xs_trace_file_make_room(struct xs_trace_file *trace, uint64_t end_bytes);

/* Keeps the file from growing. Returns false if another thread still grows it
 * after 0.5 s. */
bool xs_trace_file_lock_growth(struct xs_trace_file *trace);
void xs_trace_file_unlock_growth(struct xs_trace_file *trace);
