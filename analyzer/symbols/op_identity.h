/* SPDX-License-Identifier: MIT */
/* Numbers the identities of ops. Two ops with the same identity (call site,
 * kind, kernel name) are the same step of the program. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/util/distinct.h"

struct xs_op_identity {
	uint64_t hash; /* equal in every run of the same program */
	uint32_t site; /* XS_NONE: unknown call */
	uint32_t name; /* kernels: index of the name's string; else 0 */
	uint8_t kind;  /* enum xs_op_kind */
};

struct xs_op_identities {
	struct xs_op_identity *items;
	size_t count;
	struct xs_distinct keys; /* site, name and kind of each item */
};

/* Finds the identity of an op, or creates it. *index is into items. */
void xs_op_identities_find(struct xs_op_identities *identities,
			   const struct xs_trace *trace, const struct xs_op *op,
			   uint32_t *index);
void xs_op_identities_free(struct xs_op_identities *identities);
