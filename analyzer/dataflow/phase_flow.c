/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/phase_flow.h"

#include "analyzer/dataflow/dataflow.h"
#include "analyzer/dataflow/task_class.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>
#include <string.h>

struct matcher {
	const struct xs_trace *trace;
	struct xs_phase *phase;
	const struct xs_dataflow *flow;
	uint32_t *steps; /* with an op, in order */
	uint32_t count;
	uint32_t *copies; /* ops of the flow, in order */
	uint32_t copy_count;
	uint32_t
	    *position;	 /* by op: its place in its round; XS_NONE: in none */
	uint32_t *round; /* by op: the first op of its round */
	uint32_t rounds;
};

/* Whether both sites call one function from one line of the user's: the loop
 * that the line is in may run in several places. */
static bool is_same_line(const struct xs_trace *trace, uint32_t a, uint32_t b)
{
	const struct xs_site *x, *y;

	if (a == b)
		return true;
	if (a >= trace->site_count || b >= trace->site_count ||
	    trace->sites[a].function != trace->sites[b].function)
		return false;
	x = xs_symbols_user_site(trace, a);
	y = xs_symbols_user_site(trace, b);
	return x && y && x->file && y->file && x->line == y->line &&
	       strcmp(x->file, y->file) == 0;
}

static bool is_same(const struct matcher *m, const struct xs_step *step,
		    const struct xs_op *op)
{
	const uint8_t kind = op->kind == XS_OP_P2P ? XS_OP_D2D : op->kind;

	return step->kind == kind &&
	       is_same_line(m->trace, step->site,
			    m->trace->calls[op->call].site);
}

static bool is_round(const struct matcher *m, uint32_t first)
{
	if (m->count > m->flow->op_count - first)
		return false;
	for (uint32_t i = 0; i < m->count; i++)
		if (!is_same(m, &m->phase->steps[m->steps[i]],
			     &m->trace->ops[m->flow->ops[first + i]]))
			return false;
	return true;
}

static uint64_t shared_bytes(const struct xs_flow_access *a,
			     const struct xs_flow_access *b)
{
	const uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
	const uint64_t end = a->end < b->end ? a->end : b->end;

	return begin < end ? end - begin : 0;
}

/* Returns how much of what the kernel accesses the copies of one kind among
 * count ops do, at most all of it. */
static uint64_t copied_bytes(const struct matcher *m, uint32_t first,
			     uint32_t count,
			     const struct xs_flow_access *access, uint8_t kind)
{
	const struct xs_dataflow *flow = m->flow;
	uint64_t sum = 0, all = access->end - access->begin;

	for (uint32_t c = 0; c < m->copy_count; c++) {
		const uint32_t i = m->copies[c];
		const struct xs_flow_op *op = &flow->flow_ops[i];

		if (i < first || i - first >= count ||
		    m->trace->ops[flow->ops[i]].kind != kind)
			continue;
		for (uint32_t k = 0; k < op->access_count; k++)
			sum += shared_bytes(
			    access, &flow->accesses[op->first_access + k]);
	}
	return sum < all ? sum : all;
}

/* Notes what the kernel at i of a round of ops from first is given. Memory of
 * which any round copies something is not the kernel's own. */
static void note_given(const struct matcher *m, uint32_t first, uint32_t i)
{
	const uint32_t all = m->flow->op_count;
	const struct xs_flow_op *op = &m->flow->flow_ops[first + i];
	struct xs_step *step = &m->phase->steps[m->steps[i]];

	step->given_known = !op->unknown && !m->flow->outside;
	for (uint32_t k = 0; k < op->access_count; k++) {
		const struct xs_flow_access *a =
		    &m->flow->accesses[op->first_access + k];

		step->given_in_bytes +=
		    copied_bytes(m, first, m->count, a, XS_OP_H2D);
		step->given_out_bytes +=
		    copied_bytes(m, first, m->count, a, XS_OP_D2H);
		if (!copied_bytes(m, 0, all, a, XS_OP_H2D) &&
		    !copied_bytes(m, 0, all, a, XS_OP_D2H))
			step->given_other_bytes += a->end - a->begin;
	}
}

/* Finds rounds with the ops of the steps. Other ops may lie between rounds. */
static void find_rounds(struct matcher *m)
{
	const uint32_t count = m->flow->op_count;

	for (uint32_t i = 0; i < count; i++)
		m->position[i] = XS_NONE;
	for (uint32_t at = 0; at < count;) {
		if (!is_round(m, at)) {
			at++;
			continue;
		}
		for (uint32_t i = 0; !m->phase->flow_known && i < m->count; i++)
			if (m->phase->steps[m->steps[i]].kind == XS_STEP_KERNEL)
				note_given(m, at, i);
		m->phase->flow_known = true;
		for (uint32_t i = 0; i < m->count; i++) {
			m->position[at + i] = i;
			m->round[at + i] = at;
		}
		at += m->count;
		m->rounds++;
	}
}

/* Of all rounds, the first op that needs a copy in, and the last one that a
 * copy out needs. */
static void note_edge(const struct matcher *m, const struct xs_flow_edge *edge)
{
	struct xs_step *steps = m->phase->steps;
	uint32_t from, to;

	if ((edge->kind != XS_FLOW_TRUE && edge->kind != XS_FLOW_UNKNOWN) ||
	    m->position[edge->from] == XS_NONE ||
	    m->position[edge->to] == XS_NONE ||
	    m->round[edge->from] != m->round[edge->to])
		return;
	from = m->steps[m->position[edge->from]];
	to = m->steps[m->position[edge->to]];
	if (steps[from].kind == XS_STEP_H2D && to < steps[from].partner)
		steps[from].partner = to;
	if (steps[to].kind == XS_STEP_D2H &&
	    (steps[to].partner == XS_NONE || from > steps[to].partner))
		steps[to].partner = from;
}

static void match(struct matcher *m, uint64_t *steps)
{
	const size_t room = (size_t)m->flow->op_count + 1;
	uint64_t given; /* steps to compare what kernels are given */

	m->steps = xs_malloc((m->phase->step_count + 1) * sizeof(*m->steps));
	m->position = xs_malloc(room * sizeof(*m->position));
	m->round = xs_malloc(room * sizeof(*m->round));
	m->copies = xs_malloc(room * sizeof(*m->copies));
	for (uint32_t i = 0; i < m->flow->op_count; i++) {
		const uint8_t kind = m->trace->ops[m->flow->ops[i]].kind;

		if (kind == XS_OP_H2D || kind == XS_OP_D2H)
			m->copies[m->copy_count++] = i;
	}
	for (size_t i = 0; i < m->phase->step_count; i++) {
		m->phase->steps[i].partner = XS_NONE;
		if (m->phase->steps[i].kind < XS_STEP_SYNC_DEVICE)
			m->steps[m->count++] = (uint32_t)i;
	}
	given = (uint64_t)m->count * m->copy_count;
	*steps -= given < *steps ? given : *steps;
	if (m->count && *steps)
		find_rounds(m);
	for (size_t i = 0; m->phase->flow_known && i < m->flow->flow.count; i++)
		note_edge(m, &m->flow->flow.edges[i]);
}

/* The least time of a round, if the sample has no other work and all of it is
 * known. */
static void find_bound(const struct matcher *m)
{
	struct xs_phase *phase = m->phase;
	struct xs_dataflow_bound bound;

	if (!m->rounds || m->rounds != phase->sample_rounds ||
	    m->rounds * m->count != m->flow->op_count || m->flow->unknown_count)
		return;
	xs_dataflow_bound(m->trace, phase->device, m->flow, &bound);
	phase->least_ns = xs_dataflow_least_ns(&bound) / m->rounds;
}

void xs_phase_flow(const struct xs_trace *trace, struct xs_phase *phase,
		   uint64_t *steps)
{
	struct xs_dataflow flow;
	struct matcher m = {.trace = trace, .phase = phase, .flow = &flow};

	phase->flow_known = false;
	phase->least_ns = 0;
	phase->task_class = (struct xs_task_class){.kind = XS_CLASS_UNKNOWN};
	if (!phase->sample_rounds || !phase->step_count)
		return;
	if (xs_dataflow_build(trace, phase->sample_from_ns, phase->sample_to_ns,
			      steps, &flow))
		return;
	match(&m, steps);
	find_bound(&m);
	if (phase->flow_known)
		xs_task_class(trace, &flow, &phase->task_class);
	free(m.steps);
	free(m.position);
	free(m.round);
	free(m.copies);
	xs_dataflow_free(&flow);
}
