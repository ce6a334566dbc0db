/* SPDX-License-Identifier: MIT */
#include "preload/watch.h"

struct xs_watch xs_watch;

void xs_watch_op(uint32_t correlation)
{
	uint32_t seen;

	if (!correlation || !xs_watch_keeps(correlation))
		return;
	seen = atomic_load_explicit(xs_watch_slot(correlation),
				    memory_order_acquire);
	/* A later call has taken the slot: nobody knows. Ids wrap. */
	if ((int32_t)(seen - correlation) < 0)
		atomic_fetch_add_explicit(&xs_watch.strays, 1,
					  memory_order_relaxed);
}

uint32_t xs_watch_strays(void)
{
	return atomic_load(&xs_watch.strays);
}

void xs_watch_forget_strays(void)
{
	atomic_store(&xs_watch.strays, 0);
}

uint32_t xs_watch_nested(void)
{
	return atomic_load(&xs_watch.nested);
}

bool xs_watch_saw_own(void)
{
	return atomic_load(&xs_watch.own);
}

bool xs_watch_saw_graphs(void)
{
	return atomic_load(&xs_watch.graphs);
}
