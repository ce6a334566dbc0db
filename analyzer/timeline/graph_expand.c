/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/graph_expand.h"

#include "analyzer/timeline/graph_model.h"
#include "analyzer/timeline/interval_union.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Limit of new ops: LEAST_OPS and OPS_PER_BYTE for each byte of the file, but
 * at most MAX_OPS, which take 400 MB. A launch of a graph of 2000 nodes takes
 * 32 bytes: 16 for its call and 16 for its record. A damaged file could have
 * many launches of a graph with many nodes.
 */
#define LEAST_OPS    (1u << 20)
#define OPS_PER_BYTE 64u
#define MAX_OPS	     (1u << 23)

static const char unknown_name[] = "unknown_graph";

struct expansion {
	struct xs_trace *trace;
	struct xs_graph_models models;
	uint32_t *model;   /* by launch: the launch that it is expanded like;
			    * XS_NONE: not known, or recorded by node */
	size_t op_count;   /* of new ops */
	bool queues_agree; /* at least one launch as one has the queue of its
			    * model's launch */
	uint32_t unknown_shape;
};

static int by_exec_and_start(const void *a, const void *b)
{
	const struct xs_graph_launch *x = a, *y = b;

	if (x->exec != y->exec)
		return x->exec < y->exec ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static size_t max_ops(const struct xs_trace *trace)
{
	const uint64_t by_file = LEAST_OPS + OPS_PER_BYTE * trace->file_bytes;
	const size_t by_index = XS_NONE - 1 - trace->op_count;
	const size_t limit = by_file < MAX_OPS ? (size_t)by_file : MAX_OPS;

	return limit < by_index ? limit : by_index;
}

static bool is_within_limit(const struct xs_trace *trace,
			    const struct expansion *e, uint32_t model)
{
	const size_t limit = max_ops(trace);

	return e->op_count <= limit &&
	       e->models.nodes[model].count <= limit - e->op_count;
}

/* Chooses the models of the launches [first, end), all of one executable
 * graph. */
static void choose_of_graph(struct expansion *e, size_t first, size_t end)
{
	struct xs_trace *trace = e->trace;
	size_t as_one = 0, by_node = 0;
	uint32_t model = XS_NONE;

	for (size_t i = first; i < end && model == XS_NONE; i++)
		if (trace->graph_launches[i].by_node)
			model = e->models.models[i];
	for (size_t i = first; i < end; i++) {
		e->model[i] = XS_NONE;
		if (trace->graph_launches[i].by_node) {
			by_node++;
			if (e->models.models[i] != XS_NONE)
				model = e->models.models[i];
			continue;
		}
		as_one++;
		if (model != XS_NONE && is_within_limit(trace, e, model))
			e->model[i] = model;
		else
			trace->graphs_unknown++;
		e->queues_agree |=
		    model != XS_NONE && trace->graph_launches[i].queue ==
					    trace->graph_launches[model].queue;
		e->op_count +=
		    e->model[i] == XS_NONE ? 1 : e->models.nodes[model].count;
	}
	trace->graphs_as_one += as_one;
	if (as_one)
		trace->graphs_by_node += by_node;
}

static void choose(struct expansion *e)
{
	const struct xs_graph_launch *launches = e->trace->graph_launches;
	const size_t count = e->trace->graph_launch_count;
	size_t first = 0;

	for (size_t i = 1; i <= count; i++) {
		if (i < count && launches[i].exec == launches[first].exec)
			continue;
		choose_of_graph(e, first, i);
		first = i;
	}
}

/* Adds the shape of a launch of unknown content: its name only. */
static void add_unknown_shape(struct expansion *e)
{
	struct xs_trace *trace = e->trace;
	char **strings;
	struct xs_shape *shapes;

	if (!trace->graphs_unknown)
		return;
	strings = xs_realloc(trace->strings,
			     (trace->string_count + 1) * sizeof(*strings));
	trace->strings = strings;
	shapes = xs_realloc(trace->shapes,
			    (trace->shape_count + 1) * sizeof(*shapes));
	trace->shapes = shapes;
	strings[trace->string_count] = xs_strdup(unknown_name);
	shapes[trace->shape_count] =
	    (struct xs_shape){.name = (uint32_t)trace->string_count++};
	e->unknown_shape = (uint32_t)trace->shape_count++;
}

/* Time of a launch per time of its model: while a node runs, and between
 * nodes. */
struct rates {
	double busy, gap;
};

/*
 * Nodes last as long as in the model, and the time between them takes up the
 * difference. Only where that is not enough, nodes are shorter.
 */
static struct rates rates_of(uint64_t busy_ns, uint64_t model_ns,
			     uint64_t launch_ns)
{
	const double busy = (double)busy_ns, gaps = (double)model_ns - busy,
		     launch = (double)launch_ns;

	if (launch < busy)
		return (struct rates){launch / busy, 0};
	return (struct rates){1, gaps > 0 ? (launch - busy) / gaps : 0};
}

/* Converts a moment of the model, after busy_ns with and gap_ns without running
 * nodes, to a moment of the launch. */
static uint64_t place(const struct xs_graph_launch *launch, struct rates rates,
		      uint64_t busy_ns, uint64_t gap_ns)
{
	const uint64_t length = launch->end_ns - launch->start_ns;
	const double after =
	    (double)busy_ns * rates.busy + (double)gap_ns * rates.gap + 0.5;

	/* rounding may make the double a little more than the length */
	return after < (double)length && (uint64_t)after < length
		   ? launch->start_ns + (uint64_t)after
		   : launch->end_ns;
}

static const struct xs_op *node(const struct expansion *e, uint32_t model,
				size_t i)
{
	return &e->trace->ops[e->models.keys[e->models.nodes[model].first + i]
				  .index];
}

/* Returns the time in which nodes of the model run. */
static uint64_t busy_of(const struct expansion *e, uint32_t model)
{
	struct xs_interval_union busy = {0, 0};

	for (size_t i = 0; i < e->models.nodes[model].count; i++)
		xs_interval_union_add(&busy, node(e, model, i)->start_ns,
				      node(e, model, i)->end_ns);
	return busy.total_ns;
}

/* Adds the ops of a launch. If the launch is in another stream than its model,
 * the nodes in the model's stream move to it. They do not if the streams of
 * launches and of their models differ in all launches. */
static void add_nodes(struct expansion *e, uint32_t index)
{
	struct xs_trace *trace = e->trace;
	const struct xs_graph_launch *launch = &trace->graph_launches[index];
	const uint32_t model = e->model[index];
	const struct xs_graph_span span =
	    xs_graph_models_span(trace, &e->models, model);
	const struct rates rates =
	    rates_of(busy_of(e, model), span.end_ns - span.start_ns,
		     launch->end_ns - launch->start_ns);
	struct xs_interval_union busy = {0, 0};

	for (size_t i = 0; i < e->models.nodes[model].count; i++) {
		const struct xs_op *as = node(e, model, i);
		struct xs_op *op = &trace->ops[trace->op_count++];
		const uint64_t length = as->end_ns - as->start_ns;
		const uint64_t beyond =
		    busy.end_ns > as->start_ns ? busy.end_ns - as->start_ns : 0;
		const uint64_t before = busy.total_ns - beyond;
		const uint64_t gap = as->start_ns - span.start_ns - before;

		xs_interval_union_add(&busy, as->start_ns, as->end_ns);
		/* with its padding: equal traces have equal ops */
		memcpy(op, as, sizeof(*op));
		op->start_ns = place(launch, rates, before, gap);
		op->end_ns = place(launch, rates, before + length, gap);
		op->correlation = launch->correlation;
		if (e->queues_agree &&
		    op->queue == trace->graph_launches[model].queue)
			op->queue = launch->queue;
		op->flags |= XS_OP_GRAPH | XS_OP_ESTIMATED;
	}
}

static void add_unknown(struct expansion *e, uint32_t index)
{
	struct xs_trace *trace = e->trace;
	const struct xs_graph_launch *launch = &trace->graph_launches[index];
	struct xs_op *op = &trace->ops[trace->op_count++];

	memset(op, 0, sizeof(*op));
	op->start_ns = launch->start_ns;
	op->end_ns = launch->end_ns;
	op->correlation = launch->correlation;
	op->call = XS_NONE;
	op->shape = e->unknown_shape;
	op->queue = launch->queue;
	op->kind = XS_OP_KERNEL;
	op->flags = XS_OP_GRAPH | XS_OP_ESTIMATED;
	op->copies = 1;
}

static void add_ops(struct expansion *e)
{
	struct xs_trace *trace = e->trace;
	struct xs_op *ops = xs_realloc(
	    trace->ops, (trace->op_count + e->op_count + 1) * sizeof(*ops));

	add_unknown_shape(e);
	trace->ops = ops;
	for (size_t i = 0; i < trace->graph_launch_count; i++) {
		if (trace->graph_launches[i].by_node)
			continue;
		if (e->model[i] != XS_NONE)
			add_nodes(e, (uint32_t)i);
		else
			add_unknown(e, (uint32_t)i);
	}
}

static bool has_launches_as_one(const struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->graph_launch_count; i++)
		if (!trace->graph_launches[i].by_node)
			return true;
	return false;
}

void xs_graph_expand(struct xs_trace *trace)
{
	struct expansion e = {.trace = trace};

	if (!has_launches_as_one(trace))
		return;
	qsort(trace->graph_launches, trace->graph_launch_count,
	      sizeof(*trace->graph_launches), by_exec_and_start);
	xs_graph_models_build(trace, &e.models);
	e.model = xs_calloc(trace->graph_launch_count + 1, sizeof(*e.model));
	choose(&e);
	add_ops(&e);
	xs_graph_models_release(&e.models);
	free(e.model);
}
