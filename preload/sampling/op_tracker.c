/* SPDX-License-Identifier: MIT */
#include "preload/sampling/op_tracker.h"

struct xs_watch xs_watch;

static bool is_owed(uint64_t slot)
{
	return slot && slot < XS_WATCH_CAME;
}

bool xs_watch_awaits_ops(void)
{
	if (xs_watch_saw_graphs())
		return false;
	for (unsigned i = 0; i < XS_WATCH_OWED; i++)
		if (is_owed(atomic_load_explicit(&xs_watch.owed[i],
						 memory_order_relaxed)))
			return true;
	return false;
}

static uint32_t highest; /* before the window */

static uint32_t later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0 ? a : b;
}

uint32_t xs_watch_highest(uint32_t from)
{
	return later(later(atomic_load(&xs_watch.latest), highest), from);
}

void xs_watch_begin_window(void)
{
	highest = xs_watch_highest(highest);
	atomic_store(&xs_watch.latest, 0);
	for (unsigned i = 0; i < XS_WATCH_OWED; i++)
		atomic_store_explicit(&xs_watch.owed[i], 0,
				      memory_order_relaxed);
}

static _Atomic uint64_t *owed_slot(uint32_t correlation)
{
	return &xs_watch.owed[correlation % XS_WATCH_OWED];
}

void xs_watch_issued(uint32_t correlation)
{
	uint64_t old = atomic_exchange(owed_slot(correlation), correlation);
	uint64_t owed = correlation;

	if (old == (XS_WATCH_CAME | correlation))
		atomic_compare_exchange_strong(owed_slot(correlation), &owed,
					       0);
}

/* The slot may be that of another call, which is still owed. */
void xs_watch_came(uint32_t correlation)
{
	uint64_t slot = atomic_load(owed_slot(correlation)), settled;

	do {
		if (is_owed(slot) && slot != correlation)
			return;
		settled = slot == correlation ? 0 : XS_WATCH_CAME | correlation;
	} while (!atomic_compare_exchange_weak(owed_slot(correlation), &slot,
					       settled));
}

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
