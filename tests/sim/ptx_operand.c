/* SPDX-License-Identifier: MIT */
/* Operands of PTX instructions as slots. */
#include "tests/sim/core.h"
#include "tests/sim/ptx_reading.h"

#include <string.h>

int32_t xs_ptx_constant_slot(struct xs_ptx_parser *p, uint64_t bits,
			     uint8_t bytes)
{
	struct xs_ptx_kernel *k = p->kernel;
	struct xs_ptx_constant *grown;

	for (uint32_t i = 0; i < k->constant_count; i++)
		if (k->constants[i].bits == bits &&
		    p->slot_bytes[k->constants[i].slot] == bytes)
			return k->constants[i].slot;
	grown = xs_ptx_grow(p, k->constants, k->constant_count,
			    sizeof(*k->constants));
	if (!grown)
		return 0;
	k->constants = grown;
	grown += k->constant_count++;
	grown->bits = bits;
	grown->bytes = bytes;
	grown->slot = xs_ptx_new_slot(p, bytes);
	return grown->slot;
}

static int32_t special_slot(struct xs_ptx_parser *p,
			    const struct xs_ptx_token *name)
{
	static const char *const names[XS_PTX_SPECIALS] = {
	    "%tid.x",	 "%tid.y",    "%tid.z",	  "%ntid.x",  "%ntid.y",
	    "%ntid.z",	 "%ctaid.x",  "%ctaid.y", "%ctaid.z", "%nctaid.x",
	    "%nctaid.y", "%nctaid.z", "%laneid",
	};

	for (int i = 0; i < XS_PTX_SPECIALS; i++) {
		int32_t *slot = &p->kernel->special[i];

		if (!xs_ptx_is(name, names[i]))
			continue;
		if (*slot < 0)
			*slot = xs_ptx_new_slot(p, 4);
		return *slot;
	}
	return -1;
}

/* `%r12` of `.reg .b32 %r<20>`, or a register declared by its whole name. */
static int32_t register_slot(const struct xs_ptx_parser *p,
			     const struct xs_ptx_token *name)
{
	size_t digits = 0;
	uint32_t number = 0;

	for (uint32_t i = p->regs_count; i-- > 0;)
		if (p->regs[i].count == 0 &&
		    xs_ptx_same(&p->regs[i].prefix, name))
			return (int32_t)p->regs[i].base;
	while (digits < name->length &&
	       name->text[name->length - 1 - digits] >= '0' &&
	       name->text[name->length - 1 - digits] <= '9')
		digits++;
	for (size_t i = name->length - digits; i < name->length; i++)
		number = number * 10 + (uint32_t)(name->text[i] - '0');
	for (uint32_t i = p->regs_count; i-- > 0;) {
		const struct xs_ptx_regs *regs = &p->regs[i];

		if (regs->prefix.length == name->length - digits &&
		    memcmp(regs->prefix.text, name->text,
			   regs->prefix.length) == 0 &&
		    number < regs->count)
			return (int32_t)(regs->base + number);
	}
	return -1;
}

/* Words that are no registers here; clocks have their ticks in a microsecond.
 */
static bool fixed_word(struct operand *o)
{
	static const struct {
		const char *name;
		enum operand_kind kind;
		uint64_t bits;
	} words[] = {
	    {"WARP_SZ", IS_BITS, 32},
	    {"%smid", IS_BITS, 0}, /* blocks run one after the other */
	    {"%clock64", IS_CLOCK, XS_SIM_CLOCK_KHZ / 1000},
	    {"%globaltimer", IS_CLOCK, 1000},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!xs_ptx_is(&o->word, words[i].name))
			continue;
		o->kind = words[i].kind;
		o->bits = words[i].bits;
		return true;
	}
	return false;
}

bool xs_ptx_read_word(struct reading *r, struct operand *o)
{
	struct xs_ptx_parser *p = r->p;
	const struct xs_ptx_symbol *symbol;

	o->word = p->token;
	xs_ptx_advance(p);
	if (fixed_word(o))
		return true;
	if (o->word.text[0] == '%') {
		o->kind = IS_REG;
		o->slot = special_slot(p, &o->word);
		if (o->slot < 0)
			o->slot = register_slot(p, &o->word);
		return o->slot >= 0;
	}
	symbol = xs_ptx_symbol_find(p, &o->word);
	if (!symbol) {
		o->kind = IS_WORD; /* a label */
	} else if (symbol->kind == XS_PTX_SYMBOL_LOCAL) {
		o->kind = IS_LOCAL;
		o->slot = p->kernel->local_slot;
		o->bits = symbol->value;
	} else {
		o->kind = IS_SYMBOL;
		o->bits = symbol->value;
	}
	return true;
}

/* `[base+offset]` */
static bool read_address(struct reading *r, struct operand *o)
{
	struct operand base = {.slot = -1, .slot2 = -1};
	uint64_t offset;

	*o = (struct operand){.kind = IS_ADDRESS, .slot = -1, .slot2 = -1};
	if (!xs_ptx_take_number(r->p, &o->bits)) {
		if (!xs_ptx_read_word(r, &base) || base.kind == IS_WORD)
			return false;
		o->slot = base.slot;
		o->bits = base.bits;
	}
	if (xs_ptx_take(r->p, "+")) {
		if (!xs_ptx_take_number(r->p, &offset))
			return false;
		o->bits += offset;
	}
	return xs_ptx_take(r->p, "]");
}

static bool read_vector(struct reading *r, struct operand *o)
{
	r->vector_at = r->operand_count;
	do {
		if (r->vector_count == 4 || !xs_ptx_read_word(r, o) ||
		    o->kind != IS_REG)
			return false;
		r->vector[r->vector_count++] = o->slot;
	} while (xs_ptx_take(r->p, ","));
	o->slot = r->vector[0];
	return xs_ptx_take(r->p, "}");
}

bool xs_ptx_read_operand(struct reading *r)
{
	struct xs_ptx_parser *p = r->p;
	struct operand *o = &r->operands[r->operand_count];
	struct operand second = {.slot = -1};
	bool ok;

	if (r->operand_count == XS_PTX_OPERANDS)
		return false;
	*o = (struct operand){.slot = -1, .slot2 = -1};
	o->inverted = xs_ptx_take(p, "!");
	if (xs_ptx_take(p, "[")) {
		ok = read_address(r, o);
	} else if (xs_ptx_take(p, "{")) {
		ok = read_vector(r, o);
	} else if (xs_ptx_take_number(p, &o->bits)) {
		o->kind = IS_BITS;
		ok = true;
	} else {
		ok = p->token.kind == XS_PTX_TOKEN_WORD &&
		     xs_ptx_read_word(r, o);
	}
	if (ok && xs_ptx_take(p, "|")) {
		ok = xs_ptx_read_word(r, &second);
		o->slot2 = second.slot;
	}
	r->operand_count++;
	return ok;
}

int32_t xs_ptx_source(struct reading *r, size_t index, uint8_t bytes)
{
	const struct operand *o = &r->operands[index];

	if (index >= r->operand_count || o->kind >= IS_CLOCK || o->inverted) {
		r->p->kernel->unsupported = true;
		return 0;
	}
	if (o->kind == IS_BITS || o->kind == IS_SYMBOL)
		return xs_ptx_constant_slot(r->p, o->bits, bytes);
	if (r->p->slot_bytes[o->slot] < bytes)
		r->p->kernel->unsupported = true;
	return o->slot;
}

int32_t xs_ptx_destination(struct reading *r)
{
	const struct operand *o = &r->operands[0];

	if (r->operand_count == 0 || o->kind != IS_REG) {
		r->p->kernel->unsupported = true;
		return 0;
	}
	return o->slot;
}
