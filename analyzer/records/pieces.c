/* SPDX-License-Identifier: MIT */
#include "analyzer/records/pieces.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Takes the next bytes of the file. Returns their number or -errno. */
static long take(struct xs_pieces *in, void *to, size_t room)
{
	const uint64_t left = in->bytes->size - in->at;
	long taken;

	room = left < room ? left : room;
	if (in->bytes->fd < 0) {
		memcpy(to, in->bytes->data + in->at, room);
		taken = (long)room;
	} else {
		do
			taken = pread(in->bytes->fd, to, room, (off_t)in->at);
		while (taken < 0 && errno == EINTR);
	}
	if (taken < 0)
		return -errno;
	in->at += (uint64_t)taken;
	return taken;
}

static bool is_gzip(const xs_u8 *data)
{
	return data[0] == 0x1f && data[1] == 0x8b;
}

int xs_pieces_open(struct xs_pieces *in, const struct xs_trace_bytes *bytes)
{
	*in = (struct xs_pieces){.bytes = bytes};
	in->zipped = bytes->size > 2 && is_gzip(bytes->data);
	/* 16: gzip */
	return in->zipped && inflateInit2(&in->zip, 15 + 16) ? -ENOMEM : 0;
}

void xs_pieces_release(struct xs_pieces *in)
{
	if (in->zipped)
		inflateEnd(&in->zip);
}

/* text: of what is wrong with the compressed data. Returns -EPROTO. */
static int fail(struct xs_pieces *in, const char *text)
{
	in->wrong = text;
	return -EPROTO;
}

/* A file may be several compressed parts, one after another; zeros may fill its
 * last block. */
static int next_part(struct xs_pieces *in)
{
	const uint64_t at = in->at;
	xs_u8 magic[2] = {0};
	long taken;

	in->at -= in->zip.avail_in;
	taken = take(in, magic, sizeof(magic));
	in->at = at;
	if (taken < 0)
		return (int)taken;
	in->ended = !is_gzip(magic);
	if (in->ended && (magic[0] || magic[1]))
		in->wrong = "bytes that are not compressed follow the "
			    "compressed ones; they are not read";
	return in->ended || inflateReset(&in->zip) == Z_OK ? 0 : -EINVAL;
}

/* Where only a checksum is wrong, all was decompressed before. */
static int refuse(struct xs_pieces *in)
{
	return fail(
	    in, in->zip.msg && strstr(in->zip.msg, "check")
		    ? "the checksum of the compressed file is wrong; its "
		      "content may be damaged"
		    : "the compressed file is damaged; the rest is missing");
}

/* Decompresses until the piece is full or the data ends. Returns 0 or -errno.
 */
static int inflate_piece(struct xs_pieces *in)
{
	while (in->zip.avail_out && !in->ended) {
		int code, rc;

		if (in->zip.avail_in == 0) {
			const long taken = take(in, in->raw, sizeof(in->raw));

			if (taken == 0)
				return fail(
				    in,
				    "the compressed file ends early; "
				    "content after that may be missing; copy "
				    "it again");
			if (taken < 0)
				return (int)taken;
			in->zip.next_in = in->raw;
			in->zip.avail_in = (uInt)taken;
		}
		code = inflate(&in->zip, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			return -ENOMEM;
		if (code != Z_OK && code != Z_STREAM_END)
			return refuse(in);
		rc = code == Z_STREAM_END ? next_part(in) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* What precedes damage is a piece of its own. */
static long read_zipped(struct xs_pieces *in, char *piece)
{
	in->zip.next_out = (Bytef *)piece;
	in->zip.avail_out = XS_PIECE_BYTES;
	if (!in->error)
		in->error = inflate_piece(in);
	if (in->error && in->zip.avail_out == XS_PIECE_BYTES)
		return in->error;
	return (long)(XS_PIECE_BYTES - in->zip.avail_out);
}

long xs_pieces_read(struct xs_pieces *in, char *piece)
{
	return in->zipped ? read_zipped(in, piece)
			  : take(in, piece, XS_PIECE_BYTES);
}
