/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/cuda_startup.h"

#include "analyzer/util/memory.h"
#include "analyzer/util/sort.h"

#include <stdlib.h>

/* CUDA's startup takes longer than this; calls of one kind differ by less. */
#define LEAST_NS 10000000

/* Pinning a byte took 0.18 to 0.32 ns on the hosts that were measured. */
#define PIN_BYTE_NS 0.3

/* Calls of the first one's kind that are compared. */
#define PEERS 64

/* Returns whether the duration of the call depends on its bytes. */
static bool goes_by_bytes(const struct xs_call *call)
{
	switch (call->call_class) {
	case XS_CALL_COPY:
	case XS_CALL_COPY_ASYNC:
	case XS_CALL_SET:
	case XS_CALL_SET_ASYNC:
	case XS_CALL_ALLOC_PINNED:
	case XS_CALL_REGISTER:
		return true;
	}
	return false;
}

/* Stores in *usual the duration of a call of this kind and size without
 * startup: the median of the other calls, or what pinning usually takes.
 * Returns false when they do not show it: much smaller calls have little but
 * their fixed cost. */
static bool usual_ns(const struct xs_trace *trace, uint32_t index,
		     uint64_t *usual)
{
	const struct xs_call *first = &trace->calls[index];
	bool by_bytes = goes_by_bytes(first);
	uint64_t values[PEERS];
	size_t count = 0;

	for (size_t i = (size_t)index + 1;
	     i < trace->call_count && count < PEERS; i++) {
		const struct xs_call *call = &trace->calls[i];
		double ns = (double)xs_call_ns(call);

		if (call->call_class != first->call_class || call->error != 0 ||
		    (by_bytes && call->bytes < first->bytes / 4 + 1))
			continue;
		if (by_bytes)
			ns *= (double)first->bytes / (double)call->bytes;
		values[count++] = ns < 0x1p62 ? (uint64_t)ns : UINT64_MAX / 4;
	}
	*usual = xs_call_pins(first)
		     ? (uint64_t)((double)first->bytes * PIN_BYTE_NS)
		     : 0;
	if (count == 0)
		return !by_bytes || xs_call_pins(first);
	xs_values_sort(values, count);
	*usual = values[count / 2];
	return true;
}

/* Returns the call of the thread that was in progress at that time, or XS_NONE.
 */
static uint32_t call_at(const struct xs_trace *trace, uint32_t thread,
			uint64_t time_ns)
{
	for (size_t i = 0;
	     i < trace->call_count && trace->calls[i].start_ns <= time_ns; i++)
		if (trace->calls[i].thread == thread &&
		    trace->calls[i].end_ns >= time_ns)
			return (uint32_t)i;
	return XS_NONE;
}

/* Returns the earliest time at which context creation may have begun outside
 * all recorded calls; 0: unknown. */
static uint64_t earliest_ns(const struct xs_trace *trace)
{
	const char *began = xs_trace_find_info(trace, "began");
	uint64_t earliest = began ? strtoull(began, NULL, 10) : 0;

	for (size_t i = 0; earliest && i < trace->call_count; i++) {
		const struct xs_call *call = &trace->calls[i];

		if (call->thread == trace->context_tid &&
		    call->end_ns < trace->context_ns && call->end_ns > earliest)
			earliest = call->end_ns;
	}
	return earliest;
}

static void find_outside(struct xs_trace *trace)
{
	const uint64_t from_ns = earliest_ns(trace);

	/* before what was recorded of the run */
	if (trace->ignored_ns && trace->window_count &&
	    trace->windows[0].begin_ns >= trace->context_ns)
		return;
	if (from_ns && trace->context_ns > from_ns &&
	    trace->context_ns - from_ns >= LEAST_NS)
		trace->startup = (struct xs_cuda_startup){
		    .end_ns = trace->context_ns,
		    .ns = trace->context_ns - from_ns,
		    .call = XS_NONE,
		};
}

/* The startup took from the start of the call until end_ns. Calls that began
 * meanwhile waited for it, too, and so did those that began shortly before and
 * were in progress at its end. */
static void shorten_calls(struct xs_trace *trace, uint32_t index,
			  uint64_t end_ns)
{
	struct xs_cuda_startup *startup = &trace->startup;
	const uint64_t start_ns = trace->calls[index].start_ns;
	uint32_t first = index;
	struct xs_call *calls;
	size_t count = 1;

	for (uint32_t i = index;
	     i-- > 0 && start_ns - trace->calls[i].start_ns < LEAST_NS;)
		if (trace->calls[i].end_ns > end_ns)
			first = i;
	calls = trace->calls + first;
	while (first + count < trace->call_count &&
	       calls[count].start_ns < end_ns)
		count++;
	*startup = (struct xs_cuda_startup){
	    .end_ns = end_ns,
	    .ns = end_ns - start_ns,
	    .call = index,
	    .first = first,
	    .recorded = xs_calloc(count, sizeof(*startup->recorded)),
	    .recorded_count = count};
	for (size_t i = 0; i < count; i++) {
		startup->recorded[i] =
		    (struct xs_call_time){calls[i].start_ns, calls[i].end_ns};
		calls[i].start_ns = end_ns;
		if (calls[i].end_ns < end_ns)
			calls[i].end_ns = end_ns;
	}
}

void xs_cuda_startup_separate(struct xs_trace *trace)
{
	const struct xs_call *call = trace->calls;
	uint32_t index;
	uint64_t usual;

	if (trace->context_ns) {
		index = call_at(trace, trace->context_tid, trace->context_ns);
		if (index == XS_NONE)
			find_outside(trace);
		else
			shorten_calls(trace, index, trace->context_ns);
		return;
	}
	if (trace->call_count == 0 || !usual_ns(trace, 0, &usual) ||
	    xs_call_ns(call) < usual + LEAST_NS)
		return;
	/* GPU work follows the startup: this call was slow for another reason
	 */
	if (!trace->op_count || trace->ops[0].start_ns >= call->end_ns - usual)
		shorten_calls(trace, 0, call->end_ns - usual);
}

void xs_cuda_startup_restore(struct xs_trace *trace)
{
	const struct xs_cuda_startup *startup = &trace->startup;

	for (size_t i = 0; i < startup->recorded_count; i++) {
		struct xs_call *call = &trace->calls[startup->first + i];

		call->start_ns = startup->recorded[i].start_ns;
		call->end_ns = startup->recorded[i].end_ns;
	}
}
