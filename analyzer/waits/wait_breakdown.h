/* SPDX-License-Identifier: MIT */
/* Breaks down the time of a host call by what it waited for. */
#pragma once

#include "analyzer/read/trace.h"
#include "analyzer/util/sort.h"

/* Parts of the time of a call; they add up to all of it. */
enum xs_wait_part {
	XS_WAIT_OWN, /* the copy that the call itself issued */
	XS_WAIT_H2D, /* other GPU work, by kind */
	XS_WAIT_KERNEL,
	XS_WAIT_D2H,
	XS_WAIT_OTHER,
	XS_WAIT_LATENCY, /* until the first of these began */
	XS_WAIT_HOST,	 /* the rest: the call's own work */
	XS_WAIT_PARTS
};

#define XS_WAIT_ANY_DEVICE UINT32_MAX

/* One call. Calls must come in the order of their starts. */
struct xs_wait_call {
	uint32_t index;	  /* of the call */
	uint32_t queue;	  /* that it waits for; XS_NONE: unknown, or all */
	uint32_t device;  /* or XS_WAIT_ANY_DEVICE */
	uint64_t from_ns; /* start of the call, or later */
	bool hidden;	  /* an implicit wait: it counts if all earlier work of
			   * the device had ended when the call returned */
};

/* The ops that a call may have waited for. */
struct xs_wait_interval {
	uint64_t start_ns, end_ns;
	uint8_t part; /* enum xs_wait_part */
	bool first;   /* of the awaited queue */
};

/* Zero-initialise, then call xs_wait_breakdown_init(). */
struct xs_wait_breakdown {
	const struct xs_trace *trace;
	struct xs_key *by_end;	/* the trace's ops by end */
	struct xs_key *by_call; /* by the call that issued them */
	/* where the current call is in by_call and in the trace's ops; ops that
	 * were issued before it and may not have ended */
	size_t next_of_call, next_op;
	uint32_t *issued;
	size_t issued_count;
	uint64_t looked_at; /* ops, by all waits so far */
	bool stopped;	    /* too many for the current wait */
	size_t unexamined;  /* waits for which they were too many */
	struct xs_wait_interval *pieces;
	struct xs_key *keys; /* ends of the intervals; with the same room */
	size_t count, room;
};

void xs_wait_breakdown_init(struct xs_wait_breakdown *finder,
			    const struct xs_trace *trace);
void xs_wait_breakdown_release(struct xs_wait_breakdown *finder);

/*
 * Splits the time of a call into part_ns[XS_WAIT_PARTS]. At each moment the
 * call waits for the op that ends last among those that were issued before the
 * call and had ended when it returned; an op of the awaited queue takes
 * precedence.
 */
void xs_wait_breakdown_split(struct xs_wait_breakdown *finder,
			     const struct xs_wait_call *call,
			     uint64_t *part_ns);
