/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/graph_model.h"

#include "analyzer/util/memory.h"

#include <stdlib.h>

/* How far a node may have moved between launches: those of parallel branches
 * change places, and the search must not take the square of their number. */
#define MOST_MOVED 256u

/* Consecutive launches of one executable graph that were recorded by node. */
struct run {
	size_t first, end;
	bool is_followed; /* by a launch recorded as one */
	uint64_t next_ns; /* length of that launch */
};

static uint64_t length(struct xs_graph_span span)
{
	return span.end_ns - span.start_ns;
}

static struct xs_op *node(const struct xs_trace *trace,
			  const struct xs_graph_models *m, uint32_t launch,
			  size_t i)
{
	return &trace->ops[m->keys[m->nodes[launch].first + i].index];
}

struct xs_graph_span xs_graph_models_span(const struct xs_trace *trace,
					  const struct xs_graph_models *m,
					  uint32_t launch)
{
	struct xs_graph_span span = {0, 0};

	for (size_t i = 0; i < m->nodes[launch].count; i++) {
		const struct xs_op *op = node(trace, m, launch, i);

		if (i == 0 || op->start_ns < span.start_ns)
			span.start_ns = op->start_ns;
		if (i == 0 || op->end_ns > span.end_ns)
			span.end_ns = op->end_ns;
	}
	return span;
}

static bool is_same(const struct xs_graph_launch *a,
		    const struct xs_graph_launch *b)
{
	return a->exec == b->exec && a->correlation == b->correlation &&
	       a->by_node == b->by_node;
}

/* A launch by node may have several records, written by several nodes. */
static void drop_repeated(struct xs_trace *trace)
{
	struct xs_graph_launch *launches = trace->graph_launches;
	size_t kept = 0;

	for (size_t i = 0; i < trace->graph_launch_count; i++)
		if (kept == 0 || !launches[i].by_node ||
		    !is_same(&launches[kept - 1], &launches[i]))
			launches[kept++] = launches[i];
	trace->graph_launch_count = kept;
}

/* Collects the ops that have a correlation id; returns how many. */
static size_t find_keys(const struct xs_trace *trace, struct xs_key *keys)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].correlation)
			keys[count++] = (struct xs_key){
			    trace->ops[i].correlation, (uint32_t)i};
	return count;
}

/* Collects the ids of calls that issue work, sorted. Caller frees *keys, also
 * after an error. */
static void find_calls(const struct xs_trace *trace, struct xs_key **keys,
		       size_t *count)
{
	*count = 0;
	*keys = xs_calloc(trace->call_count + 1, sizeof(**keys));
	for (size_t i = 0; i < trace->call_count; i++)
		if (xs_call_issues(trace->calls[i].call_class))
			(*keys)[(*count)++] = (struct xs_key){
			    trace->calls[i].correlation, (uint32_t)i};
	xs_keys_sort(*keys, *count);
}

/* Finds the nodes of each launch by node. If several calls or launches have its
 * correlation id, it is not known which ops belong to which: the first launch
 * gets those of several launches, and nobody gets those of several calls. */
static void find_nodes(const struct xs_trace *trace, struct xs_graph_models *m,
		       size_t key_count)
{
	bool *taken =
	    xs_calloc(key_count + 1, sizeof(*taken)); /* by first key */
	struct xs_key *calls;
	size_t call_count;

	find_calls(trace, &calls, &call_count);
	for (size_t i = 0; i < trace->graph_launch_count; i++) {
		const uint64_t id = trace->graph_launches[i].correlation;
		const size_t first = xs_keys_from(calls, call_count, id);

		if (!trace->graph_launches[i].by_node ||
		    (first + 1 < call_count && calls[first + 1].key == id))
			continue;
		m->nodes[i].first = xs_keys_from(m->keys, key_count, id);
		if (taken[m->nodes[i].first])
			continue;
		taken[m->nodes[i].first] = true;
		m->nodes[i].count = xs_keys_from(m->keys, key_count, id + 1) -
				    m->nodes[i].first;
	}
	free(calls);
	free(taken);
}

/* Returns the launch of median length of those with nodes, or XS_NONE. */
static uint32_t median(const struct xs_trace *trace,
		       const struct xs_graph_models *m, struct xs_key *scratch,
		       size_t first, size_t end)
{
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		if (m->nodes[i].count)
			scratch[count++] = (struct xs_key){
			    length(xs_graph_models_span(trace, m, (uint32_t)i)),
			    (uint32_t)i};
	if (count == 0)
		return XS_NONE;
	xs_keys_sort(scratch, count);
	return scratch[(count - 1) / 2].index;
}

static bool is_alike(const struct xs_op *a, const struct xs_op *b)
{
	return a->kind == b->kind && a->shape == b->shape &&
	       a->bytes == b->bytes;
}

static void set_length(struct xs_op *op, uint64_t ns)
{
	op->end_ns =
	    ns < UINT64_MAX - op->start_ns ? op->start_ns + ns : UINT64_MAX;
}

/* Returns the first node of the model from `first` on, not taken yet, that is
 * like the op; the count of nodes if none of the next ones is. */
static size_t find_alike(struct xs_trace *trace,
			 const struct xs_graph_models *m, uint32_t model,
			 const bool *taken, size_t first,
			 const struct xs_op *op)
{
	const size_t count = m->nodes[model].count;
	const size_t end =
	    count - first > MOST_MOVED ? first + MOST_MOVED : count;

	for (size_t i = first; i < end; i++)
		if (!taken[i] && is_alike(op, node(trace, m, model, i)))
			return i;
	return count;
}

/*
 * Places the nodes of a launch as those of the model lie. A node with wrong
 * times is late, so the launch begins where its first node does. Returns false,
 * and nothing is changed, where the nodes are not those of the model.
 */
static bool place_by_model(struct xs_trace *trace,
			   const struct xs_graph_models *m, uint32_t launch,
			   uint32_t model)
{
	const size_t count = m->nodes[launch].count;
	const uint64_t from_ns = xs_graph_models_span(trace, m, model).start_ns;
	bool *taken = xs_calloc(count + 1, sizeof(*taken));
	size_t *like = xs_calloc(count + 1, sizeof(*like));
	bool same = count == m->nodes[model].count;
	uint64_t begin_ns = 0;
	size_t first = 0; /* not taken */

	for (size_t i = 0; same && i < count; i++) {
		while (first < count && taken[first])
			first++;
		like[i] = find_alike(trace, m, model, taken, first,
				     node(trace, m, launch, i));
		same = like[i] < count;
		if (same)
			taken[like[i]] = true;
	}
	if (same && count)
		begin_ns = node(trace, m, launch, 0)->start_ns -
			   (node(trace, m, model, like[0])->start_ns - from_ns);
	for (size_t i = 0; same && i < count; i++) {
		struct xs_op *op = node(trace, m, launch, i);
		const struct xs_op *as = node(trace, m, model, like[i]);

		op->start_ns = begin_ns + (as->start_ns - from_ns);
		set_length(op, as->end_ns - as->start_ns);
		op->flags |= XS_OP_ESTIMATED;
	}
	free(taken);
	free(like);
	return same;
}

/* Where it is not known how the nodes lie, none lasts longer than a launch. */
static void bound_nodes(struct xs_trace *trace, const struct xs_graph_models *m,
			uint32_t launch, uint64_t launch_ns)
{
	for (size_t i = 0; i < m->nodes[launch].count; i++) {
		struct xs_op *op = node(trace, m, launch, i);

		if (op->end_ns - op->start_ns > launch_ns)
			set_length(op, launch_ns);
		op->flags |= XS_OP_ESTIMATED;
	}
}

static uint32_t model_of(struct xs_trace *trace, struct xs_graph_models *m,
			 struct xs_key *scratch, const struct run *run)
{
	const uint32_t last = (uint32_t)run->end - 1;
	uint32_t model;

	if (!run->is_followed)
		return median(trace, m, scratch, run->first, run->end);
	model = median(trace, m, scratch, run->first + (last - run->first) / 2,
		       last);
	if (model == XS_NONE) {
		bound_nodes(trace, m, last, run->next_ns);
		return m->nodes[last].count ? last : XS_NONE;
	}
	if (!place_by_model(trace, m, last, model))
		bound_nodes(trace, m, last,
			    length(xs_graph_models_span(trace, m, model)));
	return model;
}

static struct run run_at(const struct xs_trace *trace, size_t first)
{
	const struct xs_graph_launch *launches = trace->graph_launches;
	const size_t count = trace->graph_launch_count;
	struct run run = {.first = first, .end = first};

	while (run.end < count && launches[run.end].by_node &&
	       launches[run.end].exec == launches[first].exec)
		run.end++;
	run.is_followed =
	    run.end < count && launches[run.end].exec == launches[first].exec;
	if (run.is_followed)
		run.next_ns =
		    launches[run.end].end_ns - launches[run.end].start_ns;
	return run;
}

static void find_models(struct xs_trace *trace, struct xs_graph_models *m)
{
	const size_t count = trace->graph_launch_count;
	struct xs_key *scratch = xs_malloc((count + 1) * sizeof(*scratch));

	for (size_t i = 0; i < count;) {
		const struct run run = run_at(trace, i);
		const uint32_t model = run.end > run.first
					   ? model_of(trace, m, scratch, &run)
					   : XS_NONE;

		m->models[i++] = model;
		while (i < run.end)
			m->models[i++] = model;
	}
	free(scratch);
}

void xs_graph_models_build(struct xs_trace *trace, struct xs_graph_models *m)
{
	size_t count, key_count;

	drop_repeated(trace);
	count = trace->graph_launch_count;
	*m = (struct xs_graph_models){
	    .keys = xs_calloc(trace->op_count + 1, sizeof(*m->keys)),
	    .nodes = xs_calloc(count + 1, sizeof(*m->nodes)),
	    .models = xs_calloc(count + 1, sizeof(*m->models))};
	key_count = find_keys(trace, m->keys);
	xs_keys_sort(m->keys, key_count);
	find_nodes(trace, m, key_count);
	find_models(trace, m);
}

void xs_graph_models_release(struct xs_graph_models *m)
{
	free(m->keys);
	free(m->nodes);
	free(m->models);
}
