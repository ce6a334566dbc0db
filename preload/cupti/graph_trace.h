/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the launch of a CUDA graph is recorded node by node, or as
 * one record with its start and end.
 *
 * On an H200 (CUDA 12.9 and 13.0), records of all nodes make the launch of a
 * graph of 22 nodes 15.6 us longer, one record makes it 4.6 us longer. So the
 * first launches of each executable graph are recorded node by node, which
 * shows what it contains, and all others as one. A launch has either one record
 * or those of its nodes, never both: it depends on whether the kind of record
 * CUPTI_ACTIVITY_KIND_GRAPH_TRACE is on when the launch begins.
 *
 * An executable graph that was instantiated while the kind was off crashes at
 * its next launch while the kind is on. One that was instantiated while it was
 * on can be launched either way. So:
 *
 * - The kind is on during each instantiation, which a callback of the driver
 *   shows.
 * - Before the launch of an executable graph whose instantiation was not seen,
 *   the kind is switched off for good.
 *
 * The kind is also switched off for good when another profiler in the process
 * enables records, so that it gets the nodes that it would get without us. The
 * kind is never switched on in four cases: CUPTI may be detached, because all
 * launches would crash after cuptiFinalize; callbacks may be switched off;
 * kernels are counted; or CUPTI is older than 12.9, which was not tested.
 */
#pragma once

#include "preload/util/hot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether launches may be recorded as one. */
extern atomic_bool xs_graph_trace_is_on;

/* Returns whether launches could be recorded as one at any time of the run. */
bool xs_graph_trace_has_begun(void);

/* Call it once, after CUPTI was started with callbacks. */
void xs_graph_trace_start(void);

/* Call it for each driver callback, at the start and end of a call; data is its
 * CUpti_CallbackData. */
void xs_graph_trace_note_call(uint32_t id, const void *data);

/* Chooses how the next launch of the graph is recorded. Thread-safe. */
void xs_graph_trace_choose(void *exec);

/* Call it before the launch of a graph, with the parameters of the call. */
static inline void xs_graph_trace_before_launch(const void *arguments)
{
	if (XS_UNLIKELY(xs_relaxed(&xs_graph_trace_is_on)))
		/* the first parameter of all functions is the graph */
		xs_graph_trace_choose(*(void *const *)arguments);
}
