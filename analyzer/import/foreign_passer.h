/* SPDX-License-Identifier: MIT */
/* The state of xs_foreign_pass(), for its parts. */
#ifndef XS_ANALYZER_IMPORT_FOREIGN_PASSER_H
#define XS_ANALYZER_IMPORT_FOREIGN_PASSER_H

#include "analyzer/import/foreign.h"

/* A chunk ends after so many bytes, long before its size's 32 bits. */
#define XS_FOREIGN_CHUNK_BYTES (1u << 20)

struct xs_foreign_passer {
	const struct xs_foreign *foreign;
	const struct xs_trace_visitor *visitor;
	uint64_t at, chunk_at; /* offsets in a file of these records */
	uint64_t base_ns;
	uint32_t thread;
	int rc; /* of the first record that the visitor refused */
};

void xs_foreign_begin_chunk(struct xs_foreign_passer *passer);

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

#endif
