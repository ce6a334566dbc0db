/* SPDX-License-Identifier: MIT */
/*
 * Fat binaries as nvcc embeds them: a header, then entries, each a header and
 * a payload (PTX text, or a cubin, which only a real device can use). The
 * layout was seen in nvcc 13's output; NVIDIA does not document it.
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
	uint64_t payload_bytes; /* of all entries */
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

static char *entry_text(const struct entry *entry)
{
	const char *payload = (const char *)entry + entry->header_bytes;
	char *text;

	if (entry->flags & FLAG_LZ4)
		return NULL;
	if (!(entry->flags & FLAG_ZSTD))
		return strndup(payload, entry->stored_bytes);
	text = malloc(entry->plain_bytes + 1);
	if (text) {
		size_t bytes = ZSTD_decompress(
		    text, entry->plain_bytes, payload, entry->compressed_bytes);

		text[ZSTD_isError(bytes) ? 0 : bytes] = '\0';
	}
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
