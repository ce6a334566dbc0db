/* SPDX-License-Identifier: MIT */
#include "report/render/html/encode.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void write_base64(const unsigned char *bytes, size_t count, FILE *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i += 3) {
		const size_t left = count - i;
		const unsigned group =
		    (unsigned)bytes[i] << 16 |
		    (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
		    (left > 2 ? bytes[i + 2] : 0);

		putc(digits[group >> 18], out);
		putc(digits[group >> 12 & 63], out);
		putc(left > 1 ? digits[group >> 6 & 63] : '=', out);
		putc(left > 2 ? digits[group & 63] : '=', out);
	}
}

/* Writes the compressed bytes, a multiple of three unless they are the last. */
static void write_packed(struct xs_html_encoder *encoder)
{
	write_base64(encoder->packed,
		     sizeof(encoder->packed) - encoder->stream.avail_out,
		     encoder->out);
	encoder->stream.next_out = encoder->packed;
	encoder->stream.avail_out = sizeof(encoder->packed);
}

int xs_html_encode_begin(struct xs_html_encoder *encoder, FILE *out)
{
	memset(encoder, 0, sizeof(*encoder));
	encoder->out = out;
	encoder->stream.next_out = encoder->packed;
	encoder->stream.avail_out = sizeof(encoder->packed);
	return deflateInit(&encoder->stream, Z_DEFAULT_COMPRESSION) == Z_OK
		   ? 0
		   : -ENOMEM;
}

int xs_html_encode(void *sink, const void *bytes, size_t count)
{
	struct xs_html_encoder *encoder = sink;
	z_stream *stream = &encoder->stream;

	stream->next_in = (z_const Bytef *)bytes;
	while (count || stream->avail_in) {
		if (!stream->avail_in) {
			stream->avail_in =
			    count < UINT_MAX ? (uInt)count : UINT_MAX;
			count -= stream->avail_in;
		}
		if (deflate(stream, Z_NO_FLUSH) == Z_STREAM_ERROR)
			return -EIO;
		if (!stream->avail_out)
			write_packed(encoder);
	}
	return ferror(encoder->out) ? -EIO : 0;
}

int xs_html_encode_end(struct xs_html_encoder *encoder, int err)
{
	int state = Z_OK;

	while (!err && state != Z_STREAM_END) {
		state = deflate(&encoder->stream, Z_FINISH);
		if (state == Z_STREAM_ERROR)
			err = -EIO;
		else
			write_packed(encoder);
	}
	deflateEnd(&encoder->stream);
	return !err && ferror(encoder->out) ? -EIO : err;
}
