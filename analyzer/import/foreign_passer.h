/* SPDX-License-Identifier: MIT */
/* Writes the records of another tool's trace, for the parts of
 * xs_foreign_pass(). */
#pragma once

#include "analyzer/import/foreign.h"

struct xs_foreign_passer {
	const struct xs_foreign *foreign;
	const struct xs_trace_visitor *visitor;
	uint64_t at, chunk_at; /* offsets in a file of these records */
	uint64_t base_ns;
	uint32_t thread;
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

/* Fills the fields that all calls and ops begin with; passes what must come
 * before such a record. site: that of a call; 0 for ops. */
void xs_foreign_begin_timed(struct xs_foreign_passer *passer,
			    struct xs_rec_call *head, uint64_t start_ns,
			    uint64_t end_ns, uint32_t site);

/* Passes strings, infos, devices, modules, sites, queues and shapes. */
void xs_foreign_pass_tables(struct xs_foreign_passer *passer);
