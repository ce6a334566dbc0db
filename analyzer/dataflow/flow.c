/* SPDX-License-Identifier: MIT */
/*
 * The ends of all accesses cut the memory into segments. Each segment has its
 * last writer and the ops that read it since then.
 */
#include "analyzer/dataflow/flow.h"

#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_STEPS 100000000u
#define MOST_EDGES 4000000u

struct segment {
	uint32_t writer;  /* XS_FLOW_NONE: none */
	uint32_t readers; /* index into reads, XS_FLOW_NONE: none */
};

struct read {
	uint32_t op, next;
};

/* The edge from an op to the current one. */
struct mark {
	uint32_t to;
	size_t edge;
};

struct builder {
	const struct xs_flow_program *program;
	struct xs_flow *flow;
	uint64_t *cuts; /* sorted, each once */
	size_t cut_count;
	struct segment *segments; /* segment i is from cut i to cut i + 1 */
	struct read *reads;
	size_t read_count;
	struct mark *marks; /* by op */
	uint64_t steps;
	uint32_t last_unknown; /* XS_FLOW_NONE: none */
};

/* Adds an edge, or makes it the stronger one of the two kinds. */
static int link_ops(struct builder *b, uint32_t from, uint32_t to,
		    enum xs_flow_kind kind)
{
	struct xs_flow *flow = b->flow;
	struct xs_flow_edge *edges;

	if (from == XS_FLOW_NONE || from == to)
		return 0;
	if (b->marks[from].to == to) {
		struct xs_flow_edge *edge = &flow->edges[b->marks[from].edge];

		if (kind < edge->kind)
			edge->kind = kind;
		return 0;
	}
	if (flow->count == MOST_EDGES)
		return -E2BIG;
	edges = xs_array_grow(flow->edges, flow->count, sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	flow->edges = edges;
	b->marks[from] = (struct mark){to, flow->count};
	edges[flow->count++] = (struct xs_flow_edge){from, to, kind};
	return 0;
}

/* Returns the number of cuts before the address. */
static size_t cut_at(const struct builder *b, uint64_t address)
{
	size_t low = 0, high = b->cut_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (b->cuts[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The readers since the last write, of which a writer is none. */
static int link_readers(struct builder *b, const struct segment *segment,
			uint32_t to)
{
	int rc = 0;

	for (uint32_t at = segment->readers; !rc && at != XS_FLOW_NONE;
	     at = b->reads[at].next) {
		b->steps++;
		rc = link_ops(b, b->reads[at].op, to, XS_FLOW_REUSE);
	}
	return rc;
}

static int add_reader(struct builder *b, struct segment *segment, uint32_t op)
{
	struct read *reads;

	if (segment->readers != XS_FLOW_NONE &&
	    b->reads[segment->readers].op == op)
		return 0;
	reads = xs_array_grow(b->reads, b->read_count, sizeof(*reads));
	if (!reads)
		return -ENOMEM;
	b->reads = reads;
	reads[b->read_count] = (struct read){op, segment->readers};
	segment->readers = (uint32_t)b->read_count++;
	return 0;
}

/* Visits the segments of an access: `visit` for each. */
static int each_segment(struct builder *b, const struct xs_flow_access *access,
			uint32_t op,
			int (*visit)(struct builder *b, struct segment *segment,
				     const struct xs_flow_access *access,
				     uint32_t op))
{
	const size_t end = cut_at(b, access->end);
	int rc = 0;

	for (size_t i = cut_at(b, access->begin); !rc && i < end; i++)
		rc = ++b->steps > MOST_STEPS
			 ? -E2BIG
			 : visit(b, &b->segments[i], access, op);
	return rc;
}

static int link_segment(struct builder *b, struct segment *segment,
			const struct xs_flow_access *access, uint32_t op)
{
	int rc = 0;

	if (access->reads)
		rc = link_ops(b, segment->writer, op, XS_FLOW_TRUE);
	if (!rc && access->writes)
		rc = link_ops(b, segment->writer, op, XS_FLOW_REUSE);
	if (!rc && access->writes)
		rc = link_readers(b, segment, op);
	return rc;
}

/* All writes of an op come after all of its reads. */
static int note_read(struct builder *b, struct segment *segment,
		     const struct xs_flow_access *access, uint32_t op)
{
	return access->reads ? add_reader(b, segment, op) : 0;
}

static int note_write(struct builder *b, struct segment *segment,
		      const struct xs_flow_access *access, uint32_t op)
{
	(void)b;
	if (access->writes)
		*segment = (struct segment){op, XS_FLOW_NONE};
	return 0;
}

static int link_memory(struct builder *b, uint32_t at)
{
	int (*const visits[])(struct builder *, struct segment *,
			      const struct xs_flow_access *,
			      uint32_t) = {link_segment, note_read, note_write};
	const struct xs_flow_op *op = &b->program->ops[at];
	int rc = 0;

	for (size_t v = 0; v < sizeof(visits) / sizeof(*visits); v++)
		for (uint32_t i = 0; !rc && i < op->access_count; i++)
			rc = each_segment(
			    b, &b->program->accesses[op->first_access + i], at,
			    visits[v]);
	return rc;
}

static int link_unknown(struct builder *b, uint32_t at)
{
	const bool unknown = b->program->ops[at].unknown;
	const uint32_t last = b->last_unknown;
	int rc = link_ops(b, last, at, XS_FLOW_UNKNOWN);

	for (uint32_t i = last == XS_FLOW_NONE ? 0 : last + 1;
	     unknown && !rc && i < at; i++)
		rc = link_ops(b, i, at, XS_FLOW_UNKNOWN);
	if (unknown)
		b->last_unknown = at;
	return rc;
}

/* last: the last op of each queue. */
static int link_order(struct builder *b, uint32_t at, uint32_t *last)
{
	const struct xs_flow_op *op = &b->program->ops[at];
	uint32_t *before = &last[op->queue];
	const uint32_t waited = op->waited;
	int rc = link_ops(b, *before, at, XS_FLOW_STREAM);

	if (!rc && waited != XS_FLOW_NONE &&
	    (*before == XS_FLOW_NONE ||
	     b->program->ops[*before].waited != waited))
		rc = link_ops(b, waited, at, XS_FLOW_HOST);
	*before = at;
	return rc;
}

/* Returns one more than the largest queue. */
static size_t queues_of(const struct xs_flow_program *program)
{
	size_t end = 0;

	for (uint32_t i = 0; i < program->op_count; i++)
		if (program->ops[i].queue >= end)
			end = (size_t)program->ops[i].queue + 1;
	return end;
}

static int link_all(struct builder *b)
{
	const size_t queues = queues_of(b->program);
	uint32_t *last = malloc((queues + 1) * sizeof(*last));
	int rc = last ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < queues; i++)
		last[i] = XS_FLOW_NONE;
	for (uint32_t i = 0; !rc && i < b->program->op_count; i++) {
		rc = link_memory(b, i);
		if (!rc)
			rc = link_unknown(b, i);
		if (!rc)
			rc = link_order(b, i, last);
	}
	free(last);
	return rc;
}

static void cut(struct builder *b, uint64_t *scratch)
{
	const struct xs_flow_program *program = b->program;
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < program->access_count; i++) {
		b->cuts[count++] = program->accesses[i].begin;
		b->cuts[count++] = program->accesses[i].end;
	}
	xs_values_sort(b->cuts, scratch, count);
	for (size_t i = 0; i < count; i++)
		if (!kept || b->cuts[kept - 1] != b->cuts[i])
			b->cuts[kept++] = b->cuts[i];
	b->cut_count = kept;
	for (size_t i = 0; i < kept; i++)
		b->segments[i] = (struct segment){XS_FLOW_NONE, XS_FLOW_NONE};
}

int xs_flow_build(const struct xs_flow_program *program, struct xs_flow *flow)
{
	const size_t ends = 2 * (size_t)program->access_count + 1;
	struct builder b = {
	    .program = program,
	    .flow = flow,
	    .cuts = malloc(ends * sizeof(*b.cuts)),
	    .segments = malloc(ends * sizeof(*b.segments)),
	    .marks = malloc(((size_t)program->op_count + 1) * sizeof(*b.marks)),
	    .last_unknown = XS_FLOW_NONE};
	uint64_t *scratch = malloc(ends * sizeof(*scratch));
	int rc = -ENOMEM;

	*flow = (struct xs_flow){0};
	if (b.cuts && b.segments && b.marks && scratch) {
		for (uint32_t i = 0; i < program->op_count; i++)
			b.marks[i].to = XS_FLOW_NONE;
		cut(&b, scratch);
		rc = link_all(&b);
	}
	free(b.cuts);
	free(b.segments);
	free(b.marks);
	free(b.reads);
	free(scratch);
	if (rc)
		xs_flow_free(flow);
	return rc;
}

void xs_flow_free(struct xs_flow *flow)
{
	free(flow->edges);
	*flow = (struct xs_flow){0};
}
