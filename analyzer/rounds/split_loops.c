/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/split_loops.h"

#include "analyzer/rounds/lanes.h"
#include "analyzer/rounds/loop_head.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* Numbers of iterations that are tried. */
#define NESTED_LOOPS 3

/* Whether some are most of all. */
static bool are_most(uint32_t some, uint32_t all)
{
	return (uint64_t)some * 4 >= (uint64_t)all * 3;
}

static void find_lone(struct xs_splitter *s)
{
	const size_t count = s->rounds->count;
	struct xs_key *keys = xs_malloc((count + 1) * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct xs_key){s->rounds->items[i].key, (uint32_t)i};
	xs_keys_sort(keys, count);
	for (size_t i = 0; i < count; i++)
		s->lone[keys[i].index] =
		    (i == 0 || keys[i - 1].key != keys[i].key) &&
		    (i + 1 == count || keys[i + 1].key != keys[i].key);
	free(keys);
}

/* Returns whether the round may be a loop: all calls of its ops are known. */
static bool may_be_loop(const struct xs_splitter *s, size_t index)
{
	const struct xs_round *round = &s->rounds->items[index];
	const struct xs_op *ops = s->trace->ops;

	if (!s->lone[index] || round->call_count == 0)
		return false;
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op = &ops[xs_round_op(s->rounds, round, i)];

		if (op->call == XS_NONE)
			return false;
	}
	return true;
}

/* Returns the most common of s->values from `least` to `most_value`, the
 * smallest one of several; 0 if there is none. Sorts the values. */
static uint64_t most_common(struct xs_splitter *s, size_t count, uint64_t least,
			    uint64_t most_value)
{
	size_t same = 0, most = 0;
	uint64_t value = 0;

	xs_values_sort(s->values, count);
	for (size_t i = 0; i < count; i++) {
		same = i > 0 && s->values[i] == s->values[i - 1] ? same + 1 : 1;
		if (s->values[i] >= least && s->values[i] <= most_value &&
		    same > most) {
			most = same;
			value = s->values[i];
		}
	}
	return value;
}

/* Returns the number of iterations, at most so many: most ops are of identities
 * that occur once in each. 0: too few. */
static uint32_t count_iterations(struct xs_splitter *s,
				 const struct xs_round *round, uint32_t most)
{
	for (uint32_t i = 0; i < round->op_count; i++)
		s->values[i] =
		    s->counts[xs_round_identity(s->rounds, round, i)];
	return (uint32_t)most_common(s, round->op_count, XS_LOOP_LEAST, most);
}

/* Returns the iteration, one of the new rounds from the first one on, that has
 * the call of an op. */
static size_t iteration_of(const struct xs_splitter *s, size_t first,
			   uint32_t index)
{
	const uint32_t position = s->position[s->trace->ops[index].call];
	size_t past = s->count;

	first++;
	XS_BISECT(first, past, i, s->items[i].first_call <= position);
	return first - 1;
}

static void add_op(struct xs_splitter *s, size_t iteration, uint32_t index)
{
	const struct xs_op *op = &s->trace->ops[index];
	struct xs_round *round = &s->items[iteration];

	xs_round_count_op(s->rounds, s->rounds->identities[index], op, round);
	if (op->end_ns > round->end_ns)
		round->end_ns = op->end_ns;
	s->round_of_op[index] = (uint32_t)iteration;
}

/* Begins an iteration with the call at a position. The iteration before ends
 * with the call before. */
static void begin_iteration(struct xs_splitter *s, const struct xs_round *whole,
			    uint32_t position)
{
	const struct xs_call *calls = s->trace->calls;
	const bool is_first = position == whole->first_call;
	const struct xs_round round = {
	    .device = whole->device,
	    .first_call = position,
	    .call_count = whole->first_call + whole->call_count - position,
	    .begin_ns = is_first ? whole->begin_ns
				 : calls[s->rounds->calls[position]].start_ns};

	if (!is_first)
		s->items[s->count - 1].call_count =
		    position - s->items[s->count - 1].first_call;
	XS_ARRAY_ADD(s->items, s->count, round);
}

/* An iteration lasts until its last op and its last call have ended. Where the
 * recorded part of the run begins or ends within the loop, it may be cut. */
static void end_iterations(struct xs_splitter *s, size_t first, bool partial)
{
	s->items[first].partial = s->items[s->count - 1].partial = partial;
	for (size_t i = first; i < s->count; i++) {
		struct xs_round *round = &s->items[i];
		const uint32_t last = round->first_call + round->call_count - 1;
		const uint64_t end_ns =
		    s->trace->calls[s->rounds->calls[last]].end_ns;

		if (end_ns > round->end_ns)
			round->end_ns = end_ns;
	}
}

/* Where the host runs ahead of the kernels' stream, the GPU divides the time:
 * an iteration lasts from its first op there to that of the next one. What
 * another thread issued to it before runs within that one. */
static void time_by_ops(struct xs_splitter *s, size_t iteration,
			const struct xs_round *whole, uint32_t queue)
{
	for (uint32_t i = 0; i < whole->op_count; i++) {
		const uint32_t index = xs_round_op(s->rounds, whole, i);

		if (s->trace->ops[index].queue != queue ||
		    s->round_of_op[index] <= iteration)
			continue;
		s->items[iteration].end_ns = s->trace->ops[index].start_ns;
		iteration = s->round_of_op[index];
		s->items[iteration].begin_ns = s->trace->ops[index].start_ns;
	}
}

/* Returns the key that most of the new rounds from the first one on have. */
static uint64_t usual_key(struct xs_splitter *s, size_t first)
{
	const size_t count = s->count - first;

	for (size_t i = 0; i < count; i++)
		s->values[i] = s->items[first + i].key;
	return most_common(s, count, 0, UINT64_MAX);
}

/* Returns how many of the new rounds from the first one on have that many
 * kernels or more. */
static uint32_t count_computing(struct xs_splitter *s, size_t first,
				const struct xs_round *whole, uint64_t kernels)
{
	uint32_t computing = 0;

	for (size_t i = first; i < s->count; i++)
		s->values[i - first] = 0;
	for (uint32_t i = 0; i < whole->op_count; i++) {
		const uint32_t index = xs_round_op(s->rounds, whole, i);

		if (s->trace->ops[index].kind == XS_OP_KERNEL)
			computing +=
			    ++s->values[s->round_of_op[index] - first] ==
			    kernels;
	}
	return computing;
}

/* Returns whether the new rounds from the first one on are a loop: most have
 * kernels, most began when the GPU had nothing to do, unless the host may run
 * ahead, and most ops are in equal ones. */
static bool are_iterations(struct xs_splitter *s, size_t first,
			   const struct xs_round *whole, bool ahead)
{
	const uint32_t count = (uint32_t)(s->count - first);
	const uint32_t computing =
	    count_computing(s, first, whole, ahead ? XS_LOOP_KERNELS : 1);
	const uint64_t key = usual_key(s, first);
	uint32_t idle = 0, ops = 0;

	for (size_t i = first; i < s->count; i++) {
		const struct xs_round *round = &s->items[i];

		idle += i > first && round[-1].end_ns <= round->begin_ns;
		ops += round->key == key ? round->op_count : 0;
	}
	return are_most(computing, count) &&
	       (ahead || are_most(idle, count - 1)) &&
	       are_most(ops, whole->op_count);
}

/* Returns whether most ops beside the kernels' stream end within the iteration
 * that issues them. If it issues copies for a later one than the next, they may
 * run behind it, and their time is not its own. */
static bool are_within(const struct xs_splitter *s,
		       const struct xs_round *whole, uint32_t queue)
{
	uint32_t beside = 0, within = 0;

	for (uint32_t i = 0; i < whole->op_count; i++) {
		const uint32_t index = xs_round_op(s->rounds, whole, i);
		const struct xs_op *op = &s->trace->ops[index];

		if (op->queue == queue)
			continue;
		beside++;
		within += op->end_ns <= s->items[s->round_of_op[index]].end_ns;
	}
	return are_most(within, beside);
}

/* Passes the kernels, from op *at of the round on, that were issued before the
 * call at a position. Returns whether there was one. */
static bool pass_kernels(const struct xs_splitter *s,
			 const struct xs_round *round, uint32_t *at,
			 uint32_t position)
{
	bool passed = false;

	for (; *at < round->op_count; (*at)++) {
		const struct xs_op *op =
		    &s->trace->ops[xs_round_op(s->rounds, round, *at)];

		if (op->kind != XS_OP_KERNEL)
			continue;
		if (s->position[op->call] >= position)
			break;
		passed = true;
	}
	return passed;
}

/* Cuts the round where iterations begin. What comes before the first one
 * belongs to it. ahead: kernels are in one stream, and several copies in before
 * them, of the parts of a batch, begin one iteration. */
static void cut(struct xs_splitter *s, const struct xs_round *round,
		uint32_t head, bool ahead)
{
	const size_t first = s->count;
	uint32_t kernel = 0;

	begin_iteration(s, round, round->first_call);
	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op =
		    &s->trace->ops[xs_round_op(s->rounds, round, i)];

		if (xs_round_identity(s->rounds, round, i) == head &&
		    s->position[op->call] > s->items[s->count - 1].first_call &&
		    (!ahead ||
		     pass_kernels(s, round, &kernel, s->position[op->call])))
			begin_iteration(s, round, s->position[op->call]);
	}
	/* a batch that no step takes */
	if (ahead && s->count > first + 1 &&
	    !pass_kernels(s, round, &kernel, UINT32_MAX)) {
		s->count--;
		s->items[s->count - 1].call_count +=
		    s->items[s->count].call_count;
	}
	for (uint32_t i = 0; i < round->op_count; i++) {
		const uint32_t index = xs_round_op(s->rounds, round, i);

		add_op(s, iteration_of(s, first, index), index);
	}
}

static void keep_whole(struct xs_splitter *s, const struct xs_round *round)
{
	for (uint32_t i = 0; i < round->op_count; i++)
		s->round_of_op[xs_round_op(s->rounds, round, i)] =
		    (uint32_t)s->count;
	XS_ARRAY_ADD(s->items, s->count, *round);
}

/* Splits the round into iterations that begin with the head. Sets *found if it
 * is a loop of them. ahead: the stream that the host may run ahead of, which is
 * then not idle when they begin, or XS_NONE. */
static void split_at(struct xs_splitter *s, const struct xs_round *round,
		     uint32_t head, uint32_t ahead, bool *found)
{
	const size_t first = s->count;

	cut(s, round, head, ahead != XS_NONE);
	*found = are_iterations(s, first, round, ahead != XS_NONE);
	if (*found)
		end_iterations(s, first, round->partial);
	if (*found && ahead != XS_NONE) {
		time_by_ops(s, first, round, ahead);
		*found = are_within(s, round, ahead);
	}
	if (!*found)
		s->count = first;
}

/* Splits the round into so many iterations at most, and sets *most to one less
 * than were tried. */
static void try_split(struct xs_splitter *s, const struct xs_round *round,
		      uint32_t *most, bool *found)
{
	const uint32_t iterations = count_iterations(s, round, *most);

	if (!iterations)
		return;
	*most = iterations - 1;
	split_at(s, round, xs_loop_head_idle(s, round, iterations), XS_NONE,
		 found);
}

/* An iteration may have a loop of its own, such as the layers of a step, to
 * which most ops belong; its kernels may have others' names in the first one.
 */
static void split(struct xs_splitter *s, size_t index)
{
	const struct xs_round *round = &s->rounds->items[index];
	uint32_t most = UINT32_MAX, head, queue;
	bool found = false;

	if (!may_be_loop(s, index)) {
		keep_whole(s, round);
		return;
	}
	for (uint32_t i = 0; i < round->op_count; i++)
		s->counts[xs_round_identity(s->rounds, round, i)]++;
	for (int i = 0; i < NESTED_LOOPS && !found; i++)
		try_split(s, round, &most, &found);
	head = found ? XS_NONE : xs_loop_head_copy(s, round, &queue);
	if (head != XS_NONE)
		split_at(s, round, head, queue, &found);
	for (uint32_t i = 0; i < round->op_count; i++)
		s->counts[xs_round_identity(s->rounds, round, i)] = 0;
	if (!found)
		keep_whole(s, round);
}

void xs_rounds_split_loops(const struct xs_trace *trace,
			   struct xs_rounds *rounds, uint32_t *round_of_op)
{
	const size_t ops = trace->op_count + 1;
	struct xs_splitter s = {
	    .trace = trace,
	    .rounds = rounds,
	    .round_of_op = round_of_op,
	    .lone = xs_calloc(rounds->count + 1, sizeof(*s.lone)),
	    .position =
		xs_malloc((trace->call_count + 1) * sizeof(*s.position)),
	    .counts = xs_calloc(ops, sizeof(*s.counts)),
	    .values = xs_malloc(ops * sizeof(*s.values)),
	    .scratch = xs_malloc(ops * sizeof(*s.scratch))};

	find_lone(&s);
	for (size_t i = 0; i < trace->call_count; i++)
		s.position[rounds->calls[i]] = (uint32_t)i;
	for (size_t i = 0; i < rounds->count; i++)
		split(&s, i);
	free(rounds->items);
	rounds->items = s.items;
	rounds->count = s.count;
	free(s.lone);
	free(s.position);
	free(s.counts);
	free(s.values);
	free(s.scratch);
}
