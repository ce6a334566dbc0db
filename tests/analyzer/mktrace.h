/* SPDX-License-Identifier: MIT */
#pragma once

#include "preload/format.h"

#include <stddef.h>
#include <stdio.h>

#define CHUNK_BYTES   (256u * 1024u)
#define MKTRACE_INFOS 8

/* The current chunk. */
struct mktrace_chunk {
	_Alignas(8) xs_u8 bytes[CHUNK_BYTES];
	xs_u32 used, thread;
	xs_u64 base_ns;
};

struct mktrace {
	FILE *out;
	struct xs_file_header header;
	struct mktrace_chunk calls, ops;
	unsigned long rounds, chunks, streams, threads, phases, graphs, nodes;
	unsigned long records;
	int waits;
	const char *infos[MKTRACE_INFOS];
	size_t info_count;
	xs_u32 correlation;
	xs_u16 copy_site; /* of the current round's copies in */
};

/* Writes a record that starts at now_ns, after setting its words and *start,
 * which is in it, or NULL. Returns 0 or -EIO. */
int mktrace_put(struct mktrace *m, struct mktrace_chunk *chunk, xs_u64 now_ns,
		void *record, size_t bytes, xs_u32 *start);

/* The same for a record with a start in the chunk `calls` or `ops`. */
#define MKTRACE_PUT(m, chunk, now_ns, record)                                  \
	mktrace_put(m, &(m)->chunk, now_ns, &(record), sizeof(record),         \
		    &(record).start)

/* Writes launches by node, all with one correlation id, which has the nodes;
 * then launches as one. Returns 0 or -EIO. */
int mktrace_put_graphs(struct mktrace *m, xs_u64 *now_ns);
