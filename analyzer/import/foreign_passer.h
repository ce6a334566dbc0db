/* SPDX-License-Identifier: MIT */
/* The state of xs_foreign_pass(), for its parts. */
#pragma once

#include "analyzer/import/foreign.h"

struct xs_foreign_passer {
	const struct xs_foreign *foreign;
	const struct xs_trace_visitor *visitor;
	uint64_t at, chunk_at; /* offsets in a file of these records */
	uint64_t base_ns;
	uint32_t thread;
	int rc; /* of the first record that the visitor refused */
};

/* record: 4-aligned, with its kind; bytes: a multiple of 4. */
void xs_foreign_pass_record(struct xs_foreign_passer *passer, void *record,
			    xs_u8 kind, size_t bytes);

#define PASS(passer, name, record)                                             \
	xs_foreign_pass_record(passer, record, XS_REC_##name,                  \
			       sizeof(struct xs_rec_##name))

/* Passes a record whose text fills its rest. fixed: its other fields. */
void xs_foreign_pass_text(struct xs_foreign_passer *passer, const void *fixed,
			  xs_u8 kind, size_t fixed_bytes, const char *text,
			  size_t length);

/* Passes strings, infos, devices, modules, sites, queues and shapes. */
void xs_foreign_pass_tables(struct xs_foreign_passer *passer);
