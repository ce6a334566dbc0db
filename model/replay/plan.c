/* SPDX-License-Identifier: MIT */
#include "model/replay/plan.h"

#include "analyzer/util/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t more(uint32_t count, uint32_t index)
{
	return index < count ? count : index + 1;
}

void xs_plan_add(struct xs_plan *plan, const struct xs_action *action)
{
	XS_ARRAY_ADD(plan->actions, plan->count, *action);
	plan->threads = more(plan->threads, action->thread);
	plan->queues = more(plan->queues, action->queue);
	plan->events = more(plan->events, action->event);
}

void xs_plan_put(struct xs_plan *plan, struct xs_action action, uint32_t queue,
		 unsigned times)
{
	action.queue = queue;
	while (times--)
		xs_plan_add(plan, &action);
}

/* As FNV-1a, by words. */
static uint64_t mix(uint64_t digest, uint64_t word)
{
	return (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The numbers from gap_ns on have no padding between them. */
static uint64_t mix_action(uint64_t digest, const struct xs_action *action)
{
	const unsigned char *number = (const unsigned char *)&action->gap_ns;
	const unsigned char *end = (const unsigned char *)(action + 1);
	uint64_t word;

	digest = mix(digest, (uint64_t)action->kind << 32 | action->unit << 2 |
				 action->blocking << 1 | action->unordered);
	digest = mix(digest, (uint64_t)action->thread << 32 | action->queue);
	digest = mix(digest, (uint64_t)action->event << 32 | action->after);
	for (; number < end; number += sizeof(word)) {
		memcpy(&word, number, sizeof(word));
		digest = mix(digest, word);
	}
	return digest ^ digest >> 32;
}

uint64_t xs_plan_digest(const struct xs_plan *plan)
{
	uint64_t digest = mix(plan->count, plan->untimed);
	uint64_t behind;

	memcpy(&behind, &plan->behind_ns, sizeof(behind));
	digest = mix(digest, behind);

	digest = mix(digest, (uint64_t)plan->rounds << 32 |
				 plan->kernel_hw_queues << 16 |
				 plan->copy_hw_queues);
	for (size_t i = 0; i < plan->count; i++)
		digest = mix_action(digest, &plan->actions[i]);
	return digest ? digest : 1;
}

void xs_plan_free(struct xs_plan *plan)
{
	free(plan->actions);
	memset(plan, 0, sizeof(*plan));
}

double xs_or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

struct xs_action xs_action_copy(const struct xs_machine *machine, bool in,
				double bytes, bool blocking)
{
	const double lo = xs_or_zero(in ? machine->lo_h2d_ns.value
					: machine->lo_d2h_ns.value);
	const double g =
	    xs_or_zero(in ? machine->g_h2d_ns.value : machine->g_d2h_ns.value);
	struct xs_action action = {
	    .kind = XS_ACTION_OP,
	    .unit = in ? XS_UNIT_COPY_IN : XS_UNIT_COPY_OUT,
	    .blocking = blocking,
	    .after = XS_ACTION_NONE,
	    .dep_lag_ns = lo,
	    .chain_lag_ns = g,
	    .busy_lag_ns = fmax(g, machine->g_both_ns.value)};

	action.bytes[in ? XS_LINK_COPY_IN : XS_LINK_COPY_OUT] = bytes;
	if (blocking)
		action.return_ns = xs_or_zero(machine->call_copy_sync_ns.value);
	else
		action.call_ns = xs_or_zero(machine->call_copy_async_ns.value);
	action.issue_lag_ns = lo; /* o is the host's part and includes the call
				   */
	return action;
}

struct xs_action xs_action_next_copy(const struct xs_machine *machine,
				     double bytes)
{
	struct xs_action action = xs_action_copy(machine, true, bytes, false);

	action.chain_lag_ns =
	    fmax(action.chain_lag_ns, machine->g_kernel_ns.value);
	action.busy_lag_ns = fmax(action.busy_lag_ns, action.chain_lag_ns);
	return action;
}

struct xs_action xs_action_kernel(const struct xs_machine *machine,
				  double work_ns)
{
	const double call_ns = xs_or_zero(machine->call_launch_ns.value);

	return (struct xs_action){
	    .kind = XS_ACTION_OP,
	    .unit = XS_UNIT_SM,
	    .after = XS_ACTION_NONE,
	    .call_ns = call_ns,
	    .work_ns = work_ns,
	    .issue_lag_ns =
		call_ns + xs_or_zero(machine->launch_latency_ns.value),
	    .dep_lag_ns = xs_or_zero(machine->kernel_gap_ns.value)};
}

struct xs_action xs_action_kernel_after_copy(const struct xs_machine *machine,
					     double work_ns)
{
	struct xs_action action = xs_action_kernel(machine, work_ns);

	action.dep_lag_ns =
	    fmax(action.dep_lag_ns, machine->copy_to_kernel_ns.value);
	return action;
}

/* From the end of a kernel to the start of the next one of its stream, as CUPTI
 * shows it: the median of 18 of the 19 traces in docs/models.md is 0.93 to 1.44
 * us. */
#define RECORDED_GAP_NS 1000.0

double xs_kernel_edges_ns(const struct xs_machine *machine)
{
	return fmax(machine->kernel_gap_ns.value - RECORDED_GAP_NS, 0);
}

struct xs_action xs_action_sync_all(const struct xs_machine *machine)
{
	return (struct xs_action){.kind = XS_ACTION_SYNC_ALL,
				  .after = XS_ACTION_NONE,
				  .return_ns =
				      xs_or_zero(machine->sync_ns.value)};
}

struct xs_action xs_action_host(double ns)
{
	return (struct xs_action){
	    .kind = XS_ACTION_HOST, .after = XS_ACTION_NONE, .call_ns = ns};
}

void xs_action_replace(struct xs_action *action, struct xs_action op)
{
	op.thread = action->thread;
	op.queue = action->queue;
	op.after = action->after;
	op.unordered = action->unordered;
	op.gap_ns = action->gap_ns;
	*action = op;
}

void xs_action_leave_out(struct xs_action *action)
{
	*action = (struct xs_action){.kind = XS_ACTION_HOST,
				     .after = XS_ACTION_NONE,
				     .thread = action->thread,
				     .gap_ns = action->gap_ns};
}
