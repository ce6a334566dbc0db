/* SPDX-License-Identifier: MIT */
/* Parses PTX instructions: the mnemonic determines the use of the operands. */
#include "tests/sim/ptx_reading.h"

#include <string.h>

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

	while (at < end && r->part_count < XS_PTX_PARTS) {
		const char *dot = memchr(at, '.', (size_t)(end - at));

		if (!dot)
			dot = end;
		r->parts[r->part_count++] =
		    (struct part){at, (size_t)(dot - at)};
		at = dot + 1;
	}
	xs_ptx_advance(r->p);
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

/* ld, st: a vector becomes one instruction per element. */
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
	insn->polls = !store && has_part(r, "volatile");
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
	    address->slot < 0 ? xs_ptx_constant_slot(p, 0, 8) : address->slot;
	insn->src_bytes = p->slot_bytes[insn->src[0]];
	insn->offset = (int64_t)address->bits;
	for (size_t i = 0; i < lanes; i++) {
		int32_t slot = r->vector_count ? r->vector[i]
			       : store	       ? xs_ptx_source(r, value, bytes)
					       : xs_ptx_destination(r);

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
	insn->dst = keep ? xs_ptx_destination(r) : -1;
	insn->src[0] = r->operands[at].slot < 0
			   ? xs_ptx_constant_slot(r->p, 0, 8)
			   : r->operands[at].slot;
	insn->src_bytes = r->p->slot_bytes[insn->src[0]];
	insn->offset = (int64_t)r->operands[at].bits;
	insn->src[1] = xs_ptx_source(r, at + 1, xs_ptx_type_bytes(insn->type));
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
	insn->dst = xs_ptx_destination(r);
	insn->dst2 = r->operands[0].slot2;
	insn->src[0] = xs_ptx_source(r, 1, bytes);
	insn->src[1] = xs_ptx_source(r, 2, bytes);
	if (r->operand_count == 4) {
		insn->join = has_part(r, "and")	 ? XS_PTX_JOIN_AND
			     : has_part(r, "or") ? XS_PTX_JOIN_OR
						 : XS_PTX_JOIN_XOR;
		insn->src[2] = xs_ptx_source(r, 3, 4);
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
	insn->dst = xs_ptx_destination(r);
	insn->dst_bytes = r->p->slot_bytes[insn->dst];
	insn->src[0] = xs_ptx_source(r, 1, xs_ptx_type_bytes(insn->type));
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
	insn->dst = xs_ptx_destination(r);
	if (from->kind == IS_CLOCK && r->operand_count == 2) {
		insn->offset = (int64_t)from->bits;
		read_plain(r, XS_PTX_clock);
		return;
	}
	insn->src[0] = xs_ptx_source(r, 1, xs_ptx_type_bytes(insn->type));
	if (from->kind == IS_LOCAL && from->bits) {
		insn->code = XS_PTX_add;
		insn->src[1] = xs_ptx_constant_slot(r->p, from->bits, 8);
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
	insn->dst = xs_ptx_destination(r);
	insn->src[0] = xs_ptx_source(r, 1, 8);
	append(r);
}

/* The member mask has no use: the lanes that run are its members. */
static void read_shuffle(struct reading *r)
{
	struct xs_ptx_insn *insn = &r->insn;

	insn->code = XS_PTX_shfl;
	insn->dst = xs_ptx_destination(r);
	insn->dst2 = r->operands[0].slot2;
	for (uint8_t i = 0; i < 3; i++)
		insn->src[i] = xs_ptx_source(r, i + 1u, 4);
	if (r->operand_count != 5 || !has_part(r, "down"))
		unsupported(r);
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
	insn->dst = xs_ptx_destination(r);
	for (uint8_t i = 0; i < sources; i++) {
		uint8_t width = bytes;

		if ((code == XS_PTX_shl || code == XS_PTX_shr) && i == 1)
			width = 4;
		if (code == XS_PTX_selp && i == 2)
			width = 4;
		if (insn->code == XS_PTX_madwide && i == 2)
			width = (uint8_t)(2 * bytes);
		insn->src[i] = xs_ptx_source(r, i + 1u, width);
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
	else if (part_is(name, "shfl"))
		read_shuffle(r);
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
		ok = xs_ptx_read_word(&r, &guard) && guard.kind == IS_REG;
		r.insn.guard = guard.slot;
	}
	split_mnemonic(&r);
	while (ok && p->token.kind != XS_PTX_TOKEN_END &&
	       !xs_ptx_is(&p->token, ";")) {
		ok = xs_ptx_read_operand(&r);
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
