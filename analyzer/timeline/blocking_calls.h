/* SPDX-License-Identifier: MIT */
/* Which calls make the host wait for the device. */
#ifndef XS_ANALYZER_TIMELINE_BLOCKING_CALLS_H
#define XS_ANALYZER_TIMELINE_BLOCKING_CALLS_H

#include "analyzer/read/trace.h"

/*
 * GPU times are converted to the host's clock by CUPTI, with an error of this
 * order: a copy that blocked may seem to end just after its call returned.
 */
#define XS_CLOCK_SLACK_NS 5000

bool xs_call_is_sync(const struct xs_call *call);

/* Did the call return only when the op that it asked for was done? */
bool xs_call_waited(const struct xs_call *call, const struct xs_op *op);

/* Had all that ended at end_ns, on the device, ended when the call returned? */
bool xs_call_returned_after(const struct xs_call *call, uint64_t end_ns);

/*
 * By call: is it a synchronisation, or a copy that returned only when it was
 * done? Owned by the caller; NULL without memory.
 */
bool *xs_calls_blocked(const struct xs_trace *trace);

#endif
