/* SPDX-License-Identifier: MIT */
#include "preload/callstack/python/python_line.h"

#define CODE_UNIT_BYTES 2u

/* Pairs: number of bytes, number of lines to advance. */
static unsigned by_steps(const uint8_t *at, const uint8_t *end, int line,
			 size_t offset)
{
	size_t begin = 0;

	for (; end - at >= 2; at += 2) {
		begin += at[0];
		if (begin > offset)
			break;
		line += (int8_t)at[1];
	}
	return line > 0 ? (unsigned)line : 0;
}

/* Pairs: bytes of a range, its line as a difference; -128: no line. */
static unsigned by_ranges(const uint8_t *at, const uint8_t *end, int line,
			  size_t offset)
{
	const int8_t none = -128;
	size_t begin = 0;

	for (; end - at >= 2; at += 2) {
		int8_t step = (int8_t)at[1];
		if (step != none)
			line += step;
		begin += at[0];
		if (offset < begin)
			return step != none && line > 0 ? (unsigned)line : 0;
	}
	return 0;
}

/* Six bits per byte, the lowest first; bit 6: more follow. Bit 0 of the value
 * is the sign. */
static int read_signed(const uint8_t *at, const uint8_t *end)
{
	uint32_t value = 0;

	for (unsigned shift = 0; at < end && shift < 30; shift += 6) {
		value |= (uint32_t)(*at & 0x3f) << shift;
		if (!(*at++ & 0x40))
			break;
	}
	return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

/* Entries. Only the first byte of an entry has its top bit set: four bits of
 * kind, three bits of length in code units minus one. The kind determines the
 * line difference, and columns, which are skipped. */
static unsigned by_locations(const uint8_t *at, const uint8_t *end, int line,
			     size_t offset)
{
	enum { ONE_LINE_0 = 10, ONE_LINE_2 = 12, NO_COLUMNS, LONG, NONE };
	size_t begin = 0;

	while (at < end) {
		int kind = *at >> 3 & 15;
		size_t units = (size_t)(*at & 7) + 1;

		at++;
		if (kind >= ONE_LINE_0 && kind <= ONE_LINE_2)
			line += kind - ONE_LINE_0;
		else if (kind == NO_COLUMNS || kind == LONG)
			line += read_signed(at, end);
		begin += units * CODE_UNIT_BYTES;
		if (offset < begin)
			return kind != NONE && line > 0 ? (unsigned)line : 0;
		while (at < end && !(*at & 0x80))
			at++;
	}
	return 0;
}

unsigned xs_python_line(enum xs_python_lines kind, const uint8_t *table,
			size_t bytes, unsigned first_line, size_t offset)
{
	const uint8_t *end = table + bytes;
	int line = (int)first_line;

	switch (kind) {
	case XS_PYTHON_LNOTAB:
		return by_steps(table, end, line, offset);
	case XS_PYTHON_LINETABLE:
		return by_ranges(table, end, line, offset);
	case XS_PYTHON_LOCATIONS:
		return by_locations(table, end, line, offset);
	}
	return 0;
}
