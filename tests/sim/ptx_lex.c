/* SPDX-License-Identifier: MIT */
/* Tokens of PTX, and helpers of both parsers. */
#include "tests/sim/ptx_parser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' ||
	       c == '.';
}

static const char *skip_blank(const char *at)
{
	for (;;) {
		if (isspace((unsigned char)*at)) {
			at++;
		} else if (at[0] == '/' && at[1] == '/') {
			at += strcspn(at, "\n");
		} else if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			at = end ? end + 2 : at + strlen(at);
		} else {
			return at;
		}
	}
}

void xs_ptx_advance(struct xs_ptx_parser *p)
{
	const char *begin = skip_blank(p->at);
	const char *end = begin + 1;
	enum xs_ptx_token_kind kind = XS_PTX_TOKEN_PUNCT;

	if (*begin == '\0') {
		kind = XS_PTX_TOKEN_END;
		end = begin;
	} else if (*begin == '"') {
		kind = XS_PTX_TOKEN_STRING;
		end += strcspn(end, "\"");
		end += *end == '"';
	} else if (is_word(*begin)) {
		kind = isdigit((unsigned char)*begin) ? XS_PTX_TOKEN_NUMBER
						      : XS_PTX_TOKEN_WORD;
		while (is_word(*end))
			end++;
	}
	p->token = (struct xs_ptx_token){kind, begin, (size_t)(end - begin)};
	p->at = end;
}

bool xs_ptx_is(const struct xs_ptx_token *token, const char *text)
{
	return strlen(text) == token->length &&
	       memcmp(token->text, text, token->length) == 0;
}

bool xs_ptx_same(const struct xs_ptx_token *a, const struct xs_ptx_token *b)
{
	return a->length == b->length &&
	       memcmp(a->text, b->text, a->length) == 0;
}

bool xs_ptx_take(struct xs_ptx_parser *p, const char *text)
{
	if (!xs_ptx_is(&p->token, text))
		return false;
	xs_ptx_advance(p);
	return true;
}

bool xs_ptx_take_number(struct xs_ptx_parser *p, uint64_t *value)
{
	bool negative = xs_ptx_take(p, "-");
	const char *text = p->token.text;

	if (p->token.kind != XS_PTX_TOKEN_NUMBER)
		return false;
	if (text[0] == '0' && strchr("fFdD", text[1]) && text[1])
		*value = strtoull(text + 2, NULL, 16); /* 0f3F800000 */
	else
		*value = strtoull(text, NULL, 0);
	if (negative)
		*value = 0 - *value;
	xs_ptx_advance(p);
	return true;
}

enum xs_ptx_type xs_ptx_type_named(const char *text, size_t length)
{
	static const struct {
		const char *name;
		enum xs_ptx_type type;
	} types[] = {
	    {"u8", XS_PTX_U8},	 {"s8", XS_PTX_S8},   {"b8", XS_PTX_U8},
	    {"u16", XS_PTX_U16}, {"s16", XS_PTX_S16}, {"b16", XS_PTX_U16},
	    {"u32", XS_PTX_U32}, {"s32", XS_PTX_S32}, {"b32", XS_PTX_U32},
	    {"u64", XS_PTX_U64}, {"s64", XS_PTX_S64}, {"b64", XS_PTX_U64},
	    {"f32", XS_PTX_F32}, {"f64", XS_PTX_F64}, {"pred", XS_PTX_PRED},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == length &&
		    memcmp(types[i].name, text, length) == 0)
			return types[i].type;
	return XS_PTX_NONE;
}

uint8_t xs_ptx_type_bytes(enum xs_ptx_type type)
{
	static const uint8_t bytes[XS_PTX_TYPES] = {
	    [XS_PTX_U8] = 1,  [XS_PTX_S8] = 1,	 [XS_PTX_U16] = 2,
	    [XS_PTX_S16] = 2, [XS_PTX_U32] = 4,	 [XS_PTX_S32] = 4,
	    [XS_PTX_U64] = 8, [XS_PTX_S64] = 8,	 [XS_PTX_F32] = 4,
	    [XS_PTX_F64] = 8, [XS_PTX_PRED] = 4,
	};

	return bytes[type];
}

void *xs_ptx_grow(struct xs_ptx_parser *p, void *array, uint32_t count,
		  size_t element_bytes)
{
	void *grown = array;

	if (count == 0)
		grown = calloc(1, element_bytes);
	else if ((count & (count - 1)) == 0)
		grown = realloc(array, 2 * count * element_bytes);
	if (!grown)
		p->no_memory = true;
	return grown;
}

int32_t xs_ptx_new_slot(struct xs_ptx_parser *p, uint8_t bytes)
{
	uint32_t slot = p->kernel->slots;

	if (slot == p->slot_capacity) {
		uint32_t capacity = slot ? slot * 2 : 256;
		uint8_t *grown = realloc(p->slot_bytes, capacity);

		if (!grown) {
			p->no_memory = true;
			return 0;
		}
		p->slot_bytes = grown;
		p->slot_capacity = capacity;
	}
	p->slot_bytes[slot] = bytes;
	p->kernel->slots++;
	return (int32_t)slot;
}

const struct xs_ptx_symbol *xs_ptx_symbol_find(const struct xs_ptx_parser *p,
					       const struct xs_ptx_token *name)
{
	for (uint32_t i = p->symbol_count; i-- > 0;)
		if (xs_ptx_same(&p->symbols[i].name, name))
			return &p->symbols[i];
	return NULL;
}
