/* SPDX-License-Identifier: MIT */
/* Shared by ptx_parse.c (module and kernel level) and ptx_insn.c. */
#pragma once

#include "tests/sim/ptx.h"

enum xs_ptx_token_kind {
	XS_PTX_TOKEN_END,
	XS_PTX_TOKEN_WORD, /* also with dots: ld.param.u64, %tid.x, .reg */
	XS_PTX_TOKEN_NUMBER,
	XS_PTX_TOKEN_STRING,
	XS_PTX_TOKEN_PUNCT,
};

struct xs_ptx_token {
	enum xs_ptx_token_kind kind;
	const char *text; /* into the PTX; not terminated */
	size_t length;
};

enum xs_ptx_symbol_kind {
	XS_PTX_SYMBOL_GLOBAL, /* value: address */
	XS_PTX_SYMBOL_SHARED, /* value: offset */
	XS_PTX_SYMBOL_LOCAL,  /* value: offset in the thread's local memory */
	XS_PTX_SYMBOL_PARAM,  /* value: offset */
};

struct xs_ptx_symbol {
	struct xs_ptx_token name;
	enum xs_ptx_symbol_kind kind;
	uint64_t value;
};

/* `.reg .b32 %r<7>`: seven slots from base on. */
struct xs_ptx_regs {
	struct xs_ptx_token prefix;
	uint32_t base, count;
	uint8_t bytes;
};

struct xs_ptx_label {
	struct xs_ptx_token name;
	uint32_t insn;
};

struct xs_ptx_parser {
	const char *at;
	struct xs_ptx_token token; /* the next token */
	struct xs_ptx_program *program;
	struct xs_ptx_symbol *symbols; /* the module's, then the kernel's */
	uint32_t symbol_count, module_symbols;
	struct xs_ptx_regs *regs;
	uint32_t regs_count;
	struct xs_ptx_label *labels, *branches;
	uint32_t label_count, branch_count;
	struct xs_ptx_kernel *kernel;
	uint8_t *slot_bytes; /* width of each slot */
	uint32_t slot_capacity;
	bool no_memory;
};

void xs_ptx_advance(struct xs_ptx_parser *p);
bool xs_ptx_is(const struct xs_ptx_token *token, const char *text);
bool xs_ptx_same(const struct xs_ptx_token *a, const struct xs_ptx_token *b);
/* Takes the token if it is this one. */
bool xs_ptx_take(struct xs_ptx_parser *p, const char *text);
/* An integer or the bits of a float literal, with its sign. */
bool xs_ptx_take_number(struct xs_ptx_parser *p, uint64_t *value);
enum xs_ptx_type xs_ptx_type_named(const char *text, size_t length);
uint8_t xs_ptx_type_bytes(enum xs_ptx_type type);

/* Makes space for one more element; doubles at powers of two. NULL: no
 * memory. */
void *xs_ptx_grow(struct xs_ptx_parser *p, void *array, uint32_t count,
		  size_t element_bytes);
int32_t xs_ptx_new_slot(struct xs_ptx_parser *p, uint8_t bytes);
const struct xs_ptx_symbol *xs_ptx_symbol_find(const struct xs_ptx_parser *p,
					       const struct xs_ptx_token *name);

void xs_ptx_append(struct xs_ptx_parser *p, const struct xs_ptx_insn *insn);
/* Parses one instruction up to its ';' and appends the result. */
void xs_ptx_instruction(struct xs_ptx_parser *p);
