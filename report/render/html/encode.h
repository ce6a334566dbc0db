/* SPDX-License-Identifier: MIT */
/* Compresses bytes and writes them in base64. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

#define XS_HTML_ENCODE_BYTES (48u * 1024u) /* a multiple of 3 */

struct xs_html_encoder {
	FILE *out; /* borrowed */
	z_stream stream;
	unsigned char packed[XS_HTML_ENCODE_BYTES];
};

/* Prepares *encoder; xs_html_encode_end() frees it. Returns 0 or -ENOMEM. */
int xs_html_encode_begin(struct xs_html_encoder *encoder, FILE *out);

/* Adds bytes; sink is the encoder. Returns 0 or -EIO. */
int xs_html_encode(void *sink, const void *bytes, size_t count);

/* Writes what is left, in the format of zlib (RFC 1950), if err is 0. Returns
 * err, or 0 or -EIO. */
int xs_html_encode_end(struct xs_html_encoder *encoder, int err);
