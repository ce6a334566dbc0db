/* SPDX-License-Identifier: MIT */
/*
 * A plan: the actions of the host in one round, and the op that each of them
 * issues. Strategies write plans; replay runs them.
 *
 * All times are ns. Threads, queues (streams) and events are small indices from
 * 0.
 */
#pragma once

#include "model/machine/link.h"

#include <stdint.h>

#define XS_ACTION_NONE UINT32_MAX

enum xs_action_kind {
	XS_ACTION_HOST,	      /* the host is busy for call_ns */
	XS_ACTION_OP,	      /* issues an op to a queue */
	XS_ACTION_RECORD,     /* records an event on the queue */
	XS_ACTION_WAIT,	      /* the queue waits for the event */
	XS_ACTION_SYNC_QUEUE, /* the host waits for the queue */
	XS_ACTION_SYNC_EVENT, /* ... for the event */
	XS_ACTION_SYNC_ALL,   /* ... for everything issued before */
};

/* A unit runs one op at a time. */
enum xs_unit {
	XS_UNIT_NONE, /* none: the op starts as soon as its order allows */
	XS_UNIT_COPY_IN,
	XS_UNIT_COPY_OUT, /* same engine as COPY_IN if there is one only */
	XS_UNIT_SM,
	XS_UNITS
};

/*
 * One call of the host. An op starts at the latest of
 *	its call + issue_lag_ns,
 *	the end of its dependencies (last op of its queue, events) +
 *	dep_lag_ns,
 *	the end of the previous op of its unit + chain_lag_ns, or
 *	+ busy_lag_ns while the engine of the other direction works.
 * A dependency on the same unit and direction counts as the third, not as the
 * second. The op releases its unit when work_ns have passed and its bytes have
 * crossed the link, and ends tail_ns later.
 */
struct xs_action {
	enum xs_action_kind kind;
	enum xs_unit unit;
	bool blocking;	/* the call returns return_ns after the end of the op */
	bool unordered; /* does not wait for the last op of its queue */
	uint32_t thread, queue, event;
	uint32_t after;	  /* an earlier action whose op must end first, or
			   * XS_ACTION_NONE */
	double gap_ns;	  /* host time since the thread's previous call */
	double call_ns;	  /* host time of the call; the minimum if it blocks */
	double return_ns; /* blocking calls and synchronisations: time from the
			   * end of the awaited op to the return */
	double work_ns;	  /* time on its unit */
	double tail_ns; /* from releasing its unit to its end: last blocks of a
			 * kernel that is too small to fill the device */
	double bytes[XS_LINK_USES];
	double
	    sm_share; /* kernels: share of the SMs that it keeps busy; kernels
		       * of other queues run beside it on the rest. 0: all */
	double write_share; /* mapped writes: share of their time in which they
			     * fill the link; 0: all of it */
	double issue_lag_ns, dep_lag_ns, chain_lag_ns, busy_lag_ns;
};

struct xs_plan {
	struct xs_action *actions; /* owned; actions of one thread are in order
				    */
	size_t count;
	size_t recorded; /* so many first actions are steps of the phase, by
			  * index, perhaps changed */
	uint32_t threads, queues, events; /* largest index + 1 */
	/* A plan of several rounds is timed from the return of action untimed -
	 * 1 to that of the last action, divided by `rounds`. 0: one round. */
	size_t untimed;
	unsigned rounds;
	double behind_ns;  /* host time of a thread behind its last action */
	double between_ns; /* of each: host time that is not the round's */
	/* Hardware queues that streams share unless the machine overrides them,
	 * at most XS_HW_QUEUES_MAX; those of copies for each engine. 0: one for
	 * each stream. A recorded plan has its order without them. */
	unsigned kernel_hw_queues, copy_hw_queues;
};

/* Appends a copy of *action. */
void xs_plan_add(struct xs_plan *plan, const struct xs_action *action);
/* Appends the action `times` times on one queue. */
void xs_plan_put(struct xs_plan *plan, struct xs_action action, uint32_t queue,
		 unsigned times);
void xs_plan_free(struct xs_plan *plan);

/* Returns a digest of all that a replay reads: plans with the same digest take
 * the same time on one machine. Never 0. */
uint64_t xs_plan_digest(const struct xs_plan *plan);

/*
 * Actions with the costs of a machine; unknown call costs and latencies count
 * as 0. xs_action_copy: a pinned copy (in: to the device), asynchronous or
 * blocking. xs_action_kernel: a kernel of work_ns. L+o is paid from the call,
 * whose host time is o, or after a dependency. g is paid after a copy that ran
 * just before (van Werkhoven 2014, section V: latencies of consecutive
 * transfers overlap).
 */
struct xs_action xs_action_copy(const struct xs_machine *machine, bool in,
				double bytes, bool blocking);
struct xs_action xs_action_kernel(const struct xs_machine *machine,
				  double work_ns);
/* A copy to the device that follows the copy which a kernel waits for. */
struct xs_action xs_action_next_copy(const struct xs_machine *machine,
				     double bytes);
/* A kernel that waits for a copy. */
struct xs_action xs_action_kernel_after_copy(const struct xs_machine *machine,
					     double work_ns);
/*
 * Returns the part of the machine's gaps between kernels that recorded times of
 * kernels contain, in ns: before the first warp runs and after the last one has
 * ended. CUPTI counts them as the kernel's own; calibrate's kernels spin for a
 * known time, so that its gaps have both.
 */
double xs_kernel_edges_ns(const struct xs_machine *machine);
struct xs_action xs_action_sync_all(const struct xs_machine *machine);
struct xs_action xs_action_host(double ns);

/* Issues another op in place of the action's: thread, order and the host's work
 * before it stay. */
void xs_action_replace(struct xs_action *action, struct xs_action op);

/* Removes the action's call and op; the host's work before it stays. */
void xs_action_leave_out(struct xs_action *action);

/* Returns the value, or 0 for NAN. */
double xs_or_zero(double value);
