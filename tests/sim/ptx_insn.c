/* SPDX-License-Identifier: MIT */
/* One PTX instruction: its mnemonic, its operands as slots. */
#include "tests/sim/ptx_parser.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PARTS    8
#define MAX_OPERANDS 6

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

/* An instruction while it is read. */
struct reading {
	struct xs_ptx_parser *p;
	struct part parts[MAX_PARTS];
	size_t part_count;
	struct operand operands[MAX_OPERANDS];
	size_t operand_count;
	int32_t vector[4]; /* slots of `{a,b}` */
	size_t vector_count;
	size_t vector_at; /* the operand that is a vector */
	struct xs_ptx_insn insn;
};

static bool part_is(const struct part *part, const char *text)
{
	return strlen(text) == part->length &&
	       memcmp(part->text, text, part->length) == 0;
}

static bool has_part(const struct reading *r, const char *text)
{
	for (size_t i = 1; i < r->part_count; i++)
		if (part_is(&r->parts[i], text))
			return true;
	return false;
}

/* The nth type among the mnemonic's parts. */
static enum xs_ptx_type type_part(const struct reading *r, unsigned n)
{
	for (size_t i = 1; i < r->part_count; i++) {
		enum xs_ptx_type type =
		    xs_ptx_type_named(r->parts[i].text, r->parts[i].length);

		if (type != XS_PTX_NONE && n-- == 0)
			return type;
	}
	return XS_PTX_NONE;
}

static void split_mnemonic(struct reading *r)
{
	const struct xs_ptx_token *token = &r->p->token;
	const char *at = token->text, *end = at + token->length;

	while (at < end && r->part_count < MAX_PARTS) {
		const char *dot = memchr(at, '.', (size_t)(end - at));

		if (!dot)
			dot = end;
		r->parts[r->part_count++] =
		    (struct part){at, (size_t)(dot - at)};
		at = dot + 1;
	}
	xs_ptx_advance(r->p);
}

static int32_t constant_slot(struct xs_ptx_parser *p, uint64_t bits,
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

static bool read_word(struct reading *r, struct operand *o)
{
	struct xs_ptx_parser *p = r->p;
	const struct xs_ptx_symbol *symbol;

	o->word = p->token;
	xs_ptx_advance(p);
	if (xs_ptx_is(&o->word, "WARP_SZ")) {
		*o = (struct operand){.kind = IS_BITS, .bits = 32};
		return true;
	}
	if (xs_ptx_is(&o->word, "%clock64")) {
		o->kind = IS_CLOCK;
		return true;
	}
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
		if (!read_word(r, &base) || base.kind == IS_WORD)
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
		if (r->vector_count == 4 || !read_word(r, o) ||
		    o->kind != IS_REG)
			return false;
		r->vector[r->vector_count++] = o->slot;
	} while (xs_ptx_take(r->p, ","));
	o->slot = r->vector[0];
	return xs_ptx_take(r->p, "}");
}

static bool read_operand(struct reading *r)
{
	struct xs_ptx_parser *p = r->p;
	struct operand *o = &r->operands[r->operand_count];
	struct operand second = {.slot = -1};
	bool ok;

	if (r->operand_count == MAX_OPERANDS)
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
		ok = p->token.kind == XS_PTX_TOKEN_WORD && read_word(r, o);
	}
	if (ok && xs_ptx_take(p, "|")) {
		ok = read_word(r, &second);
		o->slot2 = second.slot;
	}
	r->operand_count++;
	return ok;
}

/* The operand as a slot that can be read with this width. */
static int32_t source(struct reading *r, size_t index, uint8_t bytes)
{
	const struct operand *o = &r->operands[index];

	if (index >= r->operand_count || o->kind >= IS_CLOCK || o->inverted) {
		r->p->kernel->unsupported = true;
		return 0;
	}
	if (o->kind == IS_BITS || o->kind == IS_SYMBOL)
		return constant_slot(r->p, o->bits, bytes);
	if (r->p->slot_bytes[o->slot] < bytes)
		r->p->kernel->unsupported = true;
	return o->slot;
}

static int32_t destination(struct reading *r)
{
	const struct operand *o = &r->operands[0];

	if (r->operand_count == 0 || o->kind != IS_REG) {
		r->p->kernel->unsupported = true;
		return 0;
	}
	return o->slot;
}

void xs_ptx_append(struct xs_ptx_parser *p, const struct xs_ptx_insn *insn)
{
	struct xs_ptx_kernel *k = p->kernel;
	struct xs_ptx_insn *grown =
	    xs_ptx_grow(p, k->insns, k->insn_count, sizeof(*k->insns));

	if (!grown)
		return;
	k->insns = grown;
	k->insns[k->insn_count++] = *insn;
}

static void append(struct reading *r)
{
	xs_ptx_append(r->p, &r->insn);
}

static void unsupported(struct reading *r)
{
	r->p->kernel->unsupported = true;
}

/* ld, st: a vector becomes as many instructions. */
static void read_memory(struct reading *r)
{
	struct xs_ptx_parser *p = r->p;
	struct xs_ptx_insn *insn = &r->insn;
	bool store = part_is(&r->parts[0], "st");
	const struct operand *address = &r->operands[store ? 0 : 1];
	size_t value = store ? 1 : 0;
	size_t lanes = r->vector_count ? r->vector_count : 1;
	uint8_t bytes;

	insn->code = store ? XS_PTX_st : XS_PTX_ld;
	insn->type = (uint8_t)type_part(r, 0);
	bytes = xs_ptx_type_bytes(insn->type);
	insn->sub = has_part(r, "param")    ? XS_PTX_PARAM
		    : has_part(r, "shared") ? XS_PTX_SHARED
					    : XS_PTX_GENERIC;
	if (r->operand_count != 2 || address->kind != IS_ADDRESS ||
	    insn->type == XS_PTX_NONE) {
		unsupported(r);
		return;
	}
	insn->src[0] =
	    address->slot < 0 ? constant_slot(p, 0, 8) : address->slot;
	insn->src_bytes = p->slot_bytes[insn->src[0]];
	insn->offset = (int64_t)address->bits;
	for (size_t i = 0; i < lanes; i++) {
		int32_t slot = r->vector_count ? r->vector[i]
			       : store	       ? source(r, value, bytes)
					       : destination(r);

		if (store)
			insn->src[1] = slot;
		else
			insn->dst = slot;
		insn->dst_bytes = p->slot_bytes[slot];
		append(r);
		insn->offset += bytes;
	}
}

static void read_atomic(struct reading *r)
{
	static const struct {
		const char *name;
		enum xs_ptx_atom atom;
	} atoms[] = {
	    {"add", XS_PTX_ATOM_ADD}, {"min", XS_PTX_ATOM_MIN},
	    {"max", XS_PTX_ATOM_MAX}, {"exch", XS_PTX_ATOM_EXCH},
	    {"and", XS_PTX_ATOM_AND}, {"or", XS_PTX_ATOM_OR},
	};
	struct xs_ptx_insn *insn = &r->insn;
	bool keep = part_is(&r->parts[0], "atom");
	size_t at = keep ? 1 : 0;
	bool known = false;

	insn->code = XS_PTX_atom;
	insn->type = (uint8_t)type_part(r, 0);
	insn->to_space = has_part(r, "shared");
	for (size_t i = 0; i < sizeof(atoms) / sizeof(atoms[0]); i++) {
		if (has_part(r, atoms[i].name)) {
			insn->sub = (uint8_t)atoms[i].atom;
			known = true;
		}
	}
	if (!known || r->operand_count != at + 2 ||
	    r->operands[at].kind != IS_ADDRESS) {
		unsupported(r);
		return;
	}
	insn->dst = keep ? destination(r) : -1;
	insn->src[0] = r->operands[at].slot < 0 ? constant_slot(r->p, 0, 8)
						: r->operands[at].slot;
	insn->src_bytes = r->p->slot_bytes[insn->src[0]];
	insn->offset = (int64_t)r->operands[at].bits;
	insn->src[1] = source(r, at + 1, xs_ptx_type_bytes(insn->type));
	append(r);
}

static void read_branch(struct reading *r)
{
	struct xs_ptx_parser *p = r->p;
	struct xs_ptx_label *grown =
	    xs_ptx_grow(p, p->branches, p->branch_count, sizeof(*grown));

	if (!grown)
		return;
	p->branches = grown;
	grown[p->branch_count++] =
	    (struct xs_ptx_label){r->operands[0].word, p->kernel->insn_count};
	r->insn.code = XS_PTX_bra;
	append(r);
}

static void read_compare(struct reading *r)
{
	static const struct {
		const char *name;
		enum xs_ptx_compare compare;
	} compares[] = {
	    {"eq", XS_PTX_EQ},	 {"ne", XS_PTX_NE},   {"lt", XS_PTX_LT},
	    {"le", XS_PTX_LE},	 {"gt", XS_PTX_GT},   {"ge", XS_PTX_GE},
	    {"lo", XS_PTX_LT},	 {"ls", XS_PTX_LE},   {"hi", XS_PTX_GT},
	    {"hs", XS_PTX_GE},	 {"equ", XS_PTX_EQU}, {"neu", XS_PTX_NEU},
	    {"ltu", XS_PTX_LTU}, {"leu", XS_PTX_LEU}, {"gtu", XS_PTX_GTU},
	    {"geu", XS_PTX_GEU}, {"num", XS_PTX_NUM}, {"nan", XS_PTX_NAN},
	};
	struct xs_ptx_insn *insn = &r->insn;
	uint8_t bytes;
	bool known = false;

	insn->code = XS_PTX_setp;
	insn->type = (uint8_t)type_part(r, 0);
	bytes = xs_ptx_type_bytes(insn->type);
	for (size_t i = 0; i < sizeof(compares) / sizeof(compares[0]); i++) {
		if (part_is(&r->parts[1], compares[i].name)) {
			insn->sub = (uint8_t)compares[i].compare;
			known = true;
		}
	}
	insn->dst = destination(r);
	insn->dst2 = r->operands[0].slot2;
	insn->src[0] = source(r, 1, bytes);
	insn->src[1] = source(r, 2, bytes);
	if (r->operand_count == 4) {
		insn->join = has_part(r, "and")	 ? XS_PTX_JOIN_AND
			     : has_part(r, "or") ? XS_PTX_JOIN_OR
						 : XS_PTX_JOIN_XOR;
		insn->src[2] = source(r, 3, 4);
	}
	if (!known || insn->type == XS_PTX_NONE)
		unsupported(r);
	append(r);
}

static void read_convert(struct reading *r)
{
	struct xs_ptx_insn *insn = &r->insn;

	insn->code = XS_PTX_cvt;
	insn->to = (uint8_t)type_part(r, 0);
	insn->type = (uint8_t)type_part(r, 1);
	insn->sub = has_part(r, "rni")	 ? XS_PTX_RNI
		    : has_part(r, "rzi") ? XS_PTX_RZI
		    : has_part(r, "rmi") ? XS_PTX_RMI
		    : has_part(r, "rpi") ? XS_PTX_RPI
					 : XS_PTX_ROUND_NONE;
	insn->dst = destination(r);
	insn->dst_bytes = r->p->slot_bytes[insn->dst];
	insn->src[0] = source(r, 1, xs_ptx_type_bytes(insn->type));
	insn->src_bytes = r->p->slot_bytes[insn->src[0]];
	if (insn->to == XS_PTX_NONE || insn->type == XS_PTX_NONE ||
	    has_part(r, "sat"))
		unsupported(r);
	append(r);
}

static void read_plain(struct reading *r, enum xs_ptx_code code)
{
	r->insn.code = (uint8_t)code;
	append(r);
}

/* mov of a local array's address is an addition. */
static void read_move(struct reading *r)
{
	struct xs_ptx_insn *insn = &r->insn;
	const struct operand *from = &r->operands[1];

	insn->code = XS_PTX_mov;
	insn->type = (uint8_t)type_part(r, 0);
	insn->dst = destination(r);
	if (from->kind == IS_CLOCK && r->operand_count == 2) {
		read_plain(r, XS_PTX_clock);
		return;
	}
	insn->src[0] = source(r, 1, xs_ptx_type_bytes(insn->type));
	if (from->kind == IS_LOCAL && from->bits) {
		insn->code = XS_PTX_add;
		insn->src[1] = constant_slot(r->p, from->bits, 8);
	}
	if (insn->type == XS_PTX_NONE || r->vector_count)
		unsupported(r);
	append(r);
}

static void read_cvta(struct reading *r)
{
	struct xs_ptx_insn *insn = &r->insn;

	insn->code = XS_PTX_cvta;
	insn->sub = has_part(r, "shared") ? XS_PTX_SHARED : XS_PTX_GENERIC;
	insn->to_space = has_part(r, "to");
	insn->dst = destination(r);
	insn->src[0] = source(r, 1, 8);
	append(r);
}

static const struct {
	const char *name;
	uint8_t code, sources;
} alu[] = {
#define ALU_ROW(name, sources) {#name, XS_PTX_##name, sources},
    XS_PTX_ALU(ALU_ROW)
#undef ALU_ROW
};

/* mul.lo, mul.hi and mul.wide are three instructions here. */
static uint8_t alu_code(const struct reading *r, uint8_t code)
{
	bool mad = code == XS_PTX_mad;

	if (code != XS_PTX_mul && !mad)
		return code;
	if (has_part(r, "wide"))
		return mad ? XS_PTX_madwide : XS_PTX_mulwide;
	if (has_part(r, "hi"))
		return mad ? XS_PTX_madhi : XS_PTX_mulhi;
	if (mad && type_part(r, 0) >= XS_PTX_F32)
		return XS_PTX_fma;
	return code;
}

static void read_alu(struct reading *r, uint8_t code, uint8_t sources)
{
	struct xs_ptx_insn *insn = &r->insn;
	uint8_t bytes;

	insn->code = alu_code(r, code);
	insn->type = (uint8_t)type_part(r, 0);
	bytes = xs_ptx_type_bytes(insn->type);
	insn->dst = destination(r);
	for (uint8_t i = 0; i < sources; i++) {
		uint8_t width = bytes;

		if ((code == XS_PTX_shl || code == XS_PTX_shr) && i == 1)
			width = 4;
		if (code == XS_PTX_selp && i == 2)
			width = 4;
		if (insn->code == XS_PTX_madwide && i == 2)
			width = (uint8_t)(2 * bytes);
		insn->src[i] = source(r, i + 1u, width);
	}
	if (insn->type == XS_PTX_NONE || r->vector_count ||
	    r->operand_count != sources + 1u || has_part(r, "sat") ||
	    has_part(r, "cc"))
		unsupported(r);
	append(r);
}

static void dispatch(struct reading *r)
{
	const struct part *name = &r->parts[0];

	if (part_is(name, "ld") || part_is(name, "ldu") || part_is(name, "st"))
		read_memory(r);
	else if (part_is(name, "atom") || part_is(name, "red"))
		read_atomic(r);
	else if (part_is(name, "bra"))
		read_branch(r);
	else if (part_is(name, "setp"))
		read_compare(r);
	else if (part_is(name, "cvt"))
		read_convert(r);
	else if (part_is(name, "cvta"))
		read_cvta(r);
	else if (part_is(name, "mov"))
		read_move(r);
	else if (part_is(name, "ret") || part_is(name, "exit"))
		read_plain(r, XS_PTX_ret);
	else if (part_is(name, "bar") || part_is(name, "barrier")) {
		if (has_part(r, "red") || has_part(r, "arrive"))
			unsupported(r);
		else if (!has_part(r, "warp"))
			read_plain(r, XS_PTX_bar);
	} else if (!part_is(name, "membar") && !part_is(name, "fence")) {
		for (size_t i = 0; i < sizeof(alu) / sizeof(alu[0]); i++) {
			if (part_is(name, alu[i].name)) {
				read_alu(r, alu[i].code, alu[i].sources);
				return;
			}
		}
		unsupported(r);
	}
}

void xs_ptx_instruction(struct xs_ptx_parser *p)
{
	struct reading r = {.p = p};
	struct operand guard = {.slot = -1};
	bool ok = true;

	r.insn.guard = r.insn.dst = r.insn.dst2 = -1;
	if (xs_ptx_take(p, "@")) {
		r.insn.negate = xs_ptx_take(p, "!");
		ok = read_word(&r, &guard) && guard.kind == IS_REG;
		r.insn.guard = guard.slot;
	}
	split_mnemonic(&r);
	while (ok && p->token.kind != XS_PTX_TOKEN_END &&
	       !xs_ptx_is(&p->token, ";")) {
		ok = read_operand(&r);
		if (ok && !xs_ptx_take(p, ","))
			break;
	}
	if (ok && xs_ptx_is(&p->token, ";"))
		dispatch(&r);
	else
		unsupported(&r);
	while (p->token.kind != XS_PTX_TOKEN_END && !xs_ptx_take(p, ";"))
		xs_ptx_advance(p);
}
