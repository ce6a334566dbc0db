/* SPDX-License-Identifier: MIT */
/*
 * Tracks four things: whether driver calls come from the runtime, inside its
 * own calls, or from the program itself; unmatched ops, whose calls were not
 * seen; pending ops; and whether the program uses graphs. Any thread writes to
 * it on the fast path.
 */
#pragma once

#include "preload/util/hot.h"
#include "preload/util/set_once.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One of 2^XS_OP_TRACKER_BITS calls is stored, by its correlation id. A later
 * call overwrites it when the table has been filled once more. */
#define XS_OP_TRACKER_BITS  4
#define XS_OP_TRACKER_SLOTS 4096u

/* Recorded calls with a pending op, by correlation id, if only a part of the
 * run is recorded. An op may arrive before its call returns: then its id is
 * stored with the bit XS_OP_TRACKER_ARRIVED. */
#define XS_OP_TRACKER_PENDING 32768u
#define XS_OP_TRACKER_ARRIVED (UINT64_C(1) << 32)

/* A thread reports nested calls of the driver in batches of this size. */
#define XS_OP_TRACKER_NESTED 256u

struct xs_op_tracker {
	_Atomic uint32_t nested;
	_Atomic uint32_t unmatched;
	atomic_bool own, graphs;
	_Atomic uint32_t latest; /* of the stored calls */
	_Atomic uint32_t seen[XS_OP_TRACKER_SLOTS];
	_Atomic uint64_t pending[XS_OP_TRACKER_PENDING]; /* 0: none */
};
extern struct xs_op_tracker xs_op_tracker;

static inline _Atomic uint32_t *xs_op_tracker_slot(uint32_t correlation)
{
	return &xs_op_tracker.seen[(correlation >> XS_OP_TRACKER_BITS) %
				   XS_OP_TRACKER_SLOTS];
}

/* Returns whether a call is one of those that are stored. */
static inline bool xs_op_tracker_keeps(uint32_t correlation)
{
	return (correlation & ((1u << XS_OP_TRACKER_BITS) - 1)) == 0;
}

static inline void xs_op_tracker_note_call(uint32_t correlation)
{
	if (!xs_op_tracker_keeps(correlation))
		return;
	atomic_store_explicit(xs_op_tracker_slot(correlation), correlation,
			      memory_order_release);
	xs_relaxed_set(&xs_op_tracker.latest, correlation);
}

/* Adds XS_OP_TRACKER_NESTED driver calls that were inside runtime calls. */
static inline void xs_op_tracker_note_nested(void)
{
	atomic_fetch_add_explicit(&xs_op_tracker.nested, XS_OP_TRACKER_NESTED,
				  memory_order_relaxed);
}

static inline void xs_op_tracker_note_own_call(void)
{
	xs_set_once(&xs_op_tracker.own);
}

/* Notes that a graph is captured or launched, or that an op of one arrived. */
static inline void xs_op_tracker_note_graph(void)
{
	xs_set_once(&xs_op_tracker.graphs);
}

/* Note that a call issued one op to the device, and that an op arrived. */
void xs_op_tracker_op_issued(uint32_t correlation);
void xs_op_tracker_op_arrived(uint32_t correlation);

/* Returns the number of calls with a pending op. With graphs it is always 0,
 * because captured calls have no op. */
unsigned xs_op_tracker_pending(void);

/* At the begin of a window: forgets the pending calls and the latest call. */
void xs_op_tracker_begin_window(void);

/* Notes that an op arrived. It is unmatched if its call was not seen. */
void xs_op_tracker_note_op(uint32_t correlation);

/* Returns the number of unmatched ops among those of stored calls: one stands
 * for 2^XS_OP_TRACKER_BITS. */
uint32_t xs_op_tracker_unmatched(void);
void xs_op_tracker_reset_unmatched(void);
uint32_t xs_op_tracker_nested(void);
bool xs_op_tracker_saw_own(void);
bool xs_op_tracker_saw_graphs(void);
