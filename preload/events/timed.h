/* SPDX-License-Identifier: MIT */
/* Data of timing.c and timing_read.c: contexts, queues and pools of events. */
#pragma once

#include "preload/api/event_api.h"
#include "preload/trace/gpu_records.h"

#include <stdatomic.h>

#define XS_TIMED_MAX_CONTEXTS 16u
#define XS_TIMED_MAX_QUEUES   1024u
#define XS_TIMED_MAX	      4096u /* pending per context */

/* A call whose op is not finished, or not read yet. */
struct xs_timed {
	struct xs_timed *next;
	struct xs_timed_queue *queue;
	CUevent before, after;
	uint64_t call_start_ns, call_end_ns;
	struct xs_gpu_op op;
	struct xs_rec_shape shape;
	uint8_t call_class;	 /* enum xs_call_class */
	bool ends_with_its_call; /* a blocking copy: `after` is not used */
};

struct xs_timed_queue {
	struct xs_timed_context *context;
	CUstream stream;
	uint32_t number;      /* the trace's number */
	uint64_t last_end_ns; /* end of the last op that was read */
	struct xs_timed *first, **last;
	uint32_t waiting;
};

/* An event whose time on the host's clock is known. */
struct xs_timed_anchor {
	CUevent event;
	uint64_t at_ns;
	uint64_t error_ns; /* maximum error at that time */
};

struct xs_timed_context {
	CUcontext handle; /* NULL: destroyed */
	unsigned long long id;
	uint32_t number, device;
	struct xs_timed *free, *all;
	uint32_t made;
	/* The thread that sets it may read events and use the fields below. */
	atomic_bool reading;
	struct xs_timed_anchor anchors[2];
	unsigned newest;
	bool anchored;
	uint64_t next_anchor_ns;
	uint32_t failures; /* failed attempts in a row */
};

/* Returns the current context's queue of a stream (as events name it: a default
 * stream has its own handle), and in *timed a free slot with its events
 * created. Returns NULL if there is no space or no context. */
struct xs_timed_queue *xs_timed_allocate(CUstream stream,
					 struct xs_timed **timed);

/* Appends to its queue. Returns how many are pending there now. */
uint32_t xs_timed_enqueue(struct xs_timed *timed);

/* Returns the first pending one of a queue, or NULL. */
struct xs_timed *xs_timed_first(struct xs_timed_queue *queue);
/* Removes the first pending one of a queue. Returns false if calls are no
 * longer timed: it stays in the queue. */
bool xs_timed_drop_first(struct xs_timed_queue *queue);
/* Returns a slot to its context's pool. */
void xs_timed_free(struct xs_timed *timed);

/* Returns the current context if it has timed calls, else NULL. */
struct xs_timed_context *xs_timed_context(void);

/* Returns the queues one by one: from index 0 on, NULL after the last. */
struct xs_timed_queue *xs_timed_queue_at(uint32_t index);

/* Call before the context is destroyed with its events. */
void xs_timed_drop_context(struct xs_timed_context *context);

/* Returns how many are pending in all queues. */
uint64_t xs_timed_waiting(void);

/* Returns whether recording an event there is not allowed now, because the
 * stream is capturing. Also true for the legacy stream if using it would
 * invalidate another stream's capture. */
bool xs_timed_is_capturing(CUstream stream);

/* In timing_read.c: read the finished calls of a queue, or of all queues of a
 * context. If `idle`, `stream` is probably idle and may get an anchor. */
void xs_timed_read_queue(struct xs_timed_queue *queue);
void xs_timed_read_all(struct xs_timed_context *context, bool idle,
		       CUstream stream);

/* Counts calls that were not timed. */
void xs_timed_count_untimed(uint64_t count);
