/* SPDX-License-Identifier: MIT */
/* The bytes of a file or pipe, plain or compressed by gzip, piece by piece. */
#pragma once

#include "analyzer/records/trace_reader.h"

#include <stdbool.h>
#include <zlib.h>

#define XS_PIECE_BYTES 65536u

struct xs_pieces {
	const struct xs_trace_bytes *bytes; /* of a pipe, of any size */
	uint64_t at;			    /* bytes taken of the file */
	z_stream zip;
	bool zipped, ended;
	int error;	   /* of decompressing, after the last piece */
	const char *wrong; /* with the compressed data, or NULL */
	xs_u8 raw[XS_PIECE_BYTES];
};

/* Returns 0 or -errno. Release it in any case. */
int xs_pieces_open(struct xs_pieces *input, const struct xs_trace_bytes *bytes);
/* Stores at most XS_PIECE_BYTES bytes. Returns their number, 0 at the end, or
 * -errno: -EPROTO where the compressed data is damaged or ends early, with
 * `wrong` set. It is also set, without an error, where other bytes follow. */
long xs_pieces_read(struct xs_pieces *input, char *piece);
void xs_pieces_release(struct xs_pieces *input);
