/* SPDX-License-Identifier: MIT */
/* What makes two ops the same step of a program, numbered. */
#ifndef XS_ANALYZER_SYMBOLS_OP_IDENTITY_H
#define XS_ANALYZER_SYMBOLS_OP_IDENTITY_H

#include "analyzer/read/trace.h"

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

#endif
