/* SPDX-License-Identifier: MIT */
#include "preload/callstack/python/python_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COOKIE	     "xdebugpy"
#define MAX_OFFSET   4096u
#define FIRST_MINOR  9u
#define TABLES_MINOR 13u

/* For 64-bit machines, in the order of the struct. Debug builds of CPython
 * differ, which is detected. */
static const struct xs_python_layout fixed[] = {
    /* 3.9 */
    {24, 0, 0, 32, 24, 104, 0, 40, 104, 112, 120, 48, 48, 72, 2, 1,
     XS_PYTHON_LNOTAB},
    /* 3.10 */
    {24, 0, 0, 32, 24, 96, 0, 40, 104, 112, 120, 48, 48, 72, 2, 2,
     XS_PYTHON_LINETABLE},
    /* 3.11 */
    {0, 56, 8, 32, 48, 56, 69, 72, 112, 128, 136, 184, 48, 72, 2, 0,
     XS_PYTHON_LOCATIONS},
    /* 3.12 */
    {0, 56, 0, 0, 8, 56, 70, 68, 112, 128, 136, 192, 40, 56, 2, 0,
     XS_PYTHON_LOCATIONS},
};

/* Indices of 64-bit words in the interpreter's own table of offsets. */
struct words {
	uint8_t state_frame;
	uint8_t frame_previous, frame_code, frame_instr, frame_owner;
	uint8_t code_file, code_name, code_lines, code_first_line, code_start;
	uint8_t state_shift;
};

#define WORD_FREE_THREADED 2

static const struct words tables[] = {
    {23, 29, 30, 31, 33, 35, 37, 38, 39, 43, 2},  /* 3.13 */
    {26, 32, 33, 34, 36, 40, 42, 43, 44, 48, 16}, /* 3.14 */
};

static bool read_table(const uint64_t *table, const struct words *at,
		       struct xs_python_layout *layout)
{
	const struct {
		uint8_t word;
		uint16_t *offset;
	} fields[] = {
	    {at->state_frame, &layout->state_frame},
	    {at->frame_previous, &layout->frame_previous},
	    {at->frame_code, &layout->frame_code},
	    {at->frame_instr, &layout->frame_instr},
	    {at->frame_owner, &layout->frame_owner},
	    {at->code_file, &layout->code_file},
	    {at->code_name, &layout->code_name},
	    {at->code_lines, &layout->code_lines},
	    {at->code_first_line, &layout->code_first_line},
	    {at->code_start, &layout->code_start},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const uint64_t offset = table[fields[i].word];

		if (offset >= MAX_OFFSET)
			return false;
		*fields[i].offset = (uint16_t)offset;
	}
	return true;
}

int xs_python_layout_find(uint32_t version, const void *runtime,
			  struct xs_python_layout *layout)
{
	const uint32_t major = version >> 24, minor = version >> 16 & 0xff;
	const uint64_t *table = runtime;
	const struct words *at;

	if (major != 3 || minor < FIRST_MINOR ||
	    minor >= TABLES_MINOR + sizeof(tables) / sizeof(*tables))
		return -ENOTSUP;
	if (minor < TABLES_MINOR) {
		*layout = fixed[minor - FIRST_MINOR];
		return 0;
	}
	at = &tables[minor - TABLES_MINOR];
	*layout = (struct xs_python_layout){.ascii_text = 40,
					    .unicode_text = 56,
					    .state_shift = at->state_shift,
					    .lines = XS_PYTHON_LOCATIONS};
	if (memcmp(table, COOKIE, strlen(COOKIE)) != 0 ||
	    table[WORD_FREE_THREADED] || !read_table(table, at, layout))
		return -ENOTSUP;
	return 0;
}
