/* SPDX-License-Identifier: MIT */
#include "preload/sampling/op_tracker.h"

struct xs_op_tracker xs_op_tracker;

static bool is_pending(uint64_t slot)
{
	return slot && slot < XS_OP_TRACKER_ARRIVED;
}

unsigned xs_op_tracker_pending(void)
{
	unsigned pending = 0;

	if (xs_op_tracker_saw_graphs())
		return 0;
	for (unsigned i = 0; i < XS_OP_TRACKER_PENDING; i++)
		pending += is_pending(xs_relaxed(&xs_op_tracker.pending[i]));
	return pending;
}

void xs_op_tracker_begin_window(void)
{
	atomic_store(&xs_op_tracker.latest, 0);
	for (unsigned i = 0; i < XS_OP_TRACKER_PENDING; i++)
		xs_relaxed_set(&xs_op_tracker.pending[i], 0);
}

static _Atomic uint64_t *pending_slot(uint32_t correlation)
{
	return &xs_op_tracker.pending[correlation % XS_OP_TRACKER_PENDING];
}

void xs_op_tracker_op_issued(uint32_t correlation)
{
	uint64_t old = atomic_exchange(pending_slot(correlation), correlation);
	uint64_t pending = correlation;

	if (old == (XS_OP_TRACKER_ARRIVED | correlation))
		atomic_compare_exchange_strong(pending_slot(correlation),
					       &pending, 0);
}

/* The slot may belong to another call whose op is still pending. */
void xs_op_tracker_op_arrived(uint32_t correlation)
{
	uint64_t slot = atomic_load(pending_slot(correlation)), next;

	do {
		if (is_pending(slot) && slot != correlation)
			return;
		next = slot == correlation
			   ? 0
			   : XS_OP_TRACKER_ARRIVED | correlation;
	} while (!atomic_compare_exchange_weak(pending_slot(correlation), &slot,
					       next));
}

void xs_op_tracker_note_op(uint32_t correlation)
{
	uint32_t seen;

	if (!correlation || !xs_op_tracker_keeps(correlation))
		return;
	seen = atomic_load_explicit(xs_op_tracker_slot(correlation),
				    memory_order_acquire);
	/* If a later call has taken the slot, the op is not counted as
	 * unmatched. Ids wrap around; 0: no call has taken the slot. */
	if (!seen || (int32_t)(seen - correlation) < 0)
		atomic_fetch_add_explicit(&xs_op_tracker.unmatched, 1,
					  memory_order_relaxed);
}

uint32_t xs_op_tracker_unmatched(void)
{
	return atomic_load(&xs_op_tracker.unmatched);
}

void xs_op_tracker_reset_unmatched(void)
{
	atomic_store(&xs_op_tracker.unmatched, 0);
}

uint32_t xs_op_tracker_nested(void)
{
	return atomic_load(&xs_op_tracker.nested);
}

bool xs_op_tracker_saw_own(void)
{
	return atomic_load(&xs_op_tracker.own);
}

bool xs_op_tracker_saw_graphs(void)
{
	return atomic_load(&xs_op_tracker.graphs);
}
