/* SPDX-License-Identifier: MIT */
#include "report/render/html/pack.h"

static void put_varint(uint64_t value, FILE *out)
{
	for (; value >= 0x80; value >>= 7)
		putc_unlocked((int)(value & 0x7f) | 0x80, out);
	putc_unlocked((int)value, out);
}

/* 0, -1, 1, -2, ... -> 0, 1, 2, 3, ... */
static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void pack_lane(const struct xs_result_lane *lane, FILE *out)
{
	const struct xs_result_slice *slices = lane->slices;
	int64_t end_ns = 0;

	for (size_t i = 0; i < lane->count; i++) {
		put_varint(zigzag(slices[i].start_ns - end_ns), out);
		end_ns = slices[i].end_ns;
	}
	for (size_t i = 0; i < lane->count; i++) {
		const int64_t ns = slices[i].end_ns - slices[i].start_ns;

		put_varint(ns > 0 ? (uint64_t)ns : 0, out);
	}
	for (size_t i = 0; i < lane->count; i++)
		put_varint(slices[i].name, out);
	for (size_t i = 0; i < lane->count; i++)
		put_varint(slices[i].site, out);
	for (size_t i = 0; i < lane->count; i++)
		put_varint((uint64_t)slices[i].bytes, out);
}

void xs_html_pack(const struct xs_result_timeline *timeline, FILE *out)
{
	for (size_t i = 0; i < timeline->view_count; i++)
		for (size_t k = 0; k < timeline->views[i].lane_count; k++)
			pack_lane(&timeline->views[i].lanes[k], out);
}
