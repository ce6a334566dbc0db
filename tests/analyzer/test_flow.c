/* SPDX-License-Identifier: MIT */
/* Dependencies of ops: hand-made programs, and random ones against a search of
 * each byte's history. */
#include "tests/unit.h"

#include "analyzer/dataflow/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPS	 24u
#define ACCESSES 3u
#define BYTES	 12u
#define QUEUES	 3u
#define PROGRAMS 2000

struct random_program {
	struct xs_flow_op ops[OPS];
	struct xs_flow_access accesses[OPS * ACCESSES];
	uint32_t before[OPS * QUEUES];
	struct xs_flow_program program;
};

static bool is_before(const struct random_program *p, uint32_t from,
		      uint32_t to)
{
	return from < to &&
	       (!p->program.before ||
		from < p->before[to * QUEUES + p->ops[from].queue]);
}

static enum xs_flow_kind edge_of(const struct xs_flow *flow, uint32_t from,
				 uint32_t to)
{
	for (size_t i = 0; i < flow->count; i++)
		if (flow->edges[i].from == from && flow->edges[i].to == to)
			return flow->edges[i].kind;
	return XS_FLOW_KINDS;
}

enum touch { READS, WRITES, UPDATES, WRITES_EXACTLY };

/* of allocations in `made`, a bit each */
static bool touches_of(const struct random_program *p, uint32_t op,
		       uint64_t byte, enum touch touch, unsigned made)
{
	const struct xs_flow_op *o = &p->ops[op];

	for (uint32_t i = 0; i < o->access_count; i++) {
		const struct xs_flow_access *a =
		    &p->accesses[o->first_access + i];

		if (a->begin <= byte && byte < a->end &&
		    made >> a->allocation & 1 &&
		    (touch == READS	? a->reads
		     : touch == WRITES	? a->writes
		     : touch == UPDATES ? a->reads && a->writes
					: a->writes && a->exact))
			return true;
	}
	return false;
}

static bool touches(const struct random_program *p, uint32_t op, uint64_t byte,
		    enum touch touch)
{
	return touches_of(p, op, byte, touch, 3);
}

/* Whether one reads what the other one wrote, to the same allocation. */
static bool reads_from(const struct random_program *p, uint32_t from,
		       uint32_t to, uint64_t byte)
{
	for (unsigned made = 1; made < 3; made++)
		if (touches_of(p, from, byte, WRITES, made) &&
		    touches_of(p, to, byte, READS, made))
			return true;
	return false;
}

/* Whether an op between the two, and in order with them, writes the byte; for
 * an access that reads it: all of it, or reads it, too. */
static bool overwritten(const struct random_program *p, uint32_t from,
			uint32_t to, uint64_t byte, bool reads)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (is_before(p, i, to) &&
		    ((is_before(p, from, i) &&
		      touches(p, i, byte, reads ? UPDATES : WRITES)) ||
		     touches(p, i, byte, WRITES_EXACTLY)))
			return true;
	return false;
}

static enum xs_flow_kind by_memory(const struct random_program *p,
				   uint32_t from, uint32_t to)
{
	enum xs_flow_kind kind = XS_FLOW_KINDS;

	for (uint64_t byte = 0; byte < BYTES; byte++) {
		const bool stays = !overwritten(p, from, to, byte, true);

		if (stays && reads_from(p, from, to, byte))
			return XS_FLOW_TRUE;
		if ((touches(p, from, byte, WRITES) ||
		     touches(p, from, byte, READS)) &&
		    ((stays && touches(p, to, byte, UPDATES)) ||
		     (!overwritten(p, from, to, byte, false) &&
		      touches(p, to, byte, WRITES))))
			kind = XS_FLOW_REUSE;
	}
	return kind;
}

static bool by_unknown(const struct random_program *p, uint32_t from,
		       uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (p->ops[i].unknown && is_before(p, from, i) &&
		    is_before(p, i, to))
			return false;
	return p->ops[from].unknown || p->ops[to].unknown;
}

static bool by_stream(const struct random_program *p, uint32_t from,
		      uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (p->ops[i].queue == p->ops[to].queue)
			return false;
	return p->ops[from].queue == p->ops[to].queue;
}

static bool by_host(const struct random_program *p, uint32_t from, uint32_t to)
{
	uint32_t before = to;

	if (p->ops[to].waited != from)
		return false;
	while (before-- > 0)
		if (p->ops[before].queue == p->ops[to].queue)
			return p->ops[before].waited != from;
	return true;
}

static enum xs_flow_kind wanted(const struct random_program *p, uint32_t from,
				uint32_t to)
{
	const bool ordered = is_before(p, from, to);
	const enum xs_flow_kind kind =
	    ordered ? by_memory(p, from, to) : XS_FLOW_KINDS;

	return kind == XS_FLOW_TRUE		    ? kind
	       : ordered && by_unknown(p, from, to) ? XS_FLOW_UNKNOWN
	       : kind == XS_FLOW_REUSE		    ? kind
	       : by_stream(p, from, to)		    ? XS_FLOW_STREAM
	       : by_host(p, from, to)		    ? XS_FLOW_HOST
						    : XS_FLOW_KINDS;
}

/* Each op waits for its queue, some for another queue. */
static void make_order(struct random_program *p, uint32_t count)
{
	uint32_t clocks[QUEUES][QUEUES] = {0};

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t own = p->ops[i].queue,
			       other = rand() % 3 ? own : rand() % QUEUES;

		for (uint32_t q = 0; q < QUEUES; q++)
			if (clocks[other][q] > clocks[own][q])
				clocks[own][q] = clocks[other][q];
		memcpy(&p->before[i * QUEUES], clocks[own],
		       sizeof(clocks[own]));
		clocks[own][own] = i + 1;
	}
}

static void make_random(struct random_program *p)
{
	uint32_t used = 0, waited = XS_FLOW_NONE;
	const uint32_t count = 1 + (uint32_t)rand() % OPS;
	const uint32_t renewed = (uint32_t)rand() % (2 * OPS);
	const int unknowns = rand() % 3 ? 40 : 4;

	for (uint32_t i = 0; i < count; i++) {
		struct xs_flow_op *op = &p->ops[i];

		if (i && rand() % 4 == 0)
			waited = (uint32_t)rand() % i;
		*op = (struct xs_flow_op){.queue = (uint32_t)rand() % QUEUES,
					  .waited = waited,
					  .first_access = used,
					  .access_count =
					      (uint32_t)rand() % (ACCESSES + 1),
					  .unknown = rand() % unknowns == 0};
		for (uint32_t k = 0; k < op->access_count; k++) {
			const uint64_t begin = (uint64_t)rand() % BYTES;
			const int what = 1 + rand() % 3;

			p->accesses[used++] = (struct xs_flow_access){
			    begin,
			    begin + (uint64_t)rand() % (BYTES - begin + 1),
			    what & 1,
			    what & 2,
			    rand() % 4 == 0,
			    i >= renewed};
		}
	}
	p->program = (struct xs_flow_program){p->ops, count, p->accesses, used,
					      QUEUES, NULL,  NULL};
	if (rand() % 2) {
		make_order(p, count);
		p->program.before = p->before;
	}
}

TEST(like_each_byte)
{
	struct random_program p;
	struct xs_flow flow;

	srand(26);
	for (int i = 0; i < PROGRAMS; i++) {
		size_t edges = 0;

		make_random(&p);
		assert_int_equal(xs_flow_build(&p.program, &flow), 0);
		for (uint32_t to = 0; to < p.program.op_count; to++)
			for (uint32_t from = 0; from < to; from++) {
				const enum xs_flow_kind kind =
				    wanted(&p, from, to);

				edges += kind != XS_FLOW_KINDS;
				assert_int_equal(edge_of(&flow, from, to),
						 kind);
			}
		assert_int_equal(flow.count, edges);
		xs_flow_free(&flow);
	}
}

/* Two rounds: copy in, kernel, copy out, all in one stream, with a wait. */
TEST(rounds_of_one_buffer)
{
	const struct xs_flow_access accesses[] = {
	    {1000, 1064, false, true, true, 0},
	    {1000, 1064, true, true, false, 0},
	    {2000, 2064, true, true, false, 0},
	    {2000, 2064, true, false, false, 0}};
	const struct xs_flow_op ops[] = {{0, XS_FLOW_NONE, 0, 1, false},
					 {0, XS_FLOW_NONE, 1, 2, false},
					 {0, XS_FLOW_NONE, 3, 1, false},
					 {0, 2, 0, 1, false},
					 {0, 2, 1, 2, false},
					 {0, 2, 3, 1, false}};
	const struct xs_flow_program program = {ops, 6,	   accesses, 4,
						1,   NULL, NULL};
	struct xs_flow flow;

	assert_int_equal(xs_flow_build(&program, &flow), 0);
	assert_int_equal(edge_of(&flow, 0, 1), XS_FLOW_TRUE);
	assert_int_equal(edge_of(&flow, 1, 2), XS_FLOW_TRUE);
	assert_int_equal(edge_of(&flow, 1, 3), XS_FLOW_REUSE);
	assert_int_equal(edge_of(&flow, 2, 3), XS_FLOW_STREAM);
	assert_int_equal(edge_of(&flow, 2, 4), XS_FLOW_REUSE);
	assert_int_equal(flow.count, 8);
	xs_flow_free(&flow);
}

/* Two copies write some part of memory: none needs the other one, and what
 * reads it afterwards needs both. */
TEST(parts_that_are_only_written)
{
	const struct xs_flow_access accesses[] = {{0, 8, false, true, false, 0},
						  {0, 8, true, true, false, 0}};
	const struct xs_flow_op ops[] = {{0, XS_FLOW_NONE, 0, 1, false},
					 {0, XS_FLOW_NONE, 0, 1, false},
					 {0, XS_FLOW_NONE, 1, 1, false},
					 {0, XS_FLOW_NONE, 0, 1, false}};
	const struct xs_flow_program program = {ops, 4,	   accesses, 2,
						1,   NULL, NULL};
	struct xs_flow flow;

	assert_int_equal(xs_flow_build(&program, &flow), 0);
	assert_int_equal(edge_of(&flow, 0, 1), XS_FLOW_REUSE);
	assert_int_equal(edge_of(&flow, 0, 2), XS_FLOW_TRUE);
	assert_int_equal(edge_of(&flow, 1, 2), XS_FLOW_TRUE);
	assert_int_equal(edge_of(&flow, 2, 3), XS_FLOW_REUSE);
	assert_int_equal(flow.count, 4);
	xs_flow_free(&flow);
}

/* Memory that was freed and allocated again holds nothing to need. */
TEST(new_memory_is_not_read)
{
	const struct xs_flow_access accesses[] = {{0, 8, true, true, false, 1},
						  {0, 8, true, true, false, 2},
						  {0, 8, true, false, true, 2}};
	const struct xs_flow_op ops[] = {{0, XS_FLOW_NONE, 0, 1, false},
					 {0, XS_FLOW_NONE, 1, 1, false},
					 {0, XS_FLOW_NONE, 2, 1, false}};
	const struct xs_flow_program program = {ops, 3,	   accesses, 3,
						1,   NULL, NULL};
	struct xs_flow flow;

	assert_int_equal(xs_flow_build(&program, &flow), 0);
	assert_int_equal(edge_of(&flow, 0, 1), XS_FLOW_REUSE);
	assert_int_equal(edge_of(&flow, 1, 2), XS_FLOW_TRUE);
	assert_int_equal(flow.count, 2);
	xs_flow_free(&flow);
}

/* Many ops on many small ranges, and each also reads all of them. */
TEST(too_large)
{
	const uint32_t count = 30000;
	struct xs_flow_op *ops = calloc(count, sizeof(*ops));
	struct xs_flow_access *accesses = calloc(2 * count, sizeof(*accesses));
	const struct xs_flow_program program = {ops, count, accesses, 2 * count,
						1,   NULL,  NULL};
	struct xs_flow flow;

	for (uint32_t i = 0; i < count; i++) {
		ops[i] = (struct xs_flow_op){0, XS_FLOW_NONE, 2 * i, 2, false};
		accesses[2 * i] = (struct xs_flow_access){
		    8 * i, 8 * i + 8, false, true, true, 0};
		accesses[2 * i + 1] = (struct xs_flow_access){
		    0, 8 * count, true, false, false, 0};
	}
	assert_int_equal(xs_flow_build(&program, &flow), -E2BIG);
	assert_null(flow.edges);
	free(ops);
	free(accesses);
}
