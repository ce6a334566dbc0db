/* SPDX-License-Identifier: MIT */
#include "report/render/html/pack.h"

#define BUFFER_BYTES 4096
#define VARINT_BYTES 10

struct packer {
	int (*put)(void *sink, const void *bytes, size_t count);
	void *sink;
	unsigned char buffer[BUFFER_BYTES];
	size_t used;
	int err;
};

static void flush(struct packer *p)
{
	if (!p->err && p->used)
		p->err = p->put(p->sink, p->buffer, p->used);
	p->used = 0;
}

static void put_varint(struct packer *p, uint64_t value)
{
	if (p->used > BUFFER_BYTES - VARINT_BYTES)
		flush(p);
	while (value >= 0x80) {
		p->buffer[p->used++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	p->buffer[p->used++] = (unsigned char)value;
}

/* 0, -1, 1, -2, ... -> 0, 1, 2, 3, ... */
static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void pack_lane(struct packer *p, const struct xs_result_lane *lane)
{
	const struct xs_result_slice *slices = lane->slices;
	int64_t end_ns = 0;

	for (size_t i = 0; i < lane->count; i++) {
		put_varint(p, zigzag(slices[i].start_ns - end_ns));
		end_ns = slices[i].end_ns;
	}
	for (size_t i = 0; i < lane->count; i++) {
		const int64_t ns = slices[i].end_ns - slices[i].start_ns;

		put_varint(p, ns > 0 ? (uint64_t)ns : 0);
	}
	for (size_t i = 0; i < lane->count; i++)
		put_varint(p, slices[i].name);
	for (size_t i = 0; i < lane->count; i++)
		put_varint(p, slices[i].site);
	for (size_t i = 0; i < lane->count; i++)
		put_varint(p, (uint64_t)slices[i].bytes);
}

int xs_html_pack(const struct xs_result_timeline *timeline,
		 int (*put)(void *sink, const void *bytes, size_t count),
		 void *sink)
{
	struct packer p = {.put = put, .sink = sink};

	for (size_t i = 0; i < timeline->view_count; i++)
		for (size_t k = 0; k < timeline->views[i].lane_count; k++)
			pack_lane(&p, &timeline->views[i].lanes[k]);
	flush(&p);
	return p.err;
}
