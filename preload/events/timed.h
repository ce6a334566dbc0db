/* SPDX-License-Identifier: MIT */
/* What the files timing*.c share: the contexts, queues and pools of events. */
#ifndef XS_PRELOAD_EVENTS_TIMED_H
#define XS_PRELOAD_EVENTS_TIMED_H

#include "preload/api/event_api.h"
#include "preload/trace/gpu_records.h"

#include <stdatomic.h>

#define XS_TIMED_CONTEXTS 16u
#define XS_TIMED_QUEUES	  1024u
#define XS_TIMED_MOST	  4096u /* of a context, that wait to be read */

/* One call on its way through the GPU. */
struct xs_timed {
	struct xs_timed *next;
	struct xs_timed_queue *queue;
	CUevent before, after;
	uint64_t call_start_ns, call_end_ns;
	struct xs_gpu_op op;
	struct xs_gpu_shape shape;
	uint8_t call_class;	 /* enum xs_call_class */
	bool ends_with_its_call; /* `after` is not used */
};

struct xs_timed_queue {
	struct xs_timed_context *context;
	CUstream stream;
	uint32_t number;      /* as in the trace */
	uint64_t last_end_ns; /* of what was read */
	struct xs_timed *first, **last;
	uint32_t waiting;
};

/* An event whose moment on the host's clock is known. */
struct xs_timed_anchor {
	CUevent event;
	uint64_t at_ns;
	uint64_t error_ns; /* at most, then */
};

struct xs_timed_context {
	CUcontext handle; /* NULL: gone */
	unsigned long long id;
	uint32_t number, device;
	struct xs_timed *free, *all;
	uint32_t made;
	/* Whoever sets it may read events, and touch what is below. */
	atomic_bool reading;
	struct xs_timed_anchor anchors[2];
	unsigned newest;
	bool anchored;
	uint64_t next_anchor_ns;
	uint32_t failures; /* to set one */
};

/*
 * The current context's queue of a stream (as events name it: a default stream
 * has a handle of its own), and a free slot in *timed with its events made.
 * NULL when there is no room or no context.
 */
struct xs_timed_queue *xs_timed_take(CUstream stream, struct xs_timed **timed);

/* Behind the others of its queue; how many wait there now. */
uint32_t xs_timed_put(struct xs_timed *timed);

/* The first that waits in a queue, or NULL; to be taken out by the second. */
struct xs_timed *xs_timed_first(struct xs_timed_queue *queue);
void xs_timed_drop_first(struct xs_timed_queue *queue);
void xs_timed_give_back(struct xs_timed *timed);

/* The current context if it has anything timed, else NULL. */
struct xs_timed_context *xs_timed_context(void);

/* The queues in turn: from 0 on, NULL after the last. */
struct xs_timed_queue *xs_timed_queue_at(uint32_t index);

/* The context is about to go, and its events with it. */
void xs_timed_forget(struct xs_timed_context *context);

/* How many wait in all queues. */
uint64_t xs_timed_waiting(void);

/* Whether nothing may be recorded there now. Of the legacy stream, too, where
 * using it would break the capture of another. */
bool xs_timed_is_capturing(CUstream stream);

/* timing_read.c: reads what is done of a queue, or of all queues of a context.
 * Where `stream` is likely to be idle, an anchor may be set there. */
void xs_timed_read_queue(struct xs_timed_queue *queue);
void xs_timed_read_all(struct xs_timed_context *context, bool idle,
		       CUstream stream);

/* One more that was not timed. */
void xs_timed_miss(uint64_t count);

#endif
