/* SPDX-License-Identifier: MIT */
#include "model/replay/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t more(uint32_t count, uint32_t index)
{
	return index < count ? count : index + 1;
}

int xs_plan_add(struct xs_plan *plan, const struct xs_act *act)
{
	struct xs_act *grown;
	size_t room;

	if (plan->count == plan->room) {
		room = plan->room ? 2 * plan->room : 64;
		grown = realloc(plan->acts, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		plan->acts = grown;
		plan->room = room;
	}
	plan->acts[plan->count++] = *act;
	plan->threads = more(plan->threads, act->thread);
	plan->queues = more(plan->queues, act->queue);
	plan->events = more(plan->events, act->event);
	return 0;
}

int xs_plan_put(struct xs_plan *plan, struct xs_act act, uint32_t queue,
		unsigned times)
{
	int rc = 0;

	act.queue = queue;
	while (!rc && times--)
		rc = xs_plan_add(plan, &act);
	return rc;
}

void xs_plan_free(struct xs_plan *plan)
{
	free(plan->acts);
	memset(plan, 0, sizeof(*plan));
}

double xs_or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

struct xs_act xs_act_copy(const struct xs_machine *machine, bool in,
			  double bytes, bool blocking)
{
	const double lo = xs_or_zero(in ? machine->lo_h2d_ns.value
					: machine->lo_d2h_ns.value);
	const double g =
	    xs_or_zero(in ? machine->g_h2d_ns.value : machine->g_d2h_ns.value);
	struct xs_act act = {.kind = XS_ACT_OP,
			     .unit = in ? XS_UNIT_COPY_IN : XS_UNIT_COPY_OUT,
			     .blocking = blocking,
			     .after = XS_ACT_NONE,
			     .dep_lag_ns = lo,
			     .chain_lag_ns = g,
			     .busy_lag_ns = fmax(g, machine->g_both_ns.value)};

	act.bytes[in ? XS_LINK_COPY_IN : XS_LINK_COPY_OUT] = bytes;
	if (blocking)
		act.return_ns = xs_or_zero(machine->call_copy_sync_ns.value);
	else
		act.call_ns = xs_or_zero(machine->call_copy_async_ns.value);
	act.issue_lag_ns = lo; /* o is the host's part: the call is in it */
	return act;
}

struct xs_act xs_act_copy_behind(const struct xs_machine *machine, double bytes)
{
	struct xs_act act = xs_act_copy(machine, true, bytes, false);

	act.chain_lag_ns = fmax(act.chain_lag_ns, machine->g_kernel_ns.value);
	act.busy_lag_ns = fmax(act.busy_lag_ns, act.chain_lag_ns);
	return act;
}

struct xs_act xs_act_kernel(const struct xs_machine *machine, double work_ns)
{
	const double call_ns = xs_or_zero(machine->call_launch_ns.value);

	return (struct xs_act){
	    .kind = XS_ACT_OP,
	    .unit = XS_UNIT_SM,
	    .after = XS_ACT_NONE,
	    .call_ns = call_ns,
	    .work_ns = work_ns,
	    .issue_lag_ns =
		call_ns + xs_or_zero(machine->launch_latency_ns.value),
	    .dep_lag_ns = xs_or_zero(machine->kernel_gap_ns.value)};
}

struct xs_act xs_act_kernel_of_copy(const struct xs_machine *machine,
				    double work_ns)
{
	struct xs_act act = xs_act_kernel(machine, work_ns);

	act.dep_lag_ns = fmax(act.dep_lag_ns, machine->copy_to_kernel_ns.value);
	return act;
}

struct xs_act xs_act_sync_all(const struct xs_machine *machine)
{
	return (struct xs_act){.kind = XS_ACT_SYNC_ALL,
			       .after = XS_ACT_NONE,
			       .return_ns = xs_or_zero(machine->sync_ns.value)};
}

struct xs_act xs_act_host(double ns)
{
	return (struct xs_act){
	    .kind = XS_ACT_HOST, .after = XS_ACT_NONE, .call_ns = ns};
}
