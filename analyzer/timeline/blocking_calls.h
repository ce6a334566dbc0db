/* SPDX-License-Identifier: MIT */
/* Which calls make the host wait for the device. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * CUPTI converts GPU times to the host's clock with an error of this order: a
 * blocking copy may seem to end just after its call returned.
 */
#define XS_CLOCK_SLACK_NS 5000

bool xs_call_is_sync(const struct xs_call *call);

/* Returns whether the call returned only after the op that it issued. */
bool xs_call_waited(const struct xs_call *call, const struct xs_op *op);

/* Returns whether a call returned after device work that ended at end_ns. */
bool xs_call_returned_after(const struct xs_call *call, uint64_t end_ns);

/*
 * Returns, by call, whether it is a synchronisation or a copy that returned
 * only after its op. Caller frees.
 */
bool *xs_calls_blocked(const struct xs_trace *trace);
