/* SPDX-License-Identifier: MIT */
/* What makes two ops the same step of a program, numbered. */
#ifndef XS_IDENTS_H
#define XS_IDENTS_H

#include "analyzer/trace.h"

struct xs_ident {
	uint64_t hash; /* the same in every run of the same program */
	uint32_t site; /* XS_NONE: no call known */
	uint32_t name; /* kernels: string of the name; else 0 */
	uint8_t kind;  /* enum xs_op_kind */
};

struct xs_idents {
	struct xs_ident *items;
	size_t count;
	uint32_t *slots; /* open addressing: index + 1 */
	size_t slot_count;
};

/* The ident of an op; *index into items. 0 or -ENOMEM. */
int xs_idents_find(struct xs_idents *idents, const struct xs_trace *trace,
		   const struct xs_op *op, uint32_t *index);
void xs_idents_free(struct xs_idents *idents);

/* Hashes that depend on nothing but the bytes. */
uint64_t xs_hash_mix(uint64_t hash, uint64_t value);
uint64_t xs_hash_text(uint64_t hash, const char *text);

#endif
