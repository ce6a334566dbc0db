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

/* For 64-bit machines. Debug builds of CPython differ, which is detected. */
static const struct xs_python_layout fixed[] = {
    {.state_frame = 24, /* 3.9 */
     .frame_code = 32,
     .frame_previous = 24,
     .frame_instr = 104,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_lines = 120,
     .code_start = 48,
     .ascii_text = 48,
     .unicode_text = 72,
     .state_shift = 2,
     .index_bytes = 1,
     .lines = XS_PYTHON_LNOTAB},
    {.state_frame = 24, /* 3.10 */
     .frame_code = 32,
     .frame_previous = 24,
     .frame_instr = 96,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_lines = 120,
     .code_start = 48,
     .ascii_text = 48,
     .unicode_text = 72,
     .state_shift = 2,
     .index_bytes = 2,
     .lines = XS_PYTHON_LINETABLE},
    {.state_cframe = 56, /* 3.11 */
     .cframe_frame = 8,
     .frame_code = 32,
     .frame_previous = 48,
     .frame_instr = 56,
     .frame_owner = 69,
     .code_first_line = 72,
     .code_file = 112,
     .code_name = 128,
     .code_lines = 136,
     .code_start = 184,
     .ascii_text = 48,
     .unicode_text = 72,
     .state_shift = 2,
     .lines = XS_PYTHON_LOCATIONS},
    {.state_cframe = 56, /* 3.12 */
     .frame_code = 0,
     .frame_previous = 8,
     .frame_instr = 56,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_name = 128,
     .code_lines = 136,
     .code_start = 192,
     .ascii_text = 40,
     .unicode_text = 56,
     .state_shift = 2,
     .lines = XS_PYTHON_LOCATIONS},
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
    {.state_frame = 23, /* 3.13 */
     .frame_previous = 29,
     .frame_code = 30,
     .frame_instr = 31,
     .frame_owner = 33,
     .code_file = 35,
     .code_name = 37,
     .code_lines = 38,
     .code_first_line = 39,
     .code_start = 43,
     .state_shift = 2},
    {.state_frame = 26, /* 3.14 */
     .frame_previous = 32,
     .frame_code = 33,
     .frame_instr = 34,
     .frame_owner = 36,
     .code_file = 40,
     .code_name = 42,
     .code_lines = 43,
     .code_first_line = 44,
     .code_start = 48,
     .state_shift = 16},
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
		uint64_t offset = table[fields[i].word];
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
