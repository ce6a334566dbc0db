/* SPDX-License-Identifier: MIT */
/* Encodes messages of Protocol Buffers, one at a time, to a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A message in memory. Zeroed, it is empty. If a message inside of it is too
 * long for its length, failed is set. */
struct xs_proto {
	uint8_t *bytes; /* owned */
	size_t size, room;
	bool failed;
};

/* Add a field by its number. A text of NULL adds nothing; others become valid
 * UTF-8 without control characters. */
void xs_proto_int(struct xs_proto *proto, unsigned field, uint64_t value);
void xs_proto_fixed64(struct xs_proto *proto, unsigned field, uint64_t value);
void xs_proto_double(struct xs_proto *proto, unsigned field, double value);
void xs_proto_text(struct xs_proto *proto, unsigned field, const char *text);

/* Begins a message that is a field. Returns what ends it. */
size_t xs_proto_begin(struct xs_proto *proto, unsigned field);
void xs_proto_end(struct xs_proto *proto, size_t begun);

/* Writes the bytes and empties the message, whose memory is kept. Returns 0,
 * -EMSGSIZE or -EIO. */
int xs_proto_write(struct xs_proto *proto, FILE *out);
void xs_proto_free(struct xs_proto *proto);
