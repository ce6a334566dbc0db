/* SPDX-License-Identifier: MIT */
#include "analyzer/dataflow/waited_ops.h"

#include "analyzer/timeline/blocking_calls.h"
#include "analyzer/util/memory.h"

#include <stdlib.h>

#define LOOK_AHEAD 1000u

void xs_waited_ops_begin(const struct xs_trace *trace, const uint32_t *ops,
			 struct xs_waited_ops *waited)
{
	bool *blocked = xs_calls_blocked(trace);

	*waited =
	    (struct xs_waited_ops){.trace = trace,
				   .ops = ops,
				   .waits = xs_malloc((trace->call_count + 1) *
						      sizeof(*waited->waits)),
				   .waited = XS_NONE};
	for (size_t i = 0; i < trace->call_count; i++)
		if (blocked[i] && trace->calls[i].error == 0)
			waited->waits[waited->wait_count++] = (struct xs_key){
			    trace->calls[i].end_ns, (uint32_t)i};
	xs_keys_sort(waited->waits, waited->wait_count);
	free(blocked);
}

void xs_waited_ops_restart(struct xs_waited_ops *waited)
{
	waited->next_wait = waited->all_ended = 0;
	waited->waited = XS_NONE;
}

/* Ops that were issued before the wait began and had ended when it returned. Of
 * ops behind one that runs on, the next LOOK_AHEAD are looked at. */
static void note_wait(struct xs_waited_ops *waited, uint32_t at, uint32_t index)
{
	const struct xs_trace *trace = waited->trace;
	bool all = true;

	for (uint32_t i = waited->all_ended;
	     i < at && i - waited->all_ended < LOOK_AHEAD; i++) {
		const struct xs_op *op = &trace->ops[waited->ops[i]];
		const bool ended =
		    op->call <= index &&
		    xs_call_returned_after(&trace->calls[index], op->end_ns);

		all &= ended;
		if (all)
			waited->all_ended = i + 1;
		if (ended && (waited->waited == XS_NONE || i > waited->waited))
			waited->waited = i;
	}
}

uint32_t xs_waited_ops_advance(struct xs_waited_ops *waited, uint32_t at,
			       uint32_t call)
{
	const uint64_t start_ns = waited->trace->calls[call].start_ns;

	for (; waited->next_wait < waited->wait_count &&
	       waited->waits[waited->next_wait].key <= start_ns;
	     waited->next_wait++)
		note_wait(waited, at, waited->waits[waited->next_wait].index);
	return waited->waited;
}

void xs_waited_ops_free(struct xs_waited_ops *waited)
{
	free(waited->waits);
	*waited = (struct xs_waited_ops){0};
}
