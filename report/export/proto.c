/* SPDX-License-Identifier: MIT */
#include "report/export/proto.h"

#include "analyzer/util/escape.h"
#include "analyzer/util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2 };

/* Bytes of the length of a message inside of another one, which is not known
 * when it begins: a varint may have leading zeros. */
#define LENGTH_BYTES 4

static void add_bytes(struct xs_proto *proto, const void *bytes, size_t size)
{
	if (proto->room - proto->size < size) {
		const size_t room = 2 * proto->room + size + 256;
		uint8_t *grown = xs_realloc(proto->bytes, room);

		proto->bytes = grown;
		proto->room = room;
	}
	if (size)
		memcpy(proto->bytes + proto->size, bytes, size);
	proto->size += size;
}

static void add_varint(struct xs_proto *proto, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	add_bytes(proto, bytes, size);
}

static void add_tag(struct xs_proto *proto, unsigned field, enum wire_type type)
{
	add_varint(proto, (uint64_t)field << 3 | type);
}

void xs_proto_int(struct xs_proto *proto, unsigned field, uint64_t value)
{
	add_tag(proto, field, VARINT);
	add_varint(proto, value);
}

void xs_proto_fixed64(struct xs_proto *proto, unsigned field, uint64_t value)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	add_tag(proto, field, FIXED64);
	add_bytes(proto, bytes, sizeof(bytes));
}

void xs_proto_double(struct xs_proto *proto, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	xs_proto_fixed64(proto, field, bits);
}

void xs_proto_text(struct xs_proto *proto, unsigned field, const char *text)
{
	char *safe = text ? xs_escape_copy(text, "") : NULL;

	if (safe) {
		add_tag(proto, field, BYTES);
		add_varint(proto, strlen(safe));
		add_bytes(proto, safe, strlen(safe));
	}
	free(safe);
}

size_t xs_proto_begin(struct xs_proto *proto, unsigned field)
{
	static const uint8_t length[LENGTH_BYTES];

	add_tag(proto, field, BYTES);
	add_bytes(proto, length, sizeof(length));
	return proto->size;
}

void xs_proto_end(struct xs_proto *proto, size_t begun)
{
	size_t length = proto->size - begun;

	if (proto->failed)
		return;
	for (size_t i = 0; i < LENGTH_BYTES; i++, length >>= 7)
		proto->bytes[begun - LENGTH_BYTES + i] =
		    (uint8_t)((length & 0x7f) |
			      (i + 1 < LENGTH_BYTES ? 0x80 : 0));
	proto->failed = length != 0;
}

int xs_proto_write(struct xs_proto *proto, FILE *out)
{
	const size_t size = proto->size;

	proto->size = 0;
	if (proto->failed)
		return -EMSGSIZE;
	return fwrite(proto->bytes, 1, size, out) == size ? 0 : -errno;
}

void xs_proto_free(struct xs_proto *proto)
{
	free(proto->bytes);
	*proto = (struct xs_proto){0};
}
