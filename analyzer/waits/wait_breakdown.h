/* SPDX-License-Identifier: MIT */
/* What a call of the host waited for, moment by moment. */
#ifndef XS_ANALYZER_WAITS_WAIT_BREAKDOWN_H
#define XS_ANALYZER_WAITS_WAIT_BREAKDOWN_H

#include "analyzer/read/trace.h"
#include "analyzer/util/sort.h"

/* Parts of the time of a call; together they are all of it. */
enum xs_wait_part {
	XS_WAIT_OWN, /* the copy that the call asked for */
	XS_WAIT_H2D, /* other work of the GPU, by its kind */
	XS_WAIT_KERNEL,
	XS_WAIT_D2H,
	XS_WAIT_OTHER,
	XS_WAIT_LATENCY, /* until the first of these began */
	XS_WAIT_HOST,	 /* the rest: what the call itself does */
	XS_WAIT_PARTS
};

#define XS_WAIT_ANY_DEVICE UINT32_MAX

/* One call to look at. Calls must come in the order of their starts. */
struct xs_wait_call {
	uint32_t index;	  /* of the call */
	uint32_t queue;	  /* that it waits for; XS_NONE: not known, or all */
	uint32_t device;  /* or XS_WAIT_ANY_DEVICE */
	uint64_t from_ns; /* the call's start, or later */
	bool hidden;	  /* nobody asked it to wait: it did if all that the
			   * device had to do had ended when it returned */
};

/* The ops in question, and how they cover the time of a call. */
struct xs_wait_interval {
	uint64_t start_ns, end_ns;
	uint8_t part; /* enum xs_wait_part */
	bool first;   /* of the queue that is waited for */
};

/* Zero, then xs_wait_breakdown_init. */
struct xs_wait_breakdown {
	const struct xs_trace *trace;
	uint32_t *first_op; /* by queue, into ops; one more at the end */
	uint32_t *next_op;  /* by queue: those before had ended */
	uint32_t *ops;	    /* of the trace, by queue and then by start */
	struct xs_wait_interval *pieces;
	struct xs_key *keys; /* their ends; room for room of them */
	size_t count, room;
};

/* 0 or -ENOMEM. */
int xs_wait_breakdown_init(struct xs_wait_breakdown *finder,
			   const struct xs_trace *trace);
void xs_wait_breakdown_release(struct xs_wait_breakdown *finder);

/*
 * Splits the time of a call into part_ns[XS_WAIT_PARTS]. At each moment it
 * waits for the op that ends last, of those that had been asked for before it
 * and had ended when it returned; where an op of its own queue runs, for that.
 * 0 or -ENOMEM.
 */
int xs_wait_breakdown_split(struct xs_wait_breakdown *finder,
			    const struct xs_wait_call *call, uint64_t *part_ns);

#endif
