/* SPDX-License-Identifier: MIT */
#include "analyzer/import/foreign_passer.h"

#include <string.h>

/* A chunk ends after so many bytes, long before its size's 32 bits. */
#define CHUNK_BYTES (1u << 20)

void xs_foreign_begin_chunk(struct xs_foreign_passer *p)
{
	const struct xs_chunk_header chunk = {.magic = XS_CHUNK_MAGIC,
					      .thread = p->thread,
					      .base_ns = p->base_ns};

	p->at = (p->at + XS_PAGE_BYTES - 1) / XS_PAGE_BYTES * XS_PAGE_BYTES;
	p->chunk_at = p->at;
	p->at += sizeof(chunk);
	p->visitor->chunk(p->visitor->self, p->chunk_at, &chunk);
}

void xs_foreign_pass_record(struct xs_foreign_passer *p, void *record,
			    xs_u8 kind, size_t bytes)
{
	xs_u8 *head = record;

	if (p->at - p->chunk_at > CHUNK_BYTES)
		xs_foreign_begin_chunk(p);
	head[0] = kind;
	head[1] = (xs_u8)(bytes / 4);
	p->visitor->record(p->visitor->self, p->at, record);
	p->at += bytes;
}

void xs_foreign_pass_text(struct xs_foreign_passer *p, const void *fixed,
			  xs_u8 kind, size_t fixed_bytes, const char *text,
			  size_t length)
{
	_Alignas(8) xs_u8 record[XS_RECORD_MAX_BYTES + 4] = {0};
	const size_t room = XS_RECORD_MAX_BYTES - fixed_bytes;

	length = length < room ? length : room;
	memcpy(record, fixed, fixed_bytes);
	memcpy(record + fixed_bytes, text, length);
	xs_foreign_pass_record(p, record, kind,
			       (fixed_bytes + length + 3) / 4 * 4);
}

void xs_foreign_begin_timed(struct xs_foreign_passer *p,
			    struct xs_rec_call *head, uint64_t start_ns,
			    uint64_t end_ns, uint32_t site)
{
	const uint64_t duration_ns = end_ns > start_ns ? end_ns - start_ns : 0;
	struct xs_rec_wide wide = {.site = site, .duration_ns = duration_ns};

	start_ns += p->foreign->base_ns;
	/* a new chunk begins before, not between these records */
	if (p->at - p->chunk_at > CHUNK_BYTES - 1024)
		xs_foreign_begin_chunk(p);
	if (start_ns < p->base_ns || start_ns - p->base_ns > UINT32_MAX) {
		struct xs_rec_time time = {.base_ns = start_ns};

		p->base_ns = start_ns;
		PASS(p, time, &time);
	}
	head->start = (xs_u32)(start_ns - p->base_ns);
	head->duration =
	    duration_ns < XS_WIDE32 ? (xs_u32)duration_ns : XS_WIDE32;
	if (site)
		head->site = site < XS_WIDE16 ? (xs_u16)site : XS_WIDE16;
	if (duration_ns >= XS_WIDE32 || site >= XS_WIDE16)
		PASS(p, wide, &wide);
}
