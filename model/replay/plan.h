/* SPDX-License-Identifier: MIT */
/*
 * A plan: what the host does in one round, call by call, and the op that each
 * call puts on the device. Replay runs it; strategies write it.
 *
 * All times are ns. Threads, queues (streams) and events are small indices
 * from 0.
 */
#ifndef XS_MODEL_REPLAY_PLAN_H
#define XS_MODEL_REPLAY_PLAN_H

#include "model/machine/link.h"

#include <stdint.h>

#define XS_ACTION_NONE UINT32_MAX

enum xs_action_kind {
	XS_ACTION_HOST,	  /* the host is busy for call_ns */
	XS_ACTION_OP,	  /* an op goes onto a queue */
	XS_ACTION_RECORD, /* the event stands for what is on the queue now */
	XS_ACTION_WAIT,	  /* the queue waits for the event */
	XS_ACTION_SYNC_QUEUE, /* the host waits for the queue */
	XS_ACTION_SYNC_EVENT, /* ... for the event */
	XS_ACTION_SYNC_ALL,   /* ... for all that was issued */
};

/* What an op occupies alone. */
enum xs_unit {
	XS_UNIT_NONE, /* nothing: starts as soon as its order lets it */
	XS_UNIT_COPY_IN,
	XS_UNIT_COPY_OUT, /* the same engine as COPY_IN where there is one */
	XS_UNIT_SM,
	XS_UNITS
};

/*
 * One call of the host. An op starts at the latest of
 *	its call + issue_lag_ns,
 *	the end of what it depends on (its queue's last op, events) +
 *		dep_lag_ns,
 *	the end of the op before it on its unit + chain_lag_ns, or
 *		+ busy_lag_ns while the engine of the other direction works,
 * where a dependency on the same unit and direction counts as the third, not
 * the second. It leaves its unit when work_ns have passed and its bytes have
 * crossed the link, and ends tail_ns later.
 */
struct xs_action {
	enum xs_action_kind kind;
	enum xs_unit unit;
	bool blocking; /* the call returns return_ns after the op's end */
	bool loose;    /* does not wait for its queue's last op */
	uint32_t thread, queue, event;
	uint32_t after;	  /* an earlier act whose op must end first, or
			   * XS_ACTION_NONE */
	double gap_ns;	  /* host time since the thread's last call */
	double call_ns;	  /* host time of the call; its least where it blocks */
	double return_ns; /* blocking calls and synchronisations: from the end
			   * of what they wait for to the return */
	double work_ns;	  /* on its unit */
	double tail_ns; /* from leaving its unit to its end: the last blocks of
			 * a kernel too small to fill the device */
	double bytes[XS_LINK_USES];
	double write_share; /* of its mapped writes' time in which the link is
			     * full of them; 0: all of it */
	double issue_lag_ns, dep_lag_ns, chain_lag_ns, busy_lag_ns;
};

struct xs_plan {
	struct xs_action *actions; /* owned; each thread's in its own order */
	size_t count, room;
	uint32_t threads, queues, events; /* one more than the largest index */
	/* A plan of many rounds is timed from the return of act untimed - 1 to
	 * that of the last, and this for one of `rounds`. 0: one round. */
	size_t untimed;
	unsigned rounds;
	/* Hardware queues that streams share, as far as the machine does not
	 * say otherwise, XS_HW_QUEUES_MAX at most; of copies those of each
	 * engine. 0: one for each stream. A record has its order without. */
	unsigned kernel_hw_queues, copy_hw_queues;
};

/* Appends a copy of *act. 0 or -ENOMEM. */
int xs_plan_add(struct xs_plan *plan, const struct xs_action *action);
/* The act onto one queue, several times. 0 or -ENOMEM. */
int xs_plan_put(struct xs_plan *plan, struct xs_action action, uint32_t queue,
		unsigned times);
void xs_plan_free(struct xs_plan *plan);

/*
 * Acts on a given machine; what it does not know of call costs and latencies
 * counts as 0. xs_action_copy: a pinned copy (in: to the device), asynchronous
 * or blocking. xs_action_kernel: of work_ns. xs_action_sync_all. L+o is paid
 * from the call on, whose host time is its o, or after a dependency; g after a
 * copy that ran just before (van Werkhoven 2014, section V: latencies of
 * consecutive transfers overlap).
 */
struct xs_action xs_action_copy(const struct xs_machine *machine, bool in,
				double bytes, bool blocking);
struct xs_action xs_action_kernel(const struct xs_machine *machine,
				  double work_ns);
/* A copy to the device behind one that a kernel waits for. */
struct xs_action xs_action_next_copy(const struct xs_machine *machine,
				     double bytes);
/* The same, of a kernel that needs a copy. */
struct xs_action xs_action_kernel_after_copy(const struct xs_machine *machine,
					     double work_ns);
struct xs_action xs_action_sync_all(const struct xs_machine *machine);
struct xs_action xs_action_host(double ns);

/* value, or 0 where it is not known. */
double xs_or_zero(double value);

#endif
