/* SPDX-License-Identifier: MIT */
/* Pageable copies in another run of the same program. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"
#include "model/replay/plan.h"

/* Returns the bytes of the step's call: a copy in parts has further steps
 * without a call. */
double xs_step_call_bytes(const struct xs_phase *phase, size_t i);

/*
 * Returns one end of the time of a pageable copy in another run, relative to
 * the recorded one: -1 the fast end, 1 the slow end. The curve's range is that
 * of processes; the recorded run and the other one both vary by it, so their
 * ratio varies by sqrt(2) of it. 1 if the range is unknown.
 */
double xs_another_run_ratio(const struct xs_curve *curve, double bytes,
			    int end);

/* Multiplies the times of a recorded pageable copy. Its call takes as long as
 * the copy, also if it returns before the last part has arrived. */
void xs_action_scale(struct xs_action *action, double by);

/* Returns the time of a pageable copy from its call or its dependency to its
 * return, in ns. */
double xs_action_copy_ns(const struct xs_action *action);

/* Changes the pageable copies of a phase's plan (action i is step i) to one
 * end; 0: as recorded. */
void xs_another_run(struct xs_plan *plan, const struct xs_phase *phase,
		    const struct xs_machine *machine, int in_end, int out_end);

/* The most that tracing adds to the call of a copy. If it copies a little
 * pageable memory, that is 2.3 to 4.3 us in rounds that only make such calls on
 * an H200 host, 3.4 to 6.7 on an H100 host (contact 12). */
#define XS_TRACER_COPY_NS 3000.0

/*
 * Limits pageable copies of at most 64 KiB to the profile's times, for a round
 * without the tracer, or without some of the calls beside them. same_calls: all
 * stay, and no copy takes less than without what tracing adds, which is unknown
 * of another tool. Copies of no known time keep theirs.
 */
void xs_short_copies_limit(struct xs_plan *plan, const struct xs_phase *phase,
			   const struct xs_machine *machine, bool same_calls);
