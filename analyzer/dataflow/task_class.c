/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/task_class.h"

#include "analyzer/dataflow/arrays.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

/* Launches of one kernel in a task, each on the results of the one before, that
 * make it iterative. */
#define LEAST_ITERATIONS 4u

/* An allocation that kernels are given, or an array in it, and in how many
 * tasks: of all, and of those in which it is copied. */
struct memory {
	uint64_t bytes;
	uint32_t used, filled, partly, out; /* tasks */
	/* in the present task */
	uint64_t in_bytes, out_bytes;
	bool is_used;
};

struct classifier {
	const struct xs_trace *trace;
	const struct xs_dataflow *flow;
	const struct xs_arrays *arrays;
	struct memory *memories; /* those of arrays come first */
	uint32_t *number_of; /* by call that allocated, plus one; 0: none. Of a
			      * divided allocation: what is in no array */
	uint32_t *task_of;   /* by op */
	uint32_t count, tasks;
};

static const struct xs_op *op_of(const struct classifier *c, uint32_t i)
{
	return &c->trace->ops[c->flow->ops[i]];
}

/* A task begins with a copy in after a kernel. */
static void number_tasks(struct classifier *c)
{
	bool computed = false;

	for (uint32_t i = 0; i < c->flow->op_count; i++) {
		const uint8_t kind = op_of(c, i)->kind;

		if (kind == XS_OP_H2D && computed) {
			c->tasks++;
			computed = false;
		}
		computed |= kind == XS_OP_KERNEL;
		c->task_of[i] = c->tasks;
	}
	c->tasks++;
}

/* Numbers the allocations that kernels are given. */
static void number_memories(struct classifier *c)
{
	for (uint32_t i = 0; i < c->arrays->count; i++)
		c->memories[c->count++].bytes =
		    c->arrays->items[i].end - c->arrays->items[i].begin;
	for (uint32_t i = 0; i < c->flow->op_count; i++) {
		const struct xs_flow_op *op = &c->flow->flow_ops[i];

		for (uint32_t k = 0; k < op->access_count; k++) {
			const uint32_t at = op->first_access + k;
			const uint32_t call = c->flow->memories[at];

			if (op_of(c, i)->kind != XS_OP_KERNEL ||
			    call == XS_NONE || c->number_of[call])
				continue;
			c->number_of[call] = c->count + 1;
			c->memories[c->count++].bytes =
			    c->flow->accesses[at].end -
			    c->flow->accesses[at].begin;
		}
	}
}

/* Returns the memory at an address of an allocation; NULL: no kernel is given
 * it. */
static struct memory *memory_at(const struct classifier *c, uint32_t call,
				uint64_t address)
{
	const uint32_t array = xs_arrays_find(c->arrays, call, address);

	if (array != XS_NONE)
		return &c->memories[array];
	return call != XS_NONE && c->number_of[call]
		   ? &c->memories[c->number_of[call] - 1]
		   : NULL;
}

static void end_task(struct classifier *c)
{
	XS_EACH_MUTABLE(m, c->memories, c->count) {
		if (m->is_used) {
			m->used++;
			m->filled += m->in_bytes >= m->bytes;
			m->out += m->out_bytes >= m->bytes;
			m->partly += (m->in_bytes && m->in_bytes < m->bytes) ||
				     (m->out_bytes && m->out_bytes < m->bytes);
		}
		m->is_used = false;
		m->in_bytes = m->out_bytes = 0;
	}
}

/* A kernel uses the arrays that its pointers lead to. */
static void note_kernel(struct classifier *c, uint32_t i)
{
	const struct xs_flow_op *op = &c->flow->flow_ops[i];
	const struct xs_pointers *all = c->trace->pointers;
	const uint32_t launch = op_of(c, i)->call;
	size_t n = xs_trace_first_pointers(c->trace, launch);

	for (; n < c->trace->pointers_count && all[n].call == launch; n++)
		for (size_t k = 0; k < 4 && all[n].addresses[k]; k++) {
			const uint64_t address = all[n].addresses[k];
			const uint32_t call =
			    xs_flow_memory_at(c->flow, op, address);
			struct memory *m = memory_at(c, call, address);

			if (m)
				m->is_used = true;
		}
}

static void note_op(struct classifier *c, uint32_t i)
{
	const struct xs_flow_op *op = &c->flow->flow_ops[i];

	if (op_of(c, i)->kind == XS_OP_KERNEL) {
		note_kernel(c, i);
		return;
	}
	for (uint32_t k = 0; k < op->access_count; k++) {
		const struct xs_flow_access *access =
		    &c->flow->accesses[op->first_access + k];
		struct memory *m = memory_at(
		    c, c->flow->memories[op->first_access + k], access->begin);

		/* a set of a part is no copy of it */
		if (!m || (op_of(c, i)->kind == XS_OP_SET &&
			   access->end - access->begin < m->bytes))
			continue;
		if (access->writes)
			m->in_bytes += access->end - access->begin;
		else
			m->out_bytes += access->end - access->begin;
	}
}

static bool is_chained(const struct classifier *c,
		       const struct xs_flow_edge *edge)
{
	const struct xs_op *from = op_of(c, edge->from),
			   *to = op_of(c, edge->to);

	return edge->kind == XS_FLOW_TRUE && from->kind == XS_OP_KERNEL &&
	       to->kind == XS_OP_KERNEL && from->shape == to->shape &&
	       c->task_of[edge->from] == c->task_of[edge->to];
}

/* Whether a task needs what another one copied out. */
static bool returns(const struct classifier *c, const struct xs_flow_edge *edge)
{
	return edge->kind == XS_FLOW_TRUE &&
	       op_of(c, edge->from)->kind == XS_OP_D2H &&
	       op_of(c, edge->to)->kind == XS_OP_H2D &&
	       c->task_of[edge->from] != c->task_of[edge->to];
}

static void set(struct xs_task_class *out, enum xs_task_class_kind kind,
		uint64_t bytes)
{
	if (kind > out->kind) {
		out->kind = kind;
		out->bytes = 0;
	}
	if (kind == out->kind)
		out->bytes += bytes;
}

/* Memory that several tasks use. The first task may differ. */
static void judge_memory(const struct memory *m, struct xs_task_class *out)
{
	if (m->used < 2)
		return;
	if (m->filled + 1 >= m->used || m->out + 1 >= m->used)
		set(out, XS_CLASS_FALSE_DEPENDENT, m->bytes);
	else if (m->partly)
		out->partly = true;
	else if (m->out)
		set(out, XS_CLASS_TRUE_DEPENDENT, m->bytes);
	else
		set(out, XS_CLASS_SHARED_INPUT, m->bytes);
}

/* Counts launches on results of an earlier one of the same kernel and task, and
 * tasks that need what another one copied out: one of many may have been given
 * the memory of a result for something else. */
static void judge_edges(const struct classifier *c, struct xs_task_class *out)
{
	const struct xs_flow *flow = &c->flow->flow;
	uint32_t chained = 0, last = XS_NONE, returning = 0, task = XS_NONE;

	XS_EACH(edge, flow->edges, flow->count) {
		if (returns(c, edge) && c->task_of[edge->to] != task) {
			task = c->task_of[edge->to];
			returning++;
		}
		if (edge->to == last || !is_chained(c, edge))
			continue;
		last = edge->to;
		chained++;
	}
	out->launches = chained / c->tasks + 1;
	out->returns = 2 * returning >= c->tasks;
}

static void judge(struct classifier *c, struct xs_task_class *out)
{
	out->kind = XS_CLASS_INDEPENDENT;
	for (uint32_t i = 0; i < c->count; i++)
		judge_memory(&c->memories[i], out);
	judge_edges(c, out);
	if (out->returns)
		set(out, XS_CLASS_TRUE_DEPENDENT, 0);
	else if (out->launches >= LEAST_ITERATIONS)
		set(out, XS_CLASS_ITERATIVE, 0);
	else if (out->partly && out->kind < XS_CLASS_TRUE_DEPENDENT)
		out->kind = XS_CLASS_UNKNOWN;
}

void xs_task_class(const struct xs_trace *trace,
		   const struct xs_dataflow *dataflow,
		   struct xs_task_class *out)
{
	struct xs_arrays arrays;
	struct classifier c = {
	    .trace = trace,
	    .flow = dataflow,
	    .arrays = &arrays,
	    .number_of = xs_calloc(trace->call_count + 1, sizeof(*c.number_of)),
	    .task_of =
		xs_calloc((size_t)dataflow->op_count + 1, sizeof(*c.task_of))};

	xs_arrays_find_all(trace, dataflow, &arrays);
	c.memories =
	    xs_calloc((size_t)arrays.count + dataflow->access_count + 1,
		      sizeof(*c.memories));
	*out = (struct xs_task_class){.kind = XS_CLASS_UNKNOWN};
	number_tasks(&c);
	number_memories(&c);
	out->tasks = c.tasks;
	for (uint32_t i = 0; i < dataflow->op_count; i++) {
		note_op(&c, i);
		if (i + 1 == dataflow->op_count ||
		    c.task_of[i + 1] != c.task_of[i])
			end_task(&c);
	}
	out->outside = dataflow->outside && !dataflow->unknown_count;
	if (c.tasks > 1 && !dataflow->unknown_count && !dataflow->outside)
		judge(&c, out);
	free(c.memories);
	free(c.number_of);
	free(c.task_of);
	xs_arrays_free(&arrays);
}
