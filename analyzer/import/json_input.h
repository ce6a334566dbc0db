/* SPDX-License-Identifier: MIT */
/* The bytes of a file, plain or compressed by gzip, piece by piece. */
#ifndef XS_ANALYZER_IMPORT_JSON_INPUT_H
#define XS_ANALYZER_IMPORT_JSON_INPUT_H

#include "analyzer/records/trace_reader.h"

#include <stdbool.h>
#include <zlib.h>

#define XS_JSON_PIECE 65536u

struct xs_json_input {
	const struct xs_trace_bytes *bytes;
	uint64_t at; /* bytes taken of the file */
	z_stream zip;
	bool zipped, ended;
	xs_u8 raw[XS_JSON_PIECE];
};

/* Returns 0 or -errno. Release it in any case. */
int xs_json_input_open(struct xs_json_input *input,
		       const struct xs_trace_bytes *bytes);
/* Stores at most XS_JSON_PIECE bytes. Returns their number, 0 at the end, or
 * -errno: -EPROTO if the compressed data is damaged or ends early. */
long xs_json_input_read(struct xs_json_input *input, char *piece);
void xs_json_input_release(struct xs_json_input *input);

#endif
