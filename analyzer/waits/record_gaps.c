/* SPDX-License-Identifier: MIT */
#include "analyzer/waits/record_gaps.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct search {
	bool imported;
	bool *has_op;	      /* of each call */
	struct xs_key *waits; /* waiting calls, by thread and start */
	size_t wait_count;
	size_t last_of_device; /* the last call that waited for the whole device
				*/
};

/* Only CUPTI's callbacks give each call the correlation id of its op. Kernels
 * whose counters were read have none. */
static bool is_recorded_by_cupti(const struct xs_trace *trace)
{
	const char *rung = xs_trace_find_info(trace, "rung");

	return trace->op_count > 0 && !trace->counter_count &&
	       (!rung || strcmp(rung, "callbacks") == 0);
}

/* Whether a copy or a set moves bytes. Of another tool's call only its ops tell
 * that. */
static bool has_bytes(const struct search *search, const struct xs_call *call)
{
	return search->imported || call->bytes > 0;
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
		return has_bytes(search, call) &&
		       (search->imported || call->direction != host_to_host);
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
		*kind = XS_RECORD_GAP_SETS;
		return has_bytes(search, call);
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

static int find_waits(const struct xs_trace *trace, struct search *search)
{
	search->waits = malloc((trace->call_count + 1) * sizeof(struct xs_key));
	if (!search->waits)
		return -ENOMEM;
	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (!waits(call))
			continue;
		search->waits[search->wait_count++] =
		    (struct xs_key){call->thread, (uint32_t)i};
		if (call->call_class == XS_CALL_SYNC_DEVICE ||
		    call->call_class == XS_CALL_RESET)
			search->last_of_device = i;
	}
	return xs_keys_sort(search->waits, search->wait_count);
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

	if (search->last_of_device > call)
		return true;
	after = xs_keys_from(search->waits, search->wait_count, thread + 1);
	return after && search->waits[after - 1].key == thread &&
	       search->waits[after - 1].index > call;
}

static void widen(struct xs_record_gap *gap, const struct xs_call *call)
{
	if (gap->calls++ == 0)
		gap->from_ns = call->start_ns;
	if (call->end_ns > gap->to_ns)
		gap->to_ns = call->end_ns;
}

static void count_calls(const struct xs_trace *trace,
			const struct search *search, struct xs_record_gap *gaps)
{
	enum xs_record_gap_kind kind;

	for (size_t i = 0; i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (!expects_op(search, trace, call, &kind) ||
		    (!search->has_op[i] && !was_waited_for(trace, search, i)))
			continue;
		gaps[kind].of++;
		if (!search->has_op[i])
			widen(&gaps[kind], call);
	}
}

int xs_record_gaps_find(const struct xs_trace *trace,
			struct xs_record_gap gaps[XS_RECORD_GAP_KINDS])
{
	struct search search = {
	    .imported = xs_trace_find_info(trace, "imported") != NULL};
	int rc = -ENOMEM;

	memset(gaps, 0, XS_RECORD_GAP_KINDS * sizeof(*gaps));
	if (!is_recorded_by_cupti(trace))
		return 0;
	search.has_op = calloc(trace->call_count + 1, sizeof(*search.has_op));
	if (search.has_op)
		rc = find_waits(trace, &search);
	for (size_t i = 0; !rc && i < trace->op_count; i++)
		if (trace->ops[i].call != XS_NONE)
			search.has_op[trace->ops[i].call] = true;
	if (!rc)
		count_calls(trace, &search, gaps);
	free(search.waits);
	free(search.has_op);
	return rc;
}
