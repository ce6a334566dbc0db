/* SPDX-License-Identifier: MIT */
#include "analyzer/rounds/measure.h"

#include "analyzer/sampling/sampling.h"
#include "analyzer/timeline/interval_union.h"
#include "analyzer/util/memory.h"

#include <math.h>
#include <stdlib.h>

/* Returns the time of the round in which neither a call of its thread nor an op
 * ran. */
static uint64_t host_ns(const struct xs_phase_members *m,
			const struct xs_round *round)
{
	const uint32_t *ops = m->rounds->ops + round->first_op;
	const uint32_t *calls = m->rounds->calls + round->first_call;
	struct xs_interval_union cover = {0, round->begin_ns};
	uint32_t op = 0, call = 0;

	while (op < round->op_count || call < round->call_count) {
		const struct xs_op *o =
		    op < round->op_count ? &m->trace->ops[ops[op]] : NULL;
		const struct xs_call *c = call < round->call_count
					      ? &m->trace->calls[calls[call]]
					      : NULL;

		if (!c || (o && o->start_ns < c->start_ns)) {
			xs_interval_union_add(&cover, o->start_ns, o->end_ns);
			op++;
		} else {
			xs_interval_union_add(&cover, c->start_ns, c->end_ns);
			call++;
		}
	}
	/* failed calls may end after the round */
	if (cover.total_ns > round->end_ns - round->begin_ns)
		return 0;
	return round->end_ns - round->begin_ns - cover.total_ns;
}

static uint64_t blocked_ns(const struct xs_phase_members *m,
			   const struct xs_round *round)
{
	struct xs_interval_union cover = {0, 0};

	for (uint32_t i = 0; i < round->call_count; i++) {
		uint32_t index = m->rounds->calls[round->first_call + i];
		const struct xs_call *call = &m->trace->calls[index];

		if (m->rounds->blocked[index])
			xs_interval_union_add(&cover, call->start_ns,
					      call->end_ns);
	}
	return cover.total_ns;
}

/* Returns whether the next round is of the same phase and window, and does not
 * begin before this one ends. */
static bool is_followed(const struct xs_phase_members *m, size_t i)
{
	const struct xs_round *round = xs_phase_member(m, i);

	return i + 1 < m->count &&
	       m->keys[i + 1].index == m->keys[i].index + 1 &&
	       round[1].begin_ns >= round->end_ns &&
	       xs_in_one_window(m->trace, round->begin_ns, round[1].begin_ns);
}

/* Returns the time to the next round; else 0. */
static uint64_t between_ns(const struct xs_phase_members *m, size_t i)
{
	const struct xs_round *round = xs_phase_member(m, i);

	return is_followed(m, i) ? round[1].begin_ns - round->end_ns : 0;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Shorter gaps between calls only issue them: what a call costs the host in the
 * machine's profile, measured in a loop, has as much. */
#define ISSUE_NS 2000

/* Measures the host's time beside ops: in all, and behind the last call, which
 * is known to be the host's if a round follows. None with a host function, by
 * which a program may wait without a call, nor if the host issued all of the
 * round before it began. */
static void measure_beside(const struct xs_phase_members *m, size_t i,
			   uint64_t *beside_ns, uint64_t *behind_ns)
{
	const struct xs_round *round = xs_phase_member(m, i);
	const uint32_t *calls = m->rounds->calls + round->first_call;
	struct xs_interval_union cover = {0, round->begin_ns};
	uint64_t end_ns;

	*beside_ns = *behind_ns = 0;
	if (round->call_count &&
	    m->trace->calls[calls[round->call_count - 1]].end_ns <=
		round->begin_ns)
		return;
	for (uint32_t k = 0; k < round->call_count; k++) {
		const struct xs_call *call = &m->trace->calls[calls[k]];

		if (call->call_class == XS_CALL_HOST_FUNCTION)
			return;
		xs_interval_union_add(&cover,
				      difference(call->start_ns, cover.end_ns) <
					      ISSUE_NS
					  ? cover.end_ns
					  : call->start_ns,
				      call->end_ns);
	}
	end_ns = is_followed(m, i) ? round->end_ns : cover.end_ns;
	*behind_ns = difference(end_ns, cover.end_ns);
	*beside_ns = difference(end_ns - round->begin_ns,
				cover.total_ns + host_ns(m, round));
}

static const struct xs_op *op_of(const struct xs_phase_members *m,
				 const struct xs_round *round, uint32_t i)
{
	return &m->trace->ops[xs_round_op(m->rounds, round, i)];
}

/* *queue becomes XS_NONE if the op is on another queue than those before. */
static void join_queue(const struct xs_op *op, bool is_first, uint32_t *queue)
{
	if (is_first)
		*queue = op->queue;
	else if (op->queue != *queue)
		*queue = XS_NONE;
}

/* Fills in the values of one round, and the phase's queues. */
static void measure(const struct xs_phase_members *m, size_t at,
		    uint64_t *values[XS_MEASURES], struct xs_phase *phase)
{
	const struct xs_round *round = xs_phase_member(m, at);
	struct xs_overlap overlap = {0};
	uint64_t sum_ns[XS_OP_KINDS] = {0};
	uint32_t copies = 0;

	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op = op_of(m, round, i);

		join_queue(op, !at && !i, &phase->queue);
		if (op->kind == XS_OP_H2D || op->kind == XS_OP_D2H)
			join_queue(op, !at && !copies++, &phase->copy_queue);
		sum_ns[op->kind] += op->end_ns - op->start_ns;
		xs_overlap_add(&overlap, op);
	}
	values[XS_MEASURE_ROUND_NS][at] = round->end_ns - round->begin_ns;
	values[XS_MEASURE_H2D_NS][at] = sum_ns[XS_OP_H2D];
	values[XS_MEASURE_D2H_NS][at] = sum_ns[XS_OP_D2H];
	values[XS_MEASURE_KERNEL_NS][at] = sum_ns[XS_OP_KERNEL];
	values[XS_MEASURE_HOST_NS][at] = host_ns(m, round);
	measure_beside(m, at, &values[XS_MEASURE_BESIDE_NS][at],
		       &values[XS_MEASURE_BEHIND_NS][at]);
	values[XS_MEASURE_BETWEEN_NS][at] = between_ns(m, at);
	values[XS_MEASURE_BLOCKED_NS][at] = blocked_ns(m, round);
	values[XS_MEASURE_OVERLAP_NS][at] = xs_overlap_ns(&overlap);
	values[XS_MEASURE_H2D_BYTES][at] = round->h2d_bytes;
	values[XS_MEASURE_D2H_BYTES][at] = round->d2h_bytes;
}

static uint64_t rank(const uint64_t *sorted, size_t count, unsigned percent)
{
	return sorted[(count - 1) * percent / 100];
}

static struct xs_spread spread(const uint64_t *sorted, size_t count)
{
	return (struct xs_spread){.median_ns = rank(sorted, count, 50),
				  .p5_ns = rank(sorted, count, 5),
				  .p95_ns = rank(sorted, count, 95)};
}

static void fill(struct xs_phase *phase, uint64_t *values[XS_MEASURES],
		 size_t count)
{
	phase->round_ns = spread(values[XS_MEASURE_ROUND_NS], count);
	phase->h2d_ns = spread(values[XS_MEASURE_H2D_NS], count);
	phase->d2h_ns = spread(values[XS_MEASURE_D2H_NS], count);
	phase->kernel_ns = spread(values[XS_MEASURE_KERNEL_NS], count);
	phase->host_ns = spread(values[XS_MEASURE_HOST_NS], count);
	phase->beside_ns = rank(values[XS_MEASURE_BESIDE_NS], count, 50);
	phase->behind_ns = rank(values[XS_MEASURE_BEHIND_NS], count, 50);
	phase->between_ns = spread(values[XS_MEASURE_BETWEEN_NS], count);
	phase->host_blocked_ns = rank(values[XS_MEASURE_BLOCKED_NS], count, 50);
	phase->overlap_ns = rank(values[XS_MEASURE_OVERLAP_NS], count, 50);
	phase->h2d_bytes = rank(values[XS_MEASURE_H2D_BYTES], count, 50);
	phase->d2h_bytes = rank(values[XS_MEASURE_D2H_BYTES], count, 50);
}

/* Rounds of one phase have the same number of ops of each kind. */
static void count_ops(const struct xs_phase_members *m, struct xs_phase *phase)
{
	const struct xs_round *round = xs_phase_member(m, 0);

	for (uint32_t i = 0; i < round->op_count; i++) {
		const struct xs_op *op = op_of(m, round, i);

		phase->h2d_ops += op->kind == XS_OP_H2D;
		phase->d2h_ops += op->kind == XS_OP_D2H;
		phase->kernel_ops += op->kind == XS_OP_KERNEL;
	}
}

/* Returns the thread of the round; 0: without calls. */
static uint64_t thread_of(const struct xs_phase_members *m,
			  const struct xs_round *round)
{
	return round->call_count
		   ? m->trace->calls[m->rounds->calls[round->first_call]].thread
		   : 0;
}

/* The rounds of one thread. */
struct thread_rounds {
	uint64_t total_ns, begin_ns, end_ns;
};

static void add_round(const struct xs_round *round, struct thread_rounds *to)
{
	to->total_ns += round->end_ns - round->begin_ns;
	if (round->begin_ns < to->begin_ns)
		to->begin_ns = round->begin_ns;
	if (round->end_ns > to->end_ns)
		to->end_ns = round->end_ns;
}

/* Stores the largest part that rounds take of their thread's time, from its
 * first round to its last. */
static void find_busiest_thread(const struct xs_phase_members *m, double *part)
{
	struct xs_key *keys = xs_malloc(m->count * sizeof(*keys));
	struct thread_rounds of = {0};

	for (size_t i = 0; i < m->count; i++)
		keys[i] = (struct xs_key){thread_of(m, xs_phase_member(m, i)),
					  (uint32_t)i};
	xs_keys_sort(keys, m->count);
	*part = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (!i || keys[i].key != keys[i - 1].key)
			of = (struct thread_rounds){.begin_ns = UINT64_MAX};
		add_round(xs_phase_member(m, keys[i].index), &of);
		if (i + 1 < m->count && keys[i + 1].key == keys[i].key)
			continue;
		*part =
		    fmax(*part, (double)of.total_ns /
				    fmax((double)(of.end_ns - of.begin_ns), 1));
	}
	free(keys);
}

/* Returns the round whose time is the median. */
static uint32_t find_median(const struct xs_phase_members *m,
			    const struct xs_phase *phase)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);

		if (round->end_ns - round->begin_ns ==
		    phase->round_ns.median_ns)
			return m->keys[i].index;
	}
	return m->keys[0].index;
}

/* Sets the phase's part of the run: wall_ns, what its rounds have of it, but no
 * more than the rounds of the busiest thread take. If threads have gaps between
 * their rounds, no saving is larger than that of one thread. */
static void set_part(const struct xs_phase_members *m, double wall_ns,
		     struct xs_phase *phase)
{
	double part, busiest_ns;

	find_busiest_thread(m, &part);
	busiest_ns =
	    part * (double)(phase->last_end_ns - phase->first_start_ns);
	phase->wall_ns = (uint64_t)(fmin(wall_ns, busiest_ns) + 0.5);
	phase->at_once =
	    (double)phase->total_ns / fmax(fmax(wall_ns, busiest_ns), 1);
}

/* Of more, a spread begins above the shortest. */
#define FEW_ROUNDS 20

/* Whether the last round ends before the host's part of it, which is recorded
 * only if another call follows: it then takes less than half of that part of
 * each other. */
static bool is_last_cut(const struct xs_phase_members *m,
			const uint64_t *round_ns, const uint64_t *host_ns)
{
	const size_t last = m->count - 1;

	for (size_t i = 0; i < last; i++)
		if (round_ns[last] >= host_ns[i] / 2)
			return false;
	return last > 1 && m->count <= FEW_ROUNDS;
}

void xs_measure_times(const struct xs_phase_members *m, struct xs_phase *phase,
		      uint32_t *median_round)
{
	uint64_t *memory = xs_malloc(XS_MEASURES * m->count * sizeof(*memory));
	uint64_t *values[XS_MEASURES];
	double wall_ns = 0;
	size_t whole;

	for (size_t i = 0; i < XS_MEASURES; i++)
		values[i] = memory + i * m->count;

	phase->rounds = phase->recorded_rounds = m->count;
	phase->device = xs_phase_member(m, 0)->device;
	phase->queue = phase->copy_queue = XS_NONE;
	phase->first_start_ns = UINT64_MAX;
	for (size_t i = 0; i < m->count; i++) {
		const struct xs_round *round = xs_phase_member(m, i);

		measure(m, i, values, phase);
		phase->total_ns += round->end_ns - round->begin_ns;
		phase->mean_between_ns += values[XS_MEASURE_BETWEEN_NS][i];
		phase->concurrent_ns += round->concurrent_ns;
		wall_ns += round->wall_ns;
		if (round->begin_ns < phase->first_start_ns) {
			phase->first_start_ns = round->begin_ns;
			phase->first_end_ns = round->end_ns;
		}
		if (round->end_ns > phase->last_end_ns)
			phase->last_end_ns = round->end_ns;
	}
	phase->mean_between_ns /= m->count;
	whole = m->count - is_last_cut(m, values[XS_MEASURE_ROUND_NS],
				       values[XS_MEASURE_HOST_NS]);
	for (size_t i = 0; i < XS_MEASURES; i++)
		xs_values_sort(values[i], whole);
	fill(phase, values, whole);
	count_ops(m, phase);
	free(memory);

	*median_round = find_median(m, phase);
	set_part(m, wall_ns, phase);
}
