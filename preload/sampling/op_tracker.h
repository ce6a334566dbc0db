/* SPDX-License-Identifier: MIT */
/*
 * Who calls the driver: the runtime, inside its own calls, or the program
 * itself; whether ops come that belong to no call that was seen; whether ops
 * are still to come; and whether there are graphs. All of it is written on the
 * hot path of any thread.
 */
#ifndef XS_PRELOAD_SAMPLING_OP_TRACKER_H
#define XS_PRELOAD_SAMPLING_OP_TRACKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of 2^XS_OP_TRACKER_BITS calls one is kept, by its correlation id, until as
 * many have come after it as the table has room for. */
#define XS_OP_TRACKER_BITS  4
#define XS_OP_TRACKER_SLOTS 4096u

/* Recorded calls whose ops are to come, by their ids, where only a part of the
 * run is recorded. An op may come before its call has returned: then its id
 * stands there with this mark. */
#define XS_OP_TRACKER_PENDING 32768u
#define XS_OP_TRACKER_ARRIVED (UINT64_C(1) << 32)

/* A thread says so once for this many calls of the driver. */
#define XS_OP_TRACKER_NESTED 256u

struct xs_op_tracker {
	_Atomic uint32_t nested;
	_Atomic uint32_t unmatched;
	atomic_bool own, graphs;
	_Atomic uint32_t latest; /* of those that are kept */
	_Atomic uint32_t seen[XS_OP_TRACKER_SLOTS];
	_Atomic uint64_t pending[XS_OP_TRACKER_PENDING]; /* 0: none */
};
extern struct xs_op_tracker xs_op_tracker;

static inline _Atomic uint32_t *xs_op_tracker_slot(uint32_t correlation)
{
	return &xs_op_tracker.seen[(correlation >> XS_OP_TRACKER_BITS) %
				   XS_OP_TRACKER_SLOTS];
}

/* Whether this is one of those that are kept. */
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
	atomic_store_explicit(&xs_op_tracker.latest, correlation,
			      memory_order_relaxed);
}

/* XS_OP_TRACKER_NESTED calls of the driver more were inside of the runtime's.
 */
static inline void xs_op_tracker_note_nested(void)
{
	atomic_fetch_add_explicit(&xs_op_tracker.nested, XS_OP_TRACKER_NESTED,
				  memory_order_relaxed);
}

static inline void xs_op_tracker_set_once(atomic_bool *what)
{
	if (!atomic_load_explicit(what, memory_order_relaxed))
		atomic_store(what, true);
}

static inline void xs_op_tracker_note_own_call(void)
{
	xs_op_tracker_set_once(&xs_op_tracker.own);
}

/* A graph is captured or launched, or an op of one has come. */
static inline void xs_op_tracker_note_graph(void)
{
	xs_op_tracker_set_once(&xs_op_tracker.graphs);
}

/* A call has given the device one op to do; an op of a call has come. */
void xs_op_tracker_op_issued(uint32_t correlation);
void xs_op_tracker_op_arrived(uint32_t correlation);

/* Returns how many such calls' ops have not come. 0 where there are graphs:
 * what is captured has none. */
unsigned xs_op_tracker_pending(void);

/* A window begins: forgets these calls, and the latest one. */
void xs_op_tracker_begin_window(void);

/* An op has come. It is a stray when its call was not seen. */
void xs_op_tracker_note_op(uint32_t correlation);

/* Ops of the kept calls alone: one stray stands for 2^XS_OP_TRACKER_BITS. */
uint32_t xs_op_tracker_unmatched(void);
void xs_op_tracker_reset_unmatched(void);
uint32_t xs_op_tracker_nested(void);
bool xs_op_tracker_saw_own(void);
bool xs_op_tracker_saw_graphs(void);

#endif
