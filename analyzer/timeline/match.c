/* SPDX-License-Identifier: MIT */
/*
 * Matches ops to calls by correlation id. Most ids belong to one call. But ids
 * wrap at 32 bits, and CUPTI gives all calls of a thread the same id once it
 * has missed the end of one. The call of such an op is then chosen by
 * everything else that is known.
 */
#include "analyzer/timeline/match.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* Candidate calls of one id that are compared: the last ones before the op. A
 * damaged file may have one id on everything. */
#define MOST_CALLS 64

struct matcher {
	struct xs_trace *trace;
	struct xs_key *keys; /* calls by id, then by start */
	size_t key_count;
	uint32_t *shared; /* ops whose id belongs to several calls, by start */
	size_t shared_count;
	bool *taken;	    /* by call: it has an op already */
	uint32_t *free_key; /* by key: the last key up to here that may be free,
			       + 1 */
	uint64_t *users;    /* threads and the queues that they used, sorted */
	size_t user_count;
};

static struct xs_key *calls_by_correlation(const struct xs_trace *trace,
					   size_t *count)
{
	struct xs_key *keys = xs_calloc(trace->call_count + 1, sizeof(*keys));

	*count = 0;
	for (size_t i = 0; i < trace->call_count; i++)
		if (trace->calls[i].correlation != 0)
			keys[(*count)++] = (struct xs_key){
			    trace->calls[i].correlation, (uint32_t)i};
	xs_keys_sort(keys, *count);
	return keys;
}

/* Returns whether the keyed call comes before the op, by correlation id and
 * then by start. */
static bool comes_before(const struct xs_trace *trace, const struct xs_key *key,
			 const struct xs_op *op)
{
	if (key->key != op->correlation)
		return key->key < op->correlation;
	return trace->calls[key->index].start_ns <=
	       op->start_ns + XS_CLOCK_SLACK_NS;
}

/*
 * Returns the number of keys before the op. Ops come in about the order of
 * their calls, so the search starts where the last one ended.
 */
static size_t keys_before(const struct matcher *m, size_t from,
			  const struct xs_op *op)
{
	size_t low = from, high = from, step = 1;

	while (low > 0 && !comes_before(m->trace, &m->keys[low - 1], op)) {
		high = low - 1;
		low = low > step ? low - step : 0;
		step *= 2;
	}
	if (low == from) {
		high = low;
		while (high < m->key_count &&
		       comes_before(m->trace, &m->keys[high], op)) {
			low = high + 1;
			high = m->key_count - high > step ? high + step
							  : m->key_count;
			step *= 2;
		}
	}
	XS_BISECT(low, high, i, comes_before(m->trace, &m->keys[i], op));
	return low;
}

static bool has_id(const struct matcher *m, size_t key, uint32_t id)
{
	return key < m->key_count && m->keys[key].key == id;
}

/* Matches ops whose id belongs to one call; collects the others. */
static void match_single(struct matcher *m)
{
	struct xs_trace *trace = m->trace;
	size_t before = 0;

	for (size_t i = 0; i < trace->op_count; i++) {
		struct xs_op *op = &trace->ops[i];
		uint32_t id = op->correlation;
		size_t key;

		if (id == 0)
			continue;
		before = keys_before(m, before, op);
		key = before > 0 && has_id(m, before - 1, id) ? before - 1
							      : before;
		if (!has_id(m, key, id))
			continue;
		if (has_id(m, key + 1, id) ||
		    (key > 0 && has_id(m, key - 1, id)))
			m->shared[m->shared_count++] = (uint32_t)i;
		else
			op->call = m->keys[key].index;
		trace->ops_matched++;
	}
}

static uint64_t user(uint32_t thread, uint16_t queue)
{
	return (uint64_t)thread << 16 | queue;
}

/* Collects which threads used which queues, from certain matches. */
static void find_users(struct matcher *m)
{
	const struct xs_trace *trace = m->trace;
	size_t count = 0, kept = 0;

	m->users = xs_calloc(trace->op_count + 1, sizeof(*m->users));
	for (size_t i = 0; i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			m->users[count++] =
			    user(trace->calls[trace->ops[i].call].thread,
				 trace->ops[i].queue);
	xs_values_sort(m->users, count);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || m->users[i] != m->users[kept - 1])
			m->users[kept++] = m->users[i];
	m->user_count = kept;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns whether the call can issue such an op. */
static bool asks_for(const struct xs_call *call, const struct xs_op *op)
{
	switch (call->call_class) {
	case XS_CALL_LAUNCH:
		return op->kind == XS_OP_KERNEL;
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		return op->kind == XS_OP_SET;
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		return op->kind != XS_OP_KERNEL && op->kind != XS_OP_SET;
	case XS_CALL_GRAPH_LAUNCH:
		return true;
	}
	return false;
}

/* Scores how well a call fits the op: the strongest evidence has the highest
 * bit. */
static unsigned fit(const struct matcher *m, uint32_t index,
		    const struct xs_op *op)
{
	const struct xs_call *call = &m->trace->calls[index];
	uint64_t pair = user(call->thread, op->queue);
	unsigned score = 0;

	if (asks_for(call, op))
		score += 4;
	if (!m->taken[index])
		score += 2;
	if (bsearch(&pair, m->users, m->user_count, sizeof(pair), by_value))
		score += 1;
	return score;
}

/* Returns the last key before `end` whose call has no op yet, + 1; 0: none.
 * Caches the result, so that matched calls are skipped once only. */
static size_t last_free(struct matcher *m, size_t end)
{
	size_t found = end, next;

	while (found > 0 && m->taken[m->keys[found - 1].index])
		found = m->free_key[found - 1];
	for (; end > found; end = next) {
		next = m->free_key[end - 1];
		m->free_key[end - 1] = (uint32_t)found;
	}
	return found;
}

struct choice {
	uint32_t call; /* XS_NONE: none yet */
	unsigned score;
};

static void consider(const struct matcher *m, const struct xs_op *op,
		     size_t key, struct choice *best)
{
	uint32_t call = m->keys[key].index;
	unsigned score = fit(m, call, op);

	if (best->call == XS_NONE || score > best->score)
		*best = (struct choice){call, score};
}

/* Returns the best fitting call among those that begin before the op: the last
 * free ones, and the last ones at all. `before` is the number of keys before
 * the op. */
static uint32_t find_call(struct matcher *m, const struct xs_op *op,
			  size_t before)
{
	struct choice best = {.call = XS_NONE};
	size_t key = last_free(m, before);

	for (unsigned i = 0;
	     i < MOST_CALLS && key > 0 && has_id(m, key - 1, op->correlation);
	     i++, key = last_free(m, key - 1))
		consider(m, op, key - 1, &best);
	key = before;
	for (unsigned i = 0;
	     i < MOST_CALLS && key > 0 && has_id(m, key - 1, op->correlation);
	     i++, key--)
		consider(m, op, key - 1, &best);
	return best.call == XS_NONE ? m->keys[before].index : best.call;
}

/*
 * From the last op to the first: each takes the last of the calls that fit
 * best. The remaining calls began early enough for the earlier ops.
 */
static void match_shared(struct matcher *m)
{
	struct xs_trace *trace = m->trace;
	size_t before = m->key_count;

	for (size_t i = m->shared_count; i-- > 0;) {
		struct xs_op *op = &trace->ops[m->shared[i]];

		before = keys_before(m, before, op);
		op->call = find_call(m, op, before);
		m->taken[op->call] =
		    trace->calls[op->call].call_class != XS_CALL_GRAPH_LAUNCH;
	}
}

void xs_match_ops(struct xs_trace *trace)
{
	struct matcher m = {.trace = trace};

	m.keys = calls_by_correlation(trace, &m.key_count);
	m.shared = xs_calloc(trace->op_count + 1, sizeof(*m.shared));
	match_single(&m);
	if (m.shared_count == 0)
		goto out;
	m.taken = xs_calloc(trace->call_count + 1, sizeof(*m.taken));
	m.free_key = xs_calloc(m.key_count + 1, sizeof(*m.free_key));
	for (size_t k = 0; k < m.key_count; k++)
		m.free_key[k] = (uint32_t)k;
	find_users(&m);
	match_shared(&m);
out:
	free(m.keys);
	free(m.shared);
	free(m.taken);
	free(m.free_key);
	free(m.users);
}
