/* SPDX-License-Identifier: MIT */
/*
 * Who calls the driver: the runtime, inside its own calls, or the program
 * itself; whether ops come that belong to no call that was seen; whether ops
 * are still to come; and whether there are graphs. All of it is written on the
 * hot path of any thread.
 */
#ifndef XS_WATCH_H
#define XS_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of 2^XS_WATCH_BITS calls one is kept, by its correlation id, until as many
 * have come after it as the table has room for. */
#define XS_WATCH_BITS  4
#define XS_WATCH_SLOTS 4096u

/* Calls whose ops are to come, by their ids: of a window of light mode all. An
 * op may come before its call has returned: then its id stands there with this
 * mark. */
#define XS_WATCH_OWED 32768u
#define XS_WATCH_CAME (UINT64_C(1) << 32)

/* A thread says so once for this many calls of the driver. */
#define XS_WATCH_NESTED 256u

struct xs_watch {
	_Atomic uint32_t nested;
	_Atomic uint32_t strays;
	atomic_bool own, graphs;
	_Atomic uint32_t latest; /* of those that are kept */
	_Atomic uint32_t seen[XS_WATCH_SLOTS];
	_Atomic uint64_t owed[XS_WATCH_OWED]; /* 0: none */
};
extern struct xs_watch xs_watch;

static inline _Atomic uint32_t *xs_watch_slot(uint32_t correlation)
{
	return &xs_watch.seen[(correlation >> XS_WATCH_BITS) % XS_WATCH_SLOTS];
}

/* Whether this is one of those that are kept. */
static inline bool xs_watch_keeps(uint32_t correlation)
{
	return (correlation & ((1u << XS_WATCH_BITS) - 1)) == 0;
}

static inline void xs_watch_seen_call(uint32_t correlation)
{
	if (!xs_watch_keeps(correlation))
		return;
	atomic_store_explicit(xs_watch_slot(correlation), correlation,
			      memory_order_release);
	atomic_store_explicit(&xs_watch.latest, correlation,
			      memory_order_relaxed);
}

/* XS_WATCH_NESTED calls of the driver more were inside of the runtime's. */
static inline void xs_watch_nested_calls(void)
{
	atomic_fetch_add_explicit(&xs_watch.nested, XS_WATCH_NESTED,
				  memory_order_relaxed);
}

static inline void xs_watch_once(atomic_bool *what)
{
	if (!atomic_load_explicit(what, memory_order_relaxed))
		atomic_store(what, true);
}

static inline void xs_watch_own_call(void)
{
	xs_watch_once(&xs_watch.own);
}

/* A graph is captured or launched, or an op of one has come. */
static inline void xs_watch_graph(void)
{
	xs_watch_once(&xs_watch.graphs);
}

/* A call has given the device one op to do; an op of a call has come. */
void xs_watch_issued(uint32_t correlation);
void xs_watch_came(uint32_t correlation);

/* Whether the op of such a call has not come. Not known where there are graphs:
 * what is captured has none. */
bool xs_watch_awaits_ops(void);

/* Neither they nor the latest call are of more interest. */
void xs_watch_begin_window(void);

/* No less than the latest of those that were ever kept, from `from` on; they
 * wrap. */
uint32_t xs_watch_highest(uint32_t from);

/* An op has come. It is a stray when its call was not seen. */
void xs_watch_op(uint32_t correlation);

/* Ops of the kept calls alone: one stray stands for 2^XS_WATCH_BITS. */
uint32_t xs_watch_strays(void);
void xs_watch_forget_strays(void);
uint32_t xs_watch_nested(void);
bool xs_watch_saw_own(void);
bool xs_watch_saw_graphs(void);

#endif
