/* SPDX-License-Identifier: MIT */
/* An instruction that is being parsed: shared by ptx_operand.c and
 * ptx_insn.c. */
#pragma once

#include "tests/sim/ptx_parser.h"

#define XS_PTX_PARTS	8
#define XS_PTX_OPERANDS 6

struct part {
	const char *text;
	size_t length;
};

enum operand_kind {
	IS_REG,
	IS_BITS,
	IS_SYMBOL,
	IS_LOCAL,
	IS_ADDRESS,
	IS_CLOCK,
	IS_WORD
};

struct operand {
	enum operand_kind kind;
	int32_t slot;  /* IS_REG; IS_ADDRESS: base, or -1 */
	int32_t slot2; /* `%p|%q` */
	uint64_t bits; /* IS_BITS, IS_SYMBOL; IS_ADDRESS: offset */
	struct xs_ptx_token word;
	bool inverted; /* `!%p` */
};

struct reading {
	struct xs_ptx_parser *p;
	struct part parts[XS_PTX_PARTS];
	size_t part_count;
	struct operand operands[XS_PTX_OPERANDS];
	size_t operand_count;
	int32_t vector[4]; /* slots of `{a,b}` */
	size_t vector_count;
	size_t vector_at; /* the operand that is a vector */
	struct xs_ptx_insn insn;
};

/* Reads the next operand. Returns false if it is unknown. */
bool xs_ptx_read_operand(struct reading *r);
/* The same for a name: a register, a symbol or a label. */
bool xs_ptx_read_word(struct reading *r, struct operand *o);
/* Returns the slot with these bits in every lane. */
int32_t xs_ptx_constant_slot(struct xs_ptx_parser *p, uint64_t bits,
			     uint8_t bytes);
/* Returns an operand as a slot that can be read with this width. */
int32_t xs_ptx_source(struct reading *r, size_t index, uint8_t bytes);
/* Returns the first operand as the slot to write. */
int32_t xs_ptx_destination(struct reading *r);
