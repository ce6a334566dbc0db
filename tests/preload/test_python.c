/* SPDX-License-Identifier: MIT */
/* Tests the reader of CPython's data; tests/e2e/python.sh tests real
 * interpreters. */
#include "tests/unit.h"

#include "preload/callstack/python/python_frame.h"
#include "preload/callstack/python/python_line.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned line_at(enum xs_python_lines kind, const uint8_t *table,
			size_t bytes, size_t offset)
{
	return xs_python_line(kind, table, bytes, 10, offset);
}

/* x = 1; y = 2, two lines below; then a line above that */
TEST(lines_by_steps)
{
	static const uint8_t table[] = {0, 1, 4, 2, 4, 0xff};

	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 6, 0), 11);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 6, 3), 11);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 6, 4), 13);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 6, 8), 12);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 6, 9999), 12);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 1, 0), 10);
	assert_int_equal(line_at(XS_PYTHON_LNOTAB, table, 0, 0), 10);
}

TEST(lines_by_ranges)
{
	static const uint8_t table[] = {4, 0, 2, 3, 2, 0x80, 6, 0xfe};

	assert_int_equal(line_at(XS_PYTHON_LINETABLE, table, 8, 0), 10);
	assert_int_equal(line_at(XS_PYTHON_LINETABLE, table, 8, 4), 13);
	assert_int_equal(line_at(XS_PYTHON_LINETABLE, table, 8, 6), 0);
	assert_int_equal(line_at(XS_PYTHON_LINETABLE, table, 8, 8), 11);
	assert_int_equal(line_at(XS_PYTHON_LINETABLE, table, 8, 14), 0);
}

/* One entry of each form; lengths in code units of two bytes. */
TEST(lines_by_locations)
{
	static const uint8_t table[] = {
	    0x80 | 0 << 3 | 1,	0x00,	    /* short: same line, 2 units */
	    0x80 | 11 << 3 | 0, 0x01, 0x02, /* next line */
	    0x80 | 13 << 3 | 0, 0x47, 0x01, /* -35 lines: 7 + 1 * 64 */
	    0x80 | 15 << 3 | 7,		    /* no line, 8 units */
	    0x80 | 14 << 3 | 0, 0x02, 0,    1, 1, /* long form: next line */
	    0x80 | 12 << 3 | 0, 0x01, 0x02,	  /* two lines further */
	};

	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 0),
	    100);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 3),
	    100);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 4),
	    101);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 6),
	    66);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 8),
	    0);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 24),
	    67);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 26),
	    69);
	assert_int_equal(
	    xs_python_line(XS_PYTHON_LOCATIONS, table, sizeof(table), 100, 28),
	    0);
}

/* Any bytes give an answer, in finite time, without reads beyond the table. */
TEST(any_table_terminates)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t random = 1;

	assert_true(memory != MAP_FAILED);
	assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
	for (unsigned round = 0; round < 3000; round++) {
		size_t bytes = round % 40;
		uint8_t *table = memory + page - bytes;

		for (size_t i = 0; i < bytes; i++) {
			random = random * 1664525 + 1013904223;
			table[i] = (uint8_t)(random >> 24);
		}
		for (int kind = 0; kind <= XS_PYTHON_LOCATIONS; kind++)
			assert_true(xs_python_line((enum xs_python_lines)kind,
						   table, bytes, 1,
						   round % 64) < 1u << 31);
	}
	munmap(memory, 2 * page);
}

TEST(supported_versions)
{
	struct xs_python_layout layout;
	uint64_t table[64] = {0};

	for (uint32_t minor = 9; minor <= 12; minor++)
		assert_int_equal(xs_python_layout_find(3u << 24 | minor << 16,
						       table, &layout),
				 0);
	assert_int_equal(xs_python_layout_find(0x03080000, table, &layout),
			 -ENOTSUP);
	assert_int_equal(xs_python_layout_find(0x030f0000, table, &layout),
			 -ENOTSUP);
	assert_int_equal(xs_python_layout_find(0x02070000, table, &layout),
			 -ENOTSUP);
	assert_int_equal(xs_python_layout_find(0, table, &layout), -ENOTSUP);

	/* From 3.13 on the interpreter's own table is used if it is valid. */
	assert_int_equal(xs_python_layout_find(0x030d0000, table, &layout),
			 -ENOTSUP);
	memcpy(table, "xdebugpy", 8);
	table[23] = 72;
	table[31] = 56;
	assert_int_equal(xs_python_layout_find(0x030d0000, table, &layout), 0);
	assert_int_equal(layout.state_frame, 72);
	assert_int_equal(layout.frame_instr, 56);
	table[31] = 1u << 20;
	assert_int_equal(xs_python_layout_find(0x030d0000, table, &layout),
			 -ENOTSUP);
	table[31] = 56;
	table[2] = 1; /* without the GIL */
	assert_int_equal(xs_python_layout_find(0x030d0000, table, &layout),
			 -ENOTSUP);
}

/* Memory with other data, or unmapped, is an error and not a fault. */
TEST(invalid_frames_are_refused)
{
	static uintptr_t zeros[64], circle[64];
	const uintptr_t bad[] = {8, (uintptr_t)zeros, 0x7ffffffff000,
				 UINTPTR_MAX - 64, (uintptr_t)circle};

	for (size_t i = 0; i < sizeof(circle) / sizeof(*circle); i++)
		circle[i] = (uintptr_t)circle;
	for (uint32_t minor = 9; minor <= 12; minor++) {
		struct xs_python python = {.code_type = "code",
					   .str_type = "str",
					   .bytes_type = "bytes"};
		assert_int_equal(xs_python_layout_find(3u << 24 | minor << 16,
						       NULL, &python.layout),
				 0);
		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			struct xs_python_frame frame = {0};
			struct xs_python_place place;

			xs_python_top(&python, (const void *)bad[i]);
			xs_python_read(&python, bad[i], &frame);
			frame.code = bad[i];
			assert_true(xs_python_locate(&python, &frame, &place) <
				    0);
		}
	}
}
