/* SPDX-License-Identifier: MIT */
#include "analyzer/records/pieces.h"

#include "analyzer/util/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Takes the next bytes of the file, as many as there is room for unless it
 * ends. Returns their number or -errno. */
static long take(struct xs_pieces *in, xs_u8 *to, size_t room)
{
	const uint64_t left = in->bytes->size - in->at;
	const int fd = in->bytes->fd;
	size_t taken = 0;

	room = left < room ? left : room;
	if (fd < 0) {
		memcpy(to, in->bytes->data + in->at, room);
		taken = room;
	}
	while (taken < room) {
		ssize_t n = pread(fd, to + taken, room - taken,
				  (off_t)(in->at + taken));

		if (n < 0 && errno == ESPIPE)
			n = read(fd, to + taken, room - taken);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		taken += n > 0 ? (size_t)n : 0;
	}
	in->at += taken;
	return (long)taken;
}

/* Keeps the bytes that were taken and not used, and takes more. Returns 0 or
 * -errno. */
static int refill(struct xs_pieces *in)
{
	const size_t kept = in->zip.avail_in;
	long taken;

	memmove(in->raw, in->zip.next_in, kept);
	taken = take(in, in->raw + kept, sizeof(in->raw) - kept);
	if (taken < 0)
		return (int)taken;
	in->zip.next_in = in->raw;
	in->zip.avail_in = (uInt)(kept + (size_t)taken);
	return 0;
}

static bool is_gzip(const struct xs_pieces *in)
{
	return in->zip.avail_in > 1 && in->zip.next_in[0] == 0x1f &&
	       in->zip.next_in[1] == 0x8b;
}

int xs_pieces_open(struct xs_pieces *in, const struct xs_trace_bytes *bytes)
{
	int rc;

	*in = (struct xs_pieces){.bytes = bytes, .zip.next_in = in->raw};
	rc = refill(in);
	in->zipped = !rc && is_gzip(in);
	/* 16: gzip */
	if (in->zipped && inflateInit2(&in->zip, 15 + 16) != Z_OK) {
		xs_no_memory();
	}
	return rc;
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
	const int rc = in->zip.avail_in > 1 ? 0 : refill(in);

	if (rc)
		return rc;
	in->ended = !is_gzip(in);
	for (uInt i = 0; in->ended && i < 2 && i < in->zip.avail_in; i++)
		if (in->zip.next_in[i])
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

		rc = in->zip.avail_in ? 0 : refill(in);
		if (rc)
			return rc;
		if (in->zip.avail_in == 0)
			return fail(in, "the compressed file ends early; "
					"content after that may be missing; "
					"copy it again");
		code = inflate(&in->zip, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			xs_no_memory();
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
	const size_t kept = in->zip.avail_in; /* of a plain file */

	if (in->zipped)
		return read_zipped(in, piece);
	if (!kept)
		return take(in, (xs_u8 *)piece, XS_PIECE_BYTES);
	memcpy(piece, in->zip.next_in, kept);
	in->zip.avail_in = 0;
	return (long)kept;
}
