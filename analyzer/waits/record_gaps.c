/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/record_gaps.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/bisect.h"
#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>
#include <string.h>

/* The clocks of host and GPU may be this far apart in a trace that is right. */
#define CLOCKS_APART_NS 100000
/* Beyond any link between host and device. */
#define MOST_BYTES_PER_NS 1000
#define RESOLUTION_NS	  1000 /* of times in files of other tools */

struct search {
	bool imported;
	bool one_context;	    /* for which a wait for the device is */
	const struct xs_op **op_of; /* last op of each call */
	struct xs_key *waits;	    /* waiting calls, by thread and start */
	size_t wait_count;
	uint32_t *of_device; /* calls that waited for the whole device */
	size_t of_device_count;
	const struct xs_op **last; /* op of each queue that ended last */
};

/* Only CUPTI's callbacks give each call the correlation id of its op. Kernels
 * whose counters were read have none. */
static bool is_recorded_by_cupti(const struct xs_trace *trace)
{
	const char *rung = xs_trace_find_info(trace, "rung");

	return trace->op_count > 0 && !trace->counter_count &&
	       (!rung || strcmp(rung, "callbacks") == 0);
}

/* Returns whether a call should have an op, and of which kind. */
static bool expects_op(const struct search *search,
		       const struct xs_trace *trace, const struct xs_call *call,
		       enum xs_record_gap_kind *kind)
{
	const uint8_t host_to_host = 0; /* a cudaMemcpyKind */

	/* The last records of a killed process are lost: that is not a gap. */
	if (call->error || !call->correlation || call->captured ||
	    (trace->header.state == XS_FILE_RUNNING &&
	     call->end_ns > trace->header.flush_realtime_ns))
		return false;
	switch (call->call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
		*kind = XS_RECORD_GAP_COPIES;
		return search->imported ||
		       (call->bytes > 0 && call->direction != host_to_host);
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		/* libraries set nothing; in another tool's file a call without
		 * an op has no size */
		*kind = XS_RECORD_GAP_SETS;
		return call->bytes > 0;
	case XS_CALL_LAUNCH:
		*kind = XS_RECORD_GAP_KERNELS;
		return true;
	}
	return false;
}

static bool waits(const struct xs_call *call)
{
	return !call->error &&
	       (call->call_class == XS_CALL_COPY || xs_call_is_sync(call));
}

static void find_waits(const struct xs_trace *trace, struct search *search)
{
	search->waits =
	    xs_malloc((trace->call_count + 1) * sizeof(struct xs_key));
	search->of_device =
	    xs_malloc((trace->call_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (!waits(call))
			continue;
		search->waits[search->wait_count++] =
		    (struct xs_key){call->thread, (uint32_t)i};
		if (call->call_class == XS_CALL_SYNC_DEVICE ||
		    call->call_class == XS_CALL_RESET)
			search->of_device[search->of_device_count++] =
			    (uint32_t)i;
	}
	xs_keys_sort(search->waits, search->wait_count);
}

/*
 * Work that no call waited for may never have run: waits of one thread show
 * nothing about other threads' streams.
 */
static bool was_waited_for(const struct xs_trace *trace,
			   const struct search *search, size_t call)
{
	const uint64_t thread = trace->calls[call].thread;
	size_t after;

	if (search->of_device_count &&
	    search->of_device[search->of_device_count - 1] > call)
		return true;
	after = xs_keys_from(search->waits, search->wait_count, thread + 1);
	return after && search->waits[after - 1].key == thread &&
	       search->waits[after - 1].index > call;
}

static void widen(struct xs_record_gap *gap, uint64_t from_ns, uint64_t to_ns)
{
	if (gap->calls++ == 0 || from_ns < gap->from_ns)
		gap->from_ns = from_ns;
	if (to_ns > gap->to_ns)
		gap->to_ns = to_ns;
}

static void count_calls(const struct xs_trace *trace,
			const struct search *search, struct xs_record_gap *gaps)
{
	enum xs_record_gap_kind kind;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (!expects_op(search, trace, call, &kind) ||
		    (!search->op_of[i] && !was_waited_for(trace, search, i)))
			continue;
		gaps[kind].of++;
		if (!search->op_of[i])
			widen(&gaps[kind], call->start_ns, call->end_ns);
	}
}

static bool has_one_context(const struct xs_trace *trace)
{
	const struct xs_queue *queues = trace->queues;
	size_t i = 1;

	while (i < trace->queue_count && queues[i].device == queues[0].device &&
	       queues[i].context == queues[0].context)
		i++;
	return i >= trace->queue_count;
}

/* Returns when the first call that waited for the whole device after a call
 * returned. UINT64_MAX: none did, or in which of several contexts is not known.
 */
static uint64_t waited_until_ns(const struct xs_trace *trace,
				const struct search *search,
				const struct xs_call *call)
{
	const struct xs_call *calls = trace->calls;
	size_t first = 0, end = search->of_device_count;

	XS_BISECT(first, end, i,
		  calls[search->of_device[i]].start_ns < call->end_ns);
	return first < search->of_device_count && search->one_context
		   ? calls[search->of_device[first]].end_ns
		   : UINT64_MAX;
}

bool xs_copy_is_too_fast(const struct xs_op *op)
{
	return (op->kind == XS_OP_H2D || op->kind == XS_OP_D2H) &&
	       op->bytes / MOST_BYTES_PER_NS >
		   op->end_ns - op->start_ns + RESOLUTION_NS;
}

static void check_op(const struct xs_trace *trace, const struct search *search,
		     const struct xs_op *op, struct xs_record_gap *gaps)
{
	const struct xs_call *call;
	uint64_t until_ns;

	gaps[XS_RECORD_GAP_RATES].of +=
	    op->kind == XS_OP_H2D || op->kind == XS_OP_D2H;
	if (xs_copy_is_too_fast(op))
		widen(&gaps[XS_RECORD_GAP_RATES], op->start_ns, op->end_ns);
	if (op->call == XS_NONE || (op->flags & XS_OP_ESTIMATED))
		return;
	call = &trace->calls[op->call];
	until_ns = waited_until_ns(trace, search, call);
	gaps[XS_RECORD_GAP_CLOCKS].of++;
	if (op->start_ns + CLOCKS_APART_NS < call->start_ns ||
	    (op->end_ns > until_ns && op->end_ns - until_ns > CLOCKS_APART_NS))
		widen(&gaps[XS_RECORD_GAP_CLOCKS], call->start_ns,
		      call->end_ns);
}

/* Whether an op of a stream runs during half of the time of the next one, or
 * of its own. A kernel may begin before the one before it ends, but the times
 * of two are not the same. */
static bool run_at_once(const struct xs_op *op, const struct xs_op *next)
{
	const uint64_t end_ns =
	    op->end_ns < next->end_ns ? op->end_ns : next->end_ns;
	const uint64_t both_ns =
	    end_ns > next->start_ns ? end_ns - next->start_ns : 0;

	if (both_ns <= RESOLUTION_NS)
		return false;
	if (op->kind == XS_OP_KERNEL && next->kind == XS_OP_KERNEL)
		return op->start_ns == next->start_ns &&
		       op->end_ns == next->end_ns;
	return 2 * both_ns > op->end_ns - op->start_ns ||
	       2 * both_ns > next->end_ns - next->start_ns;
}

/* Whether another op of its call, on any stream, has its times. */
static bool is_there_twice(const struct search *search, const struct xs_op *op)
{
	const struct xs_op *other =
	    op->call == XS_NONE ? NULL : search->op_of[op->call];

	return other && other->kind == op->kind &&
	       other->start_ns == op->start_ns && other->end_ns == op->end_ns;
}

/* Ops of one stream run one after the other; not those of a graph, and what the
 * host copies within its memory. */
static void check_order(const struct xs_trace *trace,
			const struct search *search, const struct xs_op *op,
			struct xs_record_gap *gaps)
{
	const struct xs_op **last = &search->last[op->queue];

	if (op->flags & (XS_OP_ESTIMATED | XS_OP_GRAPH | XS_OP_MIGRATION) ||
	    op->kind == XS_OP_H2H ||
	    (op->call != XS_NONE &&
	     trace->calls[op->call].call_class == XS_CALL_GRAPH_LAUNCH))
		return;
	gaps[XS_RECORD_GAP_ORDER].of++;
	if ((*last && run_at_once(*last, op)) || is_there_twice(search, op))
		widen(&gaps[XS_RECORD_GAP_ORDER], op->start_ns, op->end_ns);
	if (!*last || op->end_ns > (*last)->end_ns)
		*last = op;
}

void xs_record_gaps_find(const struct xs_trace *trace,
			 struct xs_record_gap gaps[XS_RECORD_GAP_KINDS])
{
	struct search search = {
	    .imported = xs_trace_find_info(trace, "imported") != NULL,
	    .one_context = has_one_context(trace)};

	memset(gaps, 0, XS_RECORD_GAP_KINDS * sizeof(*gaps));
	if (!is_recorded_by_cupti(trace))
		return;
	search.op_of = xs_calloc(trace->call_count + 1, sizeof(*search.op_of));
	search.last = xs_calloc(trace->queue_count + 1, sizeof(*search.last));
	find_waits(trace, &search);
	for (size_t i = 0; i < trace->op_count; i++) {
		check_op(trace, &search, &trace->ops[i], gaps);
		check_order(trace, &search, &trace->ops[i], gaps);
		if (trace->ops[i].call != XS_NONE)
			search.op_of[trace->ops[i].call] = &trace->ops[i];
	}
	count_calls(trace, &search, gaps);
	free(search.last);
	free(search.of_device);
	free(search.waits);
	free(search.op_of);
}
