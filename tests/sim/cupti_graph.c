/* SPDX-License-Identifier: MIT */
/*
 * Launches of graphs as one record. As with CUPTI 12.9 and 13.0, a graph that
 * was instantiated while CUPTI_ACTIVITY_KIND_GRAPH_TRACE was off cannot be
 * launched while it is on, and one that was instantiated while it was on cannot
 * be launched after cuptiFinalize: the process is aborted, where the real CUPTI
 * crashes.
 */
#include "tests/sim/cupti_pending.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The state at instantiation, which an executable graph stores: whether the
 * kind was on, and how often CUPTI had been finalized. */
#define KIND_ON	   1u
#define EACH_FINAL 2u

/* By the number of an executable graph: the correlation id of its last launch
 * if that was by node, else 0. */
#define EXECS 4096u
static _Atomic uint32_t by_node[EXECS];

static atomic_uint finals;

static void stop(const char *why)
{
	fprintf(stderr, "a graph that was %s\n", why);
	abort();
}

void xs_cu_forget_graphs(void)
{
	atomic_fetch_add(&finals, EACH_FINAL);
}

unsigned xs_cu_instantiated(void)
{
	return atomic_load(&finals) |
	       (xs_cu_wants(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) ? KIND_ON : 0);
}

bool xs_cu_graph_launched(unsigned instantiated, uint32_t exec,
			  uint32_t correlation)
{
	const unsigned now = xs_cu_instantiated();
	uint32_t last;

	if ((now & KIND_ON) && !(instantiated & KIND_ON))
		stop("instantiated while GRAPH_TRACE was off is launched while "
		     "it is on");
	if ((instantiated & KIND_ON) &&
	    instantiated / EACH_FINAL != now / EACH_FINAL)
		stop("instantiated while GRAPH_TRACE was on is launched after "
		     "cuptiFinalize");
	if (now & KIND_ON)
		correlation = 0;
	last = atomic_exchange(&by_node[exec % EXECS], correlation);
	if ((now & KIND_ON) && last)
		xs_cu_spoil(last);
	return now & KIND_ON;
}
