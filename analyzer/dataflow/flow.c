/* SPDX-License-Identifier: MIT */
/*
 * The ends of all accesses cut the memory into segments. Each segment has the
 * list of its accesses, the last one first. An op looks back through it, up to
 * a write that comes after all that is behind it.
 */
#include "analyzer/dataflow/flow.h"

#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_EDGES  4000000u
#define MOST_HIDING 16u

/* An access of a segment. */
struct touch {
	uint32_t op, previous; /* XS_FLOW_NONE: none */
	uint32_t allocation;
	bool reads, writes, exact;
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
	uint32_t *segments; /* last touch; segment i is from cut i to i + 1 */
	struct touch *touches;
	size_t touch_count;
	struct mark *marks; /* by op */
	bool *after_all;    /* by op: all earlier ops come before it */
	uint64_t *steps;    /* left */
	uint32_t *unknown;  /* unknown ops so far */
	size_t unknown_count;
};

/* Returns false if no step is left. */
static bool take_step(struct builder *b)
{
	*b->steps -= *b->steps > 0;
	return *b->steps > 0;
}

/* Returns whether an op comes before another one. */
static bool is_before(const struct builder *b, uint32_t from, uint32_t to)
{
	const struct xs_flow_program *p = b->program;

	return from < to &&
	       (!p->before || from < p->before[(size_t)to * p->queue_count +
					       p->ops[from].queue]);
}

/* Ops that hide from the current one what came before them. */
struct hiding {
	uint32_t ops[MOST_HIDING];
	size_t count;
};

static bool is_hidden(const struct builder *b, const struct hiding *hiding,
		      uint32_t from)
{
	for (size_t i = 0; i < hiding->count; i++)
		if (is_before(b, from, hiding->ops[i]))
			return true;
	return false;
}

/* Hides what comes before the op. If there is no space, more edges than
 * necessary are found. */
static void hide(struct hiding *hiding, uint32_t op)
{
	if (hiding->count < MOST_HIDING)
		hiding->ops[hiding->count++] = op;
}

static bool is_stronger(enum xs_flow_kind kind, enum xs_flow_kind than)
{
	return kind < than ||
	       (kind == XS_FLOW_UNKNOWN && than == XS_FLOW_REUSE);
}

/* Adds an edge, or makes it the stronger one of the two kinds. Memory is linked
 * before what is unknown. */
static int link_ops(struct builder *b, uint32_t from, uint32_t to,
		    enum xs_flow_kind kind)
{
	struct xs_flow *flow = b->flow;

	if (from == XS_FLOW_NONE || from == to)
		return 0;
	if (b->marks[from].to == to) {
		struct xs_flow_edge *edge = &flow->edges[b->marks[from].edge];

		if (is_stronger(kind, edge->kind))
			edge->kind = kind;
		return 0;
	}
	if (flow->count == MOST_EDGES)
		return -E2BIG;
	b->marks[from] = (struct mark){to, flow->count};
	XS_ARRAY_ADD(flow->edges, flow->count,
		     (struct xs_flow_edge){from, to, kind});
	return 0;
}

/* Returns the number of cuts before the address. */
static size_t cut_at(const struct builder *b, uint64_t address)
{
	size_t low = 0, high = b->cut_count;

	XS_BISECT(low, high, i, b->cuts[i] < address);
	return low;
}

/* Links one access of a segment with those before it. */
static int link_segment(struct builder *b, uint32_t segment,
			const struct xs_flow_access *access, uint32_t op)
{
	struct hiding hiding = {.count = 0};
	int rc = 0;

	for (uint32_t at = b->segments[segment]; !rc && at != XS_FLOW_NONE;) {
		const struct touch touch = b->touches[at];
		/* what it reads and writes leads on to what it read */
		const bool hides =
		    touch.writes &&
		    (touch.exact || touch.reads || !access->reads);

		at = touch.previous;
		if (!take_step(b))
			return -E2BIG;
		if (!is_before(b, touch.op, op))
			continue;
		if (!is_hidden(b, &hiding, touch.op)) {
			if (touch.writes && access->reads &&
			    touch.allocation == access->allocation)
				rc = link_ops(b, touch.op, op, XS_FLOW_TRUE);
			else if (access->writes)
				rc = link_ops(b, touch.op, op, XS_FLOW_REUSE);
			if (hides)
				hide(&hiding, touch.op);
		}
		if (hides && (touch.exact || b->after_all[touch.op]))
			break;
	}
	return rc;
}

/* All accesses of an op come after those of the ops before. */
static int touch_segment(struct builder *b, uint32_t segment,
			 const struct xs_flow_access *access, uint32_t op)
{
	const struct touch touch = {op,
				    b->segments[segment],
				    access->allocation,
				    access->reads,
				    access->writes,
				    access->exact};

	b->segments[segment] = (uint32_t)b->touch_count;
	XS_ARRAY_ADD(b->touches, b->touch_count, touch);
	return 0;
}

static int link_memory(struct builder *b, uint32_t at)
{
	int (*const visits[])(struct builder *, uint32_t,
			      const struct xs_flow_access *,
			      uint32_t) = {link_segment, touch_segment};
	const struct xs_flow_op *op = &b->program->ops[at];
	int rc = 0;

	for (size_t v = 0; v < sizeof(visits) / sizeof(*visits); v++)
		for (uint32_t i = 0; !rc && i < op->access_count; i++) {
			const struct xs_flow_access *access =
			    &b->program->accesses[op->first_access + i];
			const size_t end = cut_at(b, access->end);

			for (size_t s = cut_at(b, access->begin);
			     !rc && s < end; s++)
				rc = take_step(b)
					 ? visits[v](b, (uint32_t)s, access, at)
					 : -E2BIG;
		}
	return rc;
}

/* Links an op with the unknown ones before it, and an unknown op with all. */
static int link_unknown(struct builder *b, uint32_t at)
{
	const bool unknown = b->program->ops[at].unknown;
	struct hiding hiding = {.count = 0};
	uint32_t end = 0; /* ops before it are hidden */
	int rc = 0;

	for (size_t i = b->unknown_count; !rc && i-- > 0;) {
		const uint32_t from = b->unknown[i];

		if (!take_step(b))
			return -E2BIG;
		if (!is_before(b, from, at) || is_hidden(b, &hiding, from))
			continue;
		rc = link_ops(b, from, at, XS_FLOW_UNKNOWN);
		hide(&hiding, from);
		if (b->after_all[from]) {
			end = from;
			break;
		}
	}
	for (uint32_t from = at; unknown && !rc && from-- > end;) {
		if (!take_step(b))
			return -E2BIG;
		if (is_before(b, from, at) && !is_hidden(b, &hiding, from))
			rc = link_ops(b, from, at, XS_FLOW_UNKNOWN);
	}
	if (unknown)
		b->unknown[b->unknown_count++] = at;
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

/* last: the last op of each queue. */
static bool comes_after_all(const struct builder *b, uint32_t at,
			    const uint32_t *last)
{
	for (uint32_t q = 0; b->program->before && q < b->program->queue_count;
	     q++)
		if (last[q] != XS_FLOW_NONE && !is_before(b, last[q], at))
			return false;
	return true;
}

static int link_all(struct builder *b)
{
	const size_t queues = b->program->queue_count;
	uint32_t *last = xs_malloc((queues + 1) * sizeof(*last));
	int rc = 0;

	for (size_t i = 0; i < queues; i++)
		last[i] = XS_FLOW_NONE;
	for (uint32_t i = 0; !rc && i < b->program->op_count; i++) {
		b->after_all[i] = comes_after_all(b, i, last);
		rc = link_memory(b, i);
		if (!rc)
			rc = link_unknown(b, i);
		if (!rc)
			rc = link_order(b, i, last);
	}
	free(last);
	return rc;
}

static void cut(struct builder *b)
{
	const struct xs_flow_program *program = b->program;
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < program->access_count; i++) {
		b->cuts[count++] = program->accesses[i].begin;
		b->cuts[count++] = program->accesses[i].end;
	}
	xs_values_sort(b->cuts, count);
	for (size_t i = 0; i < count; i++)
		if (!kept || b->cuts[kept - 1] != b->cuts[i])
			b->cuts[kept++] = b->cuts[i];
	b->cut_count = kept;
	for (size_t i = 0; i < kept; i++)
		b->segments[i] = XS_FLOW_NONE;
}

int xs_flow_build(const struct xs_flow_program *program, struct xs_flow *flow)
{
	const size_t ends = 2 * (size_t)program->access_count + 1,
		     ops = (size_t)program->op_count + 1;
	uint64_t most = XS_FLOW_MOST_STEPS;
	struct builder b = {.program = program,
			    .flow = flow,
			    .steps = program->steps ? program->steps : &most,
			    .cuts = xs_malloc(ends * sizeof(*b.cuts)),
			    .segments = xs_malloc(ends * sizeof(*b.segments)),
			    .marks = xs_malloc(ops * sizeof(*b.marks)),
			    .after_all = xs_malloc(ops * sizeof(*b.after_all)),
			    .unknown = xs_malloc(ops * sizeof(*b.unknown))};
	int rc;

	*flow = (struct xs_flow){0};
	for (uint32_t i = 0; i < program->op_count; i++)
		b.marks[i].to = XS_FLOW_NONE;
	cut(&b);
	rc = link_all(&b);
	free(b.cuts);
	free(b.segments);
	free(b.touches);
	free(b.marks);
	free(b.after_all);
	free(b.unknown);
	if (rc)
		xs_flow_free(flow);
	return rc;
}

void xs_flow_free(struct xs_flow *flow)
{
	free(flow->edges);
	*flow = (struct xs_flow){0};
}
