/* SPDX-License-Identifier: MIT */
/* PTX modules: variables, kernels, and what kernels declare. */
#include "tests/sim/ptx_parser.h"

#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

static char *copy_name(struct xs_ptx_parser *p,
		       const struct xs_ptx_token *token)
{
	char *name = strndup(token->text, token->length);

	if (!name)
		p->no_memory = true;
	return name;
}

static void add_symbol(struct xs_ptx_parser *p, struct xs_ptx_token name,
		       enum xs_ptx_symbol_kind kind, uint64_t value)
{
	struct xs_ptx_symbol *grown =
	    xs_ptx_grow(p, p->symbols, p->symbol_count, sizeof(*p->symbols));

	if (!grown)
		return;
	p->symbols = grown;
	p->symbols[p->symbol_count++] =
	    (struct xs_ptx_symbol){name, kind, value};
}

/* A variable as declared: `.align 8 .b8 name[16]`. */
struct variable {
	struct xs_ptx_token name;
	uint64_t alignment, bytes, element_bytes;
};

static bool parse_variable(struct xs_ptx_parser *p, struct variable *v)
{
	enum xs_ptx_type type = XS_PTX_NONE;
	uint64_t count, pointee;
	bool pointer = false;

	*v = (struct variable){.alignment = 0};
	while (p->token.kind == XS_PTX_TOKEN_WORD && p->token.text[0] == '.') {
		if (xs_ptx_take(p, ".align")) {
			if (!xs_ptx_take_number(p, pointer ? &pointee
							   : &v->alignment))
				return false;
			continue;
		}
		if (type == XS_PTX_NONE)
			type = xs_ptx_type_named(p->token.text + 1,
						 p->token.length - 1);
		pointer = pointer || xs_ptx_is(&p->token, ".ptr");
		xs_ptx_advance(p); /* also .global after .ptr, ... */
	}
	if (type == XS_PTX_NONE || p->token.kind != XS_PTX_TOKEN_WORD)
		return false;
	v->name = p->token;
	v->element_bytes = v->bytes = xs_ptx_type_bytes(type);
	xs_ptx_advance(p);
	while (xs_ptx_take(p, "[")) {
		if (!xs_ptx_take_number(p, &count))
			count = 0; /* extern: sized by the launch */
		v->bytes *= count;
		xs_ptx_take(p, "]");
	}
	if (v->alignment == 0)
		v->alignment = v->element_bytes;
	return true;
}

static void skip_past(struct xs_ptx_parser *p, const char *text)
{
	while (p->token.kind != XS_PTX_TOKEN_END && !xs_ptx_take(p, text))
		xs_ptx_advance(p);
}

/* The token is the opening brace. */
static void skip_braces(struct xs_ptx_parser *p)
{
	int depth = 0;

	do {
		depth += xs_ptx_is(&p->token, "{");
		depth -= xs_ptx_is(&p->token, "}");
		xs_ptx_advance(p);
	} while (depth > 0 && p->token.kind != XS_PTX_TOKEN_END);
}

/* .loc and .file end with their line and not with a semicolon. */
static void skip_line(struct xs_ptx_parser *p)
{
	p->at = p->token.text + strcspn(p->token.text, "\n");
	xs_ptx_advance(p);
}

static void parse_initializer(struct xs_ptx_parser *p, const struct variable *v,
			      char *address)
{
	uint64_t value, offset = 0;

	xs_ptx_take(p, "{");
	while (xs_ptx_take_number(p, &value)) {
		if (offset + v->element_bytes <= v->bytes)
			memcpy(address + offset, &value, v->element_bytes);
		offset += v->element_bytes;
		xs_ptx_take(p, ",");
	}
}

static void parse_global(struct xs_ptx_parser *p)
{
	struct xs_ptx_program *program = p->program;
	struct xs_ptx_global *grown;
	struct variable v;
	void *address = NULL;

	if (!parse_variable(p, &v)) {
		skip_past(p, ";");
		return;
	}
	if (posix_memalign(&address, v.alignment < 16 ? 16 : v.alignment,
			   v.bytes ? v.bytes : 1)) {
		p->no_memory = true;
		return;
	}
	memset(address, 0, v.bytes);
	if (xs_ptx_take(p, "="))
		parse_initializer(p, &v, address);
	skip_past(p, ";");
	grown = xs_ptx_grow(p, program->globals, program->global_count,
			    sizeof(*grown));
	if (!grown) {
		free(address);
		return;
	}
	program->globals = grown;
	grown[program->global_count++] =
	    (struct xs_ptx_global){copy_name(p, &v.name), address, v.bytes};
	add_symbol(p, v.name, XS_PTX_SYMBOL_GLOBAL, (uintptr_t)address);
}

/* Static arrays from 0 on, the one sized by the launch after all of them. */
static void parse_shared(struct xs_ptx_parser *p, uint32_t *shared_bytes)
{
	struct variable v;

	if (parse_variable(p, &v)) {
		uint64_t offset = align_up(*shared_bytes, v.alignment);

		if (v.bytes == 0)
			offset = XS_PTX_DYNAMIC_SHARED;
		else
			*shared_bytes = (uint32_t)(offset + v.bytes);
		add_symbol(p, v.name, XS_PTX_SYMBOL_SHARED, offset);
	}
	skip_past(p, ";");
}

static void parse_local(struct xs_ptx_parser *p)
{
	struct xs_ptx_kernel *k = p->kernel;
	struct variable v;

	if (parse_variable(p, &v)) {
		uint64_t offset = align_up(k->local_bytes, v.alignment);

		if (k->local_slot < 0)
			k->local_slot = xs_ptx_new_slot(p, 8);
		k->local_bytes = (uint32_t)(offset + v.bytes);
		add_symbol(p, v.name, XS_PTX_SYMBOL_LOCAL, offset);
	}
	skip_past(p, ";");
}

static void parse_params(struct xs_ptx_parser *p)
{
	struct xs_ptx_kernel *k = p->kernel;
	struct variable v;

	while (xs_ptx_take(p, ".param") && parse_variable(p, &v)) {
		uint64_t offset = align_up(k->param_bytes, v.alignment);
		struct xs_ptx_param *grown = xs_ptx_grow(
		    p, k->params, k->param_count, sizeof(*k->params));

		if (!grown)
			return;
		k->params = grown;
		grown[k->param_count++] =
		    (struct xs_ptx_param){(uint32_t)offset, (uint32_t)v.bytes};
		k->param_bytes = (uint32_t)(offset + v.bytes);
		add_symbol(p, v.name, XS_PTX_SYMBOL_PARAM, offset);
		xs_ptx_take(p, ",");
	}
	skip_past(p, ")");
}

/* `.reg .b32 %r<7>;` or `.reg .b64 %SP;` */
static void parse_regs(struct xs_ptx_parser *p)
{
	enum xs_ptx_type type =
	    xs_ptx_type_named(p->token.text + 1, p->token.length - 1);
	struct xs_ptx_regs regs = {.bytes = xs_ptx_type_bytes(type)};
	struct xs_ptx_regs *grown;
	uint64_t count = 0;

	xs_ptx_advance(p);
	regs.prefix = p->token;
	xs_ptx_advance(p);
	if (xs_ptx_take(p, "<"))
		xs_ptx_take_number(p, &count);
	skip_past(p, ";");
	if (regs.bytes == 0 || count > 65536) {
		p->kernel->unsupported = true;
		return;
	}
	regs.count = (uint32_t)count;
	regs.base = p->kernel->slots;
	for (uint64_t i = 0; i < (count ? count : 1); i++)
		xs_ptx_new_slot(p, regs.bytes);
	if (type != XS_PTX_PRED)
		p->kernel->registers += regs.count * (regs.bytes > 4 ? 2 : 1);
	grown = xs_ptx_grow(p, p->regs, p->regs_count, sizeof(*p->regs));
	if (!grown)
		return;
	p->regs = grown;
	p->regs[p->regs_count++] = regs;
}

static void resolve_branches(struct xs_ptx_parser *p)
{
	for (uint32_t i = 0; i < p->branch_count; i++) {
		bool found = false;

		for (uint32_t j = 0; j < p->label_count && !found; j++) {
			found = xs_ptx_same(&p->labels[j].name,
					    &p->branches[i].name);
			if (found)
				p->kernel->insns[p->branches[i].insn].target =
				    p->labels[j].insn;
		}
		if (!found)
			p->kernel->unsupported = true;
	}
}

static void add_label(struct xs_ptx_parser *p, struct xs_ptx_token name)
{
	struct xs_ptx_label *grown =
	    xs_ptx_grow(p, p->labels, p->label_count, sizeof(*p->labels));

	if (!grown)
		return;
	p->labels = grown;
	p->labels[p->label_count++] =
	    (struct xs_ptx_label){name, p->kernel->insn_count};
}

static void parse_statement(struct xs_ptx_parser *p)
{
	struct xs_ptx_parser before;

	if (xs_ptx_take(p, ".reg")) {
		parse_regs(p);
	} else if (xs_ptx_take(p, ".shared")) {
		parse_shared(p, &p->kernel->shared_bytes);
	} else if (xs_ptx_take(p, ".local")) {
		parse_local(p);
	} else if (xs_ptx_is(&p->token, ".loc")) {
		skip_line(p);
	} else if (p->token.text[0] == '.') {
		skip_past(p, ";"); /* .pragma */
	} else {
		before = *p;
		xs_ptx_advance(p);
		if (xs_ptx_take(p, ":")) {
			add_label(p, before.token);
		} else {
			*p = before;
			xs_ptx_instruction(p);
		}
	}
}

static void parse_body(struct xs_ptx_parser *p)
{
	int depth = 0;

	do {
		if (xs_ptx_take(p, "{"))
			depth++;
		else if (xs_ptx_take(p, "}"))
			depth--;
		else
			parse_statement(p);
	} while (depth > 0 && !p->no_memory &&
		 p->token.kind != XS_PTX_TOKEN_END);
}

static void parse_entry(struct xs_ptx_parser *p, uint32_t module_shared)
{
	struct xs_ptx_program *program = p->program;
	struct xs_ptx_kernel *grown =
	    xs_ptx_grow(p, program->kernels, program->kernel_count,
			sizeof(*program->kernels));

	if (!grown)
		return;
	program->kernels = grown;
	p->kernel = &grown[program->kernel_count++];
	*p->kernel = (struct xs_ptx_kernel){.name = copy_name(p, &p->token),
					    .shared_bytes = module_shared,
					    .local_slot = -1};
	memset(p->kernel->special, -1, sizeof(p->kernel->special));
	p->module_symbols = p->symbol_count;
	p->regs_count = p->label_count = p->branch_count = 0;
	free(p->regs);
	free(p->labels);
	free(p->branches);
	p->regs = NULL;
	p->labels = p->branches = NULL;

	xs_ptx_advance(p);
	if (xs_ptx_take(p, "("))
		parse_params(p);
	while (p->token.kind != XS_PTX_TOKEN_END && !xs_ptx_is(&p->token, "{"))
		xs_ptx_advance(p); /* .maxntid and the like */
	parse_body(p);
	xs_ptx_append(p,
		      &(struct xs_ptx_insn){.code = XS_PTX_ret, .guard = -1});
	resolve_branches(p);
	p->symbol_count = p->module_symbols;
}

/* A device function that was not inlined: its callers cannot run. */
static void skip_function(struct xs_ptx_parser *p)
{
	while (p->token.kind != XS_PTX_TOKEN_END &&
	       !xs_ptx_is(&p->token, "{") && !xs_ptx_is(&p->token, ";"))
		xs_ptx_advance(p);
	if (xs_ptx_is(&p->token, "{"))
		skip_braces(p);
	else
		xs_ptx_advance(p);
}

static void parse_module(struct xs_ptx_parser *p)
{
	uint32_t shared_bytes = 0;

	while (p->token.kind != XS_PTX_TOKEN_END && !p->no_memory) {
		if (xs_ptx_take(p, ".entry"))
			parse_entry(p, shared_bytes);
		else if (xs_ptx_take(p, ".func"))
			skip_function(p);
		else if (xs_ptx_take(p, ".global") || xs_ptx_take(p, ".const"))
			parse_global(p);
		else if (xs_ptx_take(p, ".shared"))
			parse_shared(p, &shared_bytes);
		else if (xs_ptx_is(&p->token, ".file"))
			skip_line(p);
		else if (xs_ptx_is(&p->token, "{"))
			skip_braces(p);
		else
			xs_ptx_advance(p); /* .version, .visible, ... */
	}
}

struct xs_ptx_program *xs_ptx_parse(const char *text)
{
	struct xs_ptx_parser parser = {.at = text};

	parser.program = calloc(1, sizeof(*parser.program));
	if (!parser.program)
		return NULL;
	xs_ptx_advance(&parser);
	parse_module(&parser);
	free(parser.symbols);
	free(parser.regs);
	free(parser.labels);
	free(parser.branches);
	free(parser.slot_bytes);
	if (parser.no_memory) {
		xs_ptx_free(parser.program);
		return NULL;
	}
	return parser.program;
}

void xs_ptx_free(struct xs_ptx_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		free(program->kernels[i].name);
		free(program->kernels[i].insns);
		free(program->kernels[i].constants);
		free(program->kernels[i].params);
	}
	for (uint32_t i = 0; i < program->global_count; i++) {
		free(program->globals[i].name);
		free(program->globals[i].address);
	}
	free(program->kernels);
	free(program->globals);
	free(program);
}
