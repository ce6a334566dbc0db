/* SPDX-License-Identifier: MIT */
/* The memory and the call sites that the rounds of a phase use. */
#include "analyzer/rounds/measure.h"

#include "analyzer/rounds/repeated_copies.h"
#include "analyzer/rounds/setup_calls.h"
#include "analyzer/timeline/interval_union.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/hash.h"

#include <stdlib.h>

/* Cache of recent host ranges: loops reuse their buffers. */
#define RECENT 256

struct range {
	uint64_t start, bytes;
};

/* The host ranges of the copies of one direction. */
struct ranges {
	struct xs_key *keys; /* start address; index into items */
	struct range *items;
	size_t count;
	struct range recent[RECENT];
	bool unknown; /* the host address of some copy is unknown */
};

static void add_range(struct ranges *ranges, const struct range *range)
{
	struct range *recent =
	    &ranges->recent[xs_hash_mix(range->start, range->bytes) % RECENT];
	const struct xs_key key = {range->start, (uint32_t)ranges->count};
	size_t count = ranges->count;

	if (recent->start == range->start && recent->bytes == range->bytes)
		return;
	XS_ARRAY_ADD(ranges->keys, count, key);
	XS_ARRAY_ADD(ranges->items, ranges->count, *range);
	*recent = *range;
}

/* Sets *bytes to the bytes of all ranges, each byte once, and *buffers to how
 * many ranges are apart; leaves both if ranges are unknown. */
static void measure_ranges(const struct ranges *ranges, uint64_t *bytes,
			   uint64_t *buffers)
{
	struct xs_interval_union cover = {0, 0};
	uint64_t apart = 0;

	if (ranges->unknown)
		return;
	xs_keys_sort(ranges->keys, ranges->count);
	for (size_t i = 0; i < ranges->count; i++) {
		const struct range *range =
		    &ranges->items[ranges->keys[i].index];

		apart += range->start > cover.end_ns;
		xs_interval_union_add(&cover, range->start,
				      range->start + range->bytes);
	}
	*bytes = cover.total_ns;
	*buffers = apart;
}

/* Fills what is to be pinned of each direction, and of both. Adds the ranges of
 * d2h to those of h2d. */
static void set_buffers(struct xs_phase *phase, struct ranges *h2d,
			const struct ranges *d2h)
{
	phase->h2d_buffer_bytes = phase->h2d_bytes;
	phase->d2h_buffer_bytes = phase->d2h_bytes;
	phase->h2d_buffers = phase->d2h_buffers = 0;
	measure_ranges(h2d, &phase->h2d_buffer_bytes, &phase->h2d_buffers);
	measure_ranges(d2h, &phase->d2h_buffer_bytes, &phase->d2h_buffers);
	for (size_t i = 0; i < d2h->count; i++)
		add_range(h2d, &d2h->items[i]);
	h2d->unknown |= d2h->unknown;
	phase->buffer_bytes = phase->h2d_buffer_bytes + phase->d2h_buffer_bytes;
	phase->buffers = (phase->h2d_buffers ? phase->h2d_buffers : 1) +
			 (phase->d2h_buffers ? phase->d2h_buffers : 1);
	measure_ranges(h2d, &phase->buffer_bytes, &phase->buffers);
}

static void free_ranges(struct ranges *ranges)
{
	free(ranges->keys);
	free(ranges->items);
}

static void add_copy(const struct xs_trace *trace, const struct xs_op *op,
		     struct ranges *ranges)
{
	const struct xs_call *call =
	    op->call == XS_NONE ? NULL : &trace->calls[op->call];
	const uint64_t start = !call		       ? 0
			       : op->kind == XS_OP_H2D ? call->src
						       : call->dst;

	if (!start) {
		ranges->unknown = true;
		return;
	}
	add_range(ranges, &(struct range){start, call->bytes});
}

/* Returns the bytes in pages that the op's call touched first, at most the
 * op's.
 */
static uint64_t touched_bytes(const struct xs_trace *trace,
			      const struct xs_op *op)
{
	size_t first = 0, last = trace->fault_count;
	uint64_t bytes = 0;

	XS_BISECT(first, last, i, trace->faults[i].call < op->call);
	for (; op->call != XS_NONE && first < trace->fault_count &&
	       trace->faults[first].call == op->call;
	     first++)
		bytes += (uint64_t)trace->faults[first].minor *
			 trace->faults[first].page_bytes;
	return bytes < op->bytes ? bytes : op->bytes;
}

/* Merges memory kinds: XS_MEM_UNKNOWN when they differ. */
static void add_memory(uint8_t *all, bool first, uint8_t memory)
{
	if (first)
		*all = memory;
	else if (*all != memory)
		*all = XS_MEM_UNKNOWN;
}

static void measure_buffers(const struct xs_phase_members *m,
			    struct xs_phase *phase)
{
	struct ranges h2d = {0}, d2h = {0};
	bool h2d_seen = false, d2h_seen = false;

	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);
		const uint32_t *ops = m->rounds->ops + round->first_op;
		uint64_t touched = 0;

		for (uint32_t j = 0; j < round->op_count; j++) {
			const struct xs_op *op = &m->trace->ops[ops[j]];

			/* a call may have several ops */
			if (!j || m->trace->ops[ops[j - 1]].call != op->call)
				touched += touched_bytes(m->trace, op);
			if (op->kind == XS_OP_H2D) {
				add_memory(&phase->src_memory, !h2d_seen,
					   op->src_memory);
				h2d_seen = true;
				add_copy(m->trace, op, &h2d);
			} else if (op->kind == XS_OP_D2H) {
				add_memory(&phase->dst_memory, !d2h_seen,
					   op->dst_memory);
				d2h_seen = true;
				add_copy(m->trace, op, &d2h);
			}
		}
		if (!i || touched < phase->touched_bytes)
			phase->touched_bytes = touched;
	}
	set_buffers(phase, &h2d, &d2h);
	free_ranges(&h2d);
	free_ranges(&d2h);
}

static int by_site(const void *a, const void *b)
{
	const struct xs_phase_site *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (int)x->step_kind - (int)y->step_kind;
}

/* Sites without ops come last. */
static int by_bytes(const void *a, const void *b)
{
	const struct xs_phase_site *x = a, *y = b;
	const bool x_last = x->step_kind >= XS_STEP_ALLOCATE,
		   y_last = y->step_kind >= XS_STEP_ALLOCATE;

	if (x_last != y_last)
		return x_last ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return by_site(a, b);
}

static void merge_same(struct xs_repeat_counts *to,
		       const struct xs_repeat_counts *from)
{
	to->compared += from->compared;
	to->same += from->same;
	to->back += from->back;
	to->sampled |= from->sampled;
}

/* Several op identities share a site if one line launches several kernels. */
static void merge_sites(struct xs_phase *phase)
{
	struct xs_phase_site *sites = phase->sites;
	size_t count = 0;

	if (phase->site_count == 0)
		return;
	qsort(sites, phase->site_count, sizeof(*sites), by_site);
	for (size_t i = 0; i < phase->site_count; i++) {
		if (count > 0 && by_site(&sites[count - 1], &sites[i]) == 0) {
			sites[count - 1].calls += sites[i].calls;
			sites[count - 1].bytes += sites[i].bytes;
			merge_same(&sites[count - 1].repeats,
				   &sites[i].repeats);
		} else {
			sites[count++] = sites[i];
		}
	}
	phase->site_count = count;
	qsort(sites, count, sizeof(*sites), by_bytes);
}

/* Returns the phase's row of an op identity; creates it if needed. */
static struct xs_phase_site *site_row(const struct xs_phase_members *m,
				      struct xs_phase *phase, uint32_t identity)
{
	const struct xs_op_identity *what = &m->rounds->table.items[identity];
	const struct xs_phase_site site = {
	    .site = what->site, .step_kind = xs_step_kind_of(what->kind)};

	if (m->row_of_identity[identity] == 0) {
		XS_ARRAY_ADD(phase->sites, phase->site_count, site);
		m->row_of_identity[identity] = (uint32_t)phase->site_count;
	}
	return &phase->sites[m->row_of_identity[identity] - 1];
}

static void add_same(struct xs_repeat_counts *to, uint8_t same)
{
	to->compared += (same & XS_REPEAT_COMPARED) != 0;
	to->same += (same & (XS_REPEAT_COPIED_IN | XS_REPEAT_COPIED_OUT)) != 0;
	to->back += (same & XS_REPEAT_COPIED_OUT) != 0;
	to->sampled |= (same & XS_REPEAT_SAMPLED) != 0;
}

/* Adds a row for each call that allocates, frees, registers or creates;
 * merge_sites() makes them one for each site. */
static void add_setup_calls(const struct xs_phase_members *m,
			    const struct xs_round *round,
			    struct xs_phase *phase)
{
	for (uint32_t i = 0; i < round->call_count; i++) {
		const struct xs_call *call =
		    &m->trace->calls[m->rounds->calls[round->first_call + i]];
		const bool makes = xs_call_makes(call->call_class);

		if (call->error || call->site == XS_NONE ||
		    (!makes && !xs_call_unmakes(call->call_class)))
			continue;
		const struct xs_phase_site site = {
		    .site = call->site,
		    .step_kind = makes ? XS_STEP_ALLOCATE : XS_STEP_FREE,
		    .calls = 1,
		    .bytes = makes ? call->bytes : 0};

		XS_ARRAY_ADD(phase->sites, phase->site_count, site);
	}
}

/* A call with several ops of a kind, which are adjacent, counts once. */
static void measure_sites(const struct xs_phase_members *m,
			  struct xs_phase *phase)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);
		const uint32_t *ops = m->rounds->ops + round->first_op;
		const struct xs_op *last = NULL;

		for (uint32_t j = 0; j < round->op_count; j++) {
			const struct xs_op *op = &m->trace->ops[ops[j]];
			struct xs_phase_site *row;

			if (op->call == XS_NONE)
				continue;
			row = site_row(m, phase, m->rounds->identities[ops[j]]);
			row->calls += !last || op->call != last->call ||
				      op->kind != last->kind;
			row->bytes += op->bytes;
			if (m->rounds->same && op->kind == XS_OP_H2D)
				add_same(&row->repeats,
					 m->rounds->same[op->call]);
			last = op;
		}
	}
	for (size_t i = 0; i < m->count; i++)
		add_setup_calls(m, xs_phase_member(m, i), phase);
}

/* Clears row_of_identity for the next phase. */
static void forget_rows(const struct xs_phase_members *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);

		for (uint32_t j = 0; j < round->op_count; j++)
			m->row_of_identity[xs_round_identity(m->rounds, round,
							     j)] = 0;
	}
}

void xs_phase_sites_measure(const struct xs_phase_members *m,
			    struct xs_phase *phase)
{
	measure_buffers(m, phase);
	measure_sites(m, phase);
	forget_rows(m);
	merge_sites(phase);
}
