/* SPDX-License-Identifier: MIT */
/*
 * Fat binaries as nvcc embeds them: a header, then entries, each with a header
 * and a payload (PTX text, or a cubin, which only a real device can use). The
 * layout was derived from the output of nvcc 12 and 13; NVIDIA does not
 * document it.
 */
#include "tests/sim/module.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC  0xba55ed50u
#define FLAG_ZSTD     0x8000u
#define FLAG_LZ4      0x2000u

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *more;
};

struct fatbin {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t payload_bytes; /* bytes of all entries */
};

enum { ENTRY_PTX = 1 };

struct entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t stored_bytes; /* payload with its padding */
	uint32_t compressed_bytes, unused;
	uint16_t minor, major;
	uint32_t arch;
	uint32_t names[2];
	uint64_t flags;
	uint64_t reserved;
	uint64_t plain_bytes;
};

/* Reads the rest of a length that starts with `length`: 15 means that more
 * bytes follow, and so does each byte of 255. */
static size_t lz4_length(const uint8_t **at, const uint8_t *end, size_t length)
{
	uint8_t more = length == 15 ? 255 : 0;

	while (more == 255 && *at < end) {
		more = *(*at)++;
		length += more;
	}
	return length;
}

/* Decompresses a block of LZ4, as nvcc 12 writes it: literals and copies of
 * earlier bytes, alternating. Returns its bytes, 0 if it is invalid. */
static size_t lz4_decompress(char *to, size_t most, const uint8_t *at,
			     const uint8_t *end)
{
	size_t done = 0;

	while (at < end) {
		const uint8_t token = *at++;
		size_t length = lz4_length(&at, end, token >> 4), offset;

		if (length > (size_t)(end - at) || length > most - done)
			return 0;
		memcpy(to + done, at, length);
		at += length;
		done += length;
		if (end - at < 2)
			break; /* the last sequence has no copy */
		offset = at[0] | (size_t)at[1] << 8;
		at += 2;
		length = lz4_length(&at, end, token & 15) + 4;
		if (!offset || offset > done || length > most - done)
			return 0;
		for (; length; length--, done++)
			to[done] = to[done - offset];
	}
	return done;
}

static char *entry_text(const struct entry *entry)
{
	const char *payload = (const char *)entry + entry->header_bytes;
	const uint8_t *packed = (const uint8_t *)payload;
	size_t bytes;
	char *text;

	if (!(entry->flags & (FLAG_ZSTD | FLAG_LZ4)))
		return strndup(payload, entry->stored_bytes);
	text = malloc(entry->plain_bytes + 1);
	if (!text)
		return NULL;
	if (entry->flags & FLAG_ZSTD)
		bytes = ZSTD_decompress(text, entry->plain_bytes, packed,
					entry->compressed_bytes);
	else
		bytes = lz4_decompress(text, entry->plain_bytes, packed,
				       packed + entry->compressed_bytes);
	text[ZSTD_isError(bytes) ? 0 : bytes] = '\0';
	return text;
}

/* The PTX for the newest architecture. */
static char *fatbin_text(const struct fatbin *fatbin)
{
	const char *at = (const char *)fatbin + fatbin->header_bytes;
	const char *end = at + fatbin->payload_bytes;
	const struct entry *best = NULL;

	while (at < end) {
		const struct entry *entry = (const void *)at;

		if (entry->kind == ENTRY_PTX &&
		    (!best || entry->arch > best->arch))
			best = entry;
		at += entry->header_bytes + entry->stored_bytes;
	}
	return best ? entry_text(best) : NULL;
}

char *xs_sim_fatbin_ptx(const void *image)
{
	const struct wrapper *wrapper = image;
	uint32_t magic;

	memcpy(&magic, image, sizeof(magic));
	if (magic == WRAPPER_MAGIC)
		return xs_sim_fatbin_ptx(wrapper->data);
	if (magic == FATBIN_MAGIC)
		return fatbin_text(image);
	if (memcmp(image, "\177ELF", 4) == 0)
		return NULL;
	return strdup(image);
}
