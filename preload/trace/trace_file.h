/* SPDX-License-Identifier: MIT */
/*
 * The trace file. Threads write their records straight into shared mappings of
 * its chunks, so that what is written outlives the process, however it ends.
 *
 * Room is allocated on disk before it is mapped, and the mapping's pages are
 * asked for at once: a full disk is an error here and no SIGBUS in the
 * application. A file that someone truncates while it is mapped still raises
 * SIGBUS in the application: there is no handler, since one for the whole
 * process is a greater risk to the application than such an operator.
 */
#ifndef XS_PRELOAD_TRACE_TRACE_FILE_H
#define XS_PRELOAD_TRACE_TRACE_FILE_H

#include "preload/format.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct xs_trace_file {
	struct xs_file_header *header; /* mapped; NULL before the sink opened */
	int fd;
	dev_t device; /* with inode: the fd is still our file's */
	ino_t inode;
	uint64_t start_realtime_ns;  /* as in the header: it is still ours */
	_Atomic uint64_t tail_bytes; /* next chunk; UINT64_MAX: closed */
	_Atomic uint64_t allocated_bytes; /* file bytes that may be mapped */
	_Atomic uint64_t limit_bytes;	  /* of the file; 0: none */
	atomic_bool growing;
	atomic_bool full; /* growth failed; the drain thread tries again */
	atomic_int
	    refused;	 /* errno: no mapping; the drain thread tries again */
	atomic_bool cut; /* the file is somebody else's now: left alone */
	char path[PATH_MAX];
};

/* When the process began. */
struct xs_trace_file_start {
	pid_t pid;
	uint64_t realtime_ns;
	uint64_t monotonic_ns;
};

/*
 * Creates the file, mode 0600, never an existing one: if `path` exists, .1,
 * .2, ... is added. 0 or -errno.
 */
int xs_trace_file_open(struct xs_trace_file *trace, const char *path,
		       const struct xs_trace_file_start *start);

/*
 * A zeroed chunk of `bytes` (a multiple of XS_PAGE_BYTES), mapped, its header
 * filled but for used_bytes, which stays at the header's own size. NULL if
 * there is no room. Never blocks for long; safe in any thread.
 */
struct xs_chunk_header *xs_trace_file_claim(struct xs_trace_file *trace,
					    uint32_t bytes, uint32_t thread,
					    uint64_t base_ns);

/* The next chunk of one that has claimed so many: larger and larger, as far as
 * a limit of the file allows, and a page where no more is to be had. */
struct xs_chunk_header *xs_trace_file_claim_next(struct xs_trace_file *trace,
						 uint32_t chunks_before,
						 uint32_t thread,
						 uint64_t base_ns);

/* Gives the mapping back; the chunk stays in the file. */
void xs_trace_file_release(struct xs_chunk_header *chunk);

/* GPU records are complete up to here. */
void xs_trace_file_flushed(struct xs_trace_file *trace, uint64_t realtime_ns);

/* Allocates room ahead of need; for the drain thread. 0 or -errno: -EBADF where
 * the program closed the file. */
int xs_trace_file_grow_ahead(struct xs_trace_file *trace);

/* Lets the file grow to no more than that; 0: no limit. */
void xs_trace_file_limit(struct xs_trace_file *trace, uint64_t bytes);
bool xs_trace_file_is_limited(struct xs_trace_file *trace);

/* The last part of a file with a limit is not for records of calls: it is for
 * what counts those that find no room, and for what the GPU did of the others.
 */
#define XS_TRACE_FILE_RESERVE(limit_bytes) ((limit_bytes) / 8)

/* Whether a record of a call may take new room. */
bool xs_trace_file_takes_calls(struct xs_trace_file *trace);

/* File bytes handed out to chunks so far. */
uint64_t xs_trace_file_used_bytes(struct xs_trace_file *trace);

/* Counts what found no room. Does nothing before the sink opened. */
void xs_trace_file_lose(struct xs_trace_file *trace, enum xs_loss what,
			uint64_t count);

/*
 * Cuts the file to what is used and marks it complete. Mappings stay valid:
 * a thread that is still writing a record does no harm. Returns the file's
 * size in bytes; 0, and the file is as it is, where somebody cut it short or
 * wrote over it.
 */
uint64_t xs_trace_file_close(struct xs_trace_file *trace,
			     uint64_t end_realtime_ns);

#endif
