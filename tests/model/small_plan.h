/* SPDX-License-Identifier: MIT */
/* A plan, replayed on a machine of 1 ns per byte; all else costs nothing. */
#pragma once

#include "model/replay/replay.h"
#include "tests/model/model_test.h"

static struct xs_plan plan;
static struct xs_action_times times[64];
static struct xs_machine machine;
static double round_ns;

static inline int set_up(void **unused)
{
	(void)unused;
	memset(&plan, 0, sizeof(plan));
	xs_machine_init(&machine);
	machine.copy_engines = 2;
	machine.implicit_sync = 0;
	set_param(&machine.G_h2d, 1);
	set_param(&machine.G_d2h, 1);
	return 0;
}

static inline int tear_down(void **unused)
{
	(void)unused;
	xs_plan_free(&plan);
	return 0;
}

/* Appends an action on a queue. Returns its index. */
static inline size_t add(struct xs_action action, uint32_t queue)
{
	action.queue = queue;
	xs_plan_add(&plan, &action);
	return plan.count - 1;
}

static inline size_t add_in(double bytes, uint32_t queue)
{
	return add(xs_action_copy(&machine, true, bytes, false), queue);
}

static inline size_t add_out(double bytes, uint32_t queue)
{
	return add(xs_action_copy(&machine, false, bytes, false), queue);
}

static inline size_t add_kernel(double ns, uint32_t queue)
{
	return add(xs_action_kernel(&machine, ns), queue);
}

/* Sets times and round_ns. Returns the latter. */
static inline double run(void)
{
	assert_true(plan.count <= COUNT(times));
	round_ns = xs_replay(&plan, &machine, times);
	return round_ns;
}
