/* SPDX-License-Identifier: MIT */
#include "preload/callstack/python/python_frame.h"
#include "preload/callstack/python/python_line.h"
#include "preload/util/hot.h"
#include "preload/util/utf8.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_TABLE_BYTES (64u << 20)
#define POINTER_TAGS	7u /* 3.14 tags references in their lowest bits */

/* Copies memory. Until the interpreter's layout has proved right, the kernel
 * reads for us, so that a wrong address is an error and not a fault. */
static int copy(const struct xs_python *python, uintptr_t from, void *to,
		size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)from, bytes};

	if (!from)
		return -EFAULT;
	if (xs_relaxed(&python->trusted)) {
		memcpy(to, (const void *)from, bytes);
		return 0;
	}
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
		       (ssize_t)bytes
		   ? 0
		   : -EFAULT;
}

static int copy_word(const struct xs_python *python, uintptr_t from,
		     uintptr_t *word)
{
	return copy(python, from, word, sizeof(*word));
}

uintptr_t xs_python_top(const struct xs_python *python, const void *state)
{
	const struct xs_python_layout *l = &python->layout;
	uintptr_t at = (uintptr_t)state + l->state_frame, frame;

	if (l->state_cframe) {
		if (copy_word(python, (uintptr_t)state + l->state_cframe, &at))
			return 0;
		at += l->cframe_frame;
	}
	return copy_word(python, at, &frame) ? 0 : frame;
}

static bool is_a(const struct xs_python *python, uintptr_t object,
		 const void *type)
{
	uintptr_t its_type;

	return copy_word(python, object + XS_PYTHON_TYPE, &its_type) == 0 &&
	       its_type == (uintptr_t)type;
}

/* The text of a str: address, length, bytes per character. */
struct text {
	uintptr_t at, length;
	uint32_t width;
};

static int find_text(const struct xs_python *python, uintptr_t object,
		     struct text *text)
{
	const struct xs_python_layout *l = &python->layout;
	uint32_t state;

	if (copy_word(python, object + XS_PYTHON_SIZE, &text->length) ||
	    copy(python, object + XS_PYTHON_STR_STATE, &state, sizeof(state)))
		return -EFAULT;
	state >>= l->state_shift;
	text->width = state & XS_PYTHON_STR_KIND;
	text->at = object + (state & XS_PYTHON_STR_ASCII ? l->ascii_text
							 : l->unicode_text);
	return state & XS_PYTHON_STR_COMPACT &&
		       (text->width == 1 || text->width == 2 ||
			text->width == 4)
		   ? 0
		   : -EINVAL;
}

/* Copies a str as UTF-8, truncated to the buffer. */
static int copy_text(const struct xs_python *python, uintptr_t object,
		     char out[XS_PYTHON_TEXT_BYTES])
{
	char *at = out, *last = out + XS_PYTHON_TEXT_BYTES - 5;
	uint8_t raw[XS_PYTHON_TEXT_BYTES];
	struct text text;

	if (!is_a(python, object, python->str_type) ||
	    find_text(python, object, &text))
		return -EINVAL;
	if (text.length > sizeof(raw) / text.width)
		text.length = sizeof(raw) / text.width;
	if (text.length && copy(python, text.at, raw, text.length * text.width))
		return -EFAULT;
	for (size_t i = 0; i < text.length && at < last; i++) {
		uint32_t c = 0; /* little-endian */
		memcpy(&c, raw + i * text.width, text.width);
		at = xs_utf8_put(at, c);
	}
	*at = '\0';
	return 0;
}

int xs_python_read(const struct xs_python *python, uintptr_t at,
		   struct xs_python_frame *frame)
{
	const struct xs_python_layout *l = &python->layout;
	uint8_t owner = 0;

	if (copy_word(python, at + l->frame_code, &frame->code) ||
	    copy_word(python, at + l->frame_instr, &frame->instr) ||
	    copy_word(python, at + l->frame_previous, &frame->previous) ||
	    (l->frame_owner &&
	     copy(python, at + l->frame_owner, &owner, sizeof(owner))))
		return -EFAULT;
	frame->is_line = owner < XS_PYTHON_FIRST_C_OWNER;
	if (!frame->is_line)
		return 0;
	frame->code &= ~(uintptr_t)POINTER_TAGS;
	if (l->index_bytes) /* an int; the bytes behind it are another field */
		frame->instr = (uint32_t)frame->instr;
	return 0;
}

/* Finds a frame's offset in its code object's instructions, in bytes; -1:
 * before the first. */
static int find_offset(const struct xs_python *python,
		       const struct xs_python_frame *frame, ptrdiff_t *offset)
{
	const struct xs_python_layout *l = &python->layout;
	uintptr_t sized = frame->code, size;
	size_t unit_bytes = 2;

	if (l->index_bytes) {
		if (copy_word(python, frame->code + l->code_start, &sized) ||
		    !is_a(python, sized, python->bytes_type))
			return -EINVAL;
		*offset = (int32_t)frame->instr * (ptrdiff_t)l->index_bytes;
		unit_bytes = 1;
	} else {
		*offset = (ptrdiff_t)(frame->instr - sized - l->code_start);
	}
	if (copy_word(python, sized + XS_PYTHON_SIZE, &size))
		return -EFAULT;
	return *offset < -2 || *offset >= (ptrdiff_t)(size * unit_bytes)
		   ? -EINVAL
		   : 0;
}

static int find_line(const struct xs_python *python,
		     const struct xs_python_frame *frame, unsigned *line)
{
	const struct xs_python_layout *l = &python->layout;
	uintptr_t table, bytes, data;
	uint32_t first_line;
	ptrdiff_t offset;
	uint8_t end;
	int err = find_offset(python, frame, &offset);

	if (err)
		return err;
	if (copy(python, frame->code + l->code_first_line, &first_line,
		 sizeof(first_line)) ||
	    copy_word(python, frame->code + l->code_lines, &table) ||
	    !is_a(python, table, python->bytes_type) ||
	    copy_word(python, table + XS_PYTHON_SIZE, &bytes) ||
	    bytes > MAX_TABLE_BYTES)
		return -EINVAL;
	data = table + XS_PYTHON_BYTES_DATA;
	/* The table is contiguous: checking its first and last byte is
	 * enough. */
	if (copy(python, data, &end, 1) || copy(python, data + bytes, &end, 1))
		return -EFAULT;
	*line = xs_python_line(l->lines, (const uint8_t *)data, bytes,
			       first_line, offset < 0 ? 0 : (size_t)offset);
	if (!*line)
		*line = first_line;
	return 0;
}

int xs_python_locate(const struct xs_python *python,
		     const struct xs_python_frame *frame,
		     struct xs_python_place *place)
{
	uintptr_t file, name;
	int err;

	if (!is_a(python, frame->code, python->code_type))
		return -EINVAL;
	err = find_line(python, frame, &place->line);
	if (!err)
		err = copy_word(python, frame->code + python->layout.code_file,
				&file);
	if (!err)
		err = copy_text(python, file, place->file);
	if (!err)
		err = copy_word(python, frame->code + python->layout.code_name,
				&name);
	return err ? err : copy_text(python, name, place->name);
}

static inline uintptr_t word_at(uintptr_t at)
{
	uintptr_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return word;
}

static inline uint32_t half_at(uintptr_t at)
{
	uint32_t half;

	memcpy(&half, (const void *)at, sizeof(half));
	return half;
}

/* Returns the last 8 bytes of a str's text; for a short str this includes bytes
 * in front of it. */
static uint64_t end_of(const struct xs_python_layout *l, uintptr_t object)
{
	uint32_t state =
	    half_at(object + XS_PYTHON_STR_STATE) >> l->state_shift;
	uintptr_t bytes =
	    word_at(object + XS_PYTHON_SIZE) * (state & XS_PYTHON_STR_KIND);

	return word_at(
	    object +
	    (state & XS_PYTHON_STR_ASCII ? l->ascii_text : l->unicode_text) +
	    bytes - sizeof(uint64_t));
}

/* The end of the file name and the first line distinguish a code object from
 * another one that was later allocated at its address. */
uint64_t xs_python_hash(const struct xs_python *python, const void *state)
{
	const struct xs_python_layout *l = &python->layout;
	uint64_t hash = 0, file_end = 0;
	uintptr_t at = xs_python_top(python, state), file = 0;

	for (unsigned i = 0; at && i < XS_PYTHON_MAX_FRAMES; i++) {
		uintptr_t frame = at, code;
		uint64_t what;

		at = word_at(frame + l->frame_previous);
		if (l->frame_owner &&
		    *(const uint8_t *)(frame + l->frame_owner) >=
			XS_PYTHON_FIRST_C_OWNER)
			continue;
		code =
		    word_at(frame + l->frame_code) & ~(uintptr_t)POINTER_TAGS;
		what = l->index_bytes ? half_at(frame + l->frame_instr)
				      : word_at(frame + l->frame_instr);
		if (word_at(code + l->code_file) != file) {
			file = word_at(code + l->code_file);
			file_end = end_of(l, file);
		}
		what += code * 0x9fb21c651e98df25u +
			file_end * 0x94d049bb133111ebu +
			((uint64_t)half_at(code + l->code_first_line) << 40);
		hash = (hash ^ what) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}
