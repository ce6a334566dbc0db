/* SPDX-License-Identifier: MIT */
/*
 * Every recorded round replays to its own time. Random programs (threads,
 * queues, events, blocking and asynchronous calls) are replayed on a machine
 * with realistic costs and rounded to whole ns to make the records.
 */
#include "tests/model/model_test.h"

#include "model/replay/recorded_plan.h"
#include "model/replay/replay.h"
#include "model/replay/tracer_overhead.h"

#define PROGRAMS 1500
#define ACTS_MAX 60

static struct xs_machine costly_machine(void)
{
	struct xs_machine m;

	xs_machine_init(&m);
	set_param(&m.lo_h2d_ns, 5500);
	set_param(&m.lo_d2h_ns, 6000);
	set_param(&m.g_h2d_ns, 2900);
	set_param(&m.g_d2h_ns, 2500);
	set_param(&m.G_h2d, 0.018);
	set_param(&m.G_d2h, 0.018);
	set_param(&m.G_both_h2d, 0.02);
	set_param(&m.G_both_d2h, 0.02);
	set_param(&m.call_copy_async_ns, 2500);
	set_param(&m.call_copy_sync_ns, 2600);
	set_param(&m.call_launch_ns, 3000);
	set_param(&m.launch_latency_ns, 2200);
	set_param(&m.kernel_gap_ns, 900);
	set_param(&m.sync_ns, 3100);
	return m;
}

static struct xs_action random_act(uint64_t *state, const struct xs_machine *m)
{
	const double size = random_between(state, 10, 5e6);
	const bool in = random_between(state, 0, 2) < 1;
	struct xs_action action;

	switch ((int)random_between(state, 0, 10)) {
	case 0:
		action = xs_action_sync_all(m);
		break;
	case 1:
		action = xs_action_sync_all(m);
		action.kind = XS_ACTION_SYNC_QUEUE;
		break;
	case 2:
		action = xs_action_host(1000);
		action.kind = XS_ACTION_RECORD;
		break;
	case 3:
		action = xs_action_host(1000);
		action.kind = XS_ACTION_WAIT;
		break;
	case 4:
	case 5:
	case 6:
		action = xs_action_kernel(m, size / 50);
		break;
	case 7:
		action = xs_action_copy(m, in, size, true);
		break;
	default:
		action = xs_action_copy(m, in, size, false);
	}
	action.queue = (uint32_t)random_between(state, 0, 4);
	action.event = (uint32_t)random_between(state, 0, 3);
	action.gap_ns = random_between(state, 100, 20000);
	return action;
}

static uint8_t step_kind(const struct xs_action *action)
{
	switch (action->kind) {
	case XS_ACTION_RECORD:
		return XS_STEP_EVENT_RECORD;
	case XS_ACTION_WAIT:
		return XS_STEP_STREAM_WAIT;
	case XS_ACTION_SYNC_QUEUE:
		return XS_STEP_SYNC_STREAM;
	case XS_ACTION_SYNC_ALL:
		return XS_STEP_SYNC_DEVICE;
	default:
		return action->unit == XS_UNIT_SM	 ? XS_STEP_KERNEL
		       : action->unit == XS_UNIT_COPY_IN ? XS_STEP_H2D
							 : XS_STEP_D2H;
	}
}

static struct xs_step record(const struct xs_action *action,
			     const struct xs_action_times *t, double begin_ns)
{
	const uint8_t kind = step_kind(action);
	struct xs_step step = {.kind = kind,
			       .blocking = action->blocking,
			       .queue = action->queue,
			       .thread = 1,
			       .event = action->event + 1,
			       .call_ns = (uint64_t)(t->call_ns - begin_ns),
			       .return_ns =
				   (uint64_t)(t->return_ns - begin_ns)};

	if (kind < XS_STEP_SYNC_DEVICE) {
		step.start_ns = (uint64_t)(t->start_ns - begin_ns);
		step.end_ns = (uint64_t)(t->end_ns - begin_ns);
	}
	return step;
}

/* Fills steps with a random program as it ran. Returns their number. */
static size_t run_program(uint64_t *state, struct xs_step *steps,
			  double *round_ns)
{
	const struct xs_machine m = costly_machine();
	const size_t count = (size_t)random_between(state, 1, ACTS_MAX);
	struct xs_action_times times[ACTS_MAX + 1];
	struct xs_action last = xs_action_sync_all(&m);
	struct xs_plan plan = {0};

	for (size_t i = 0; i < count; i++) {
		const struct xs_action action = random_act(state, &m);

		xs_plan_add(&plan, &action);
	}
	last.gap_ns = 1000;
	xs_plan_add(&plan, &last);
	*round_ns = xs_replay(&plan, &m, times);
	for (size_t i = 0; i <= count; i++)
		steps[i] =
		    record(&plan.actions[i], &times[i], times[0].call_ns);
	*round_ns -= times[0].call_ns;
	xs_plan_free(&plan);
	return count + 1;
}

TEST(test_replays_to_its_own_time)
{
	const struct xs_model_options options = {0};
	const struct xs_machine m = costly_machine();
	uint64_t random = 42;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct xs_step steps[ACTS_MAX + 1];
		struct xs_phase phase = {.steps = steps};
		struct xs_estimates list = {0};
		double round_ns = 0;

		phase.step_count = run_program(&random, steps, &round_ns);
		phase.round_ns.median_ns = (uint64_t)round_ns;
		xs_model_phase(&phase, &m, &options, &list);
		assert_string_equal(list.items[0].strategy, "as-is");
		/* rounding moves each step by at most one ns */
		if (!(fabs(list.items[0].round_ns - round_ns) <=
		      2.0 * (double)phase.step_count))
			fail_msg("program %u: %.1f replays to %.1f", i,
				 round_ns, list.items[0].round_ns);
		xs_estimates_free(&list);
	}
}

/* Without known calls, ops keep their positions. */
TEST(test_ops_alone)
{
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D, .start_ns = 5, .end_ns = 105},
	    {.kind = XS_STEP_KERNEL, .start_ns = 120, .end_ns = 220},
	    {.kind = XS_STEP_D2H, .start_ns = 250, .end_ns = 300}};
	const struct xs_recorded_plan_change none = {false, 1, 1};
	struct xs_phase phase = {.steps = steps, .step_count = 3};
	struct xs_action_times times[3];
	struct xs_plan plan = {0};
	struct xs_machine m;
	double round_ns;

	xs_machine_init(&m);
	xs_recorded_plan_build(&phase, &m, &none, &plan);
	round_ns = xs_replay(&plan, &m, times);
	assert_near(times[0].start_ns, 5);
	assert_near(times[1].start_ns, 120);
	assert_near(times[2].start_ns, 250);
	assert_near(round_ns, 300);
	xs_plan_free(&plan);
}

/* GPU times are converted with an error of a few us: a blocking copy and a
 * synchronisation may seem to return before the op's end. */
TEST(test_clocks_that_disagree)
{
	struct xs_step steps[] = {{.kind = XS_STEP_H2D,
				   .blocking = true,
				   .call_ns = 1000,
				   .return_ns = 50000,
				   .start_ns = 900,
				   .end_ns = 51000},
				  {.kind = XS_STEP_KERNEL,
				   .call_ns = 52000,
				   .return_ns = 54000,
				   .start_ns = 53000,
				   .end_ns = 90500},
				  {.kind = XS_STEP_SYNC_DEVICE,
				   .call_ns = 55000,
				   .return_ns = 90000}};
	const struct xs_recorded_plan_change none = {false, 1, 1};
	const struct xs_recorded_plan_change slow = {false, 2, 1};
	struct xs_phase phase = {.steps = steps, .step_count = 3};
	struct xs_plan plan = {0};
	struct xs_machine m;
	double round_ns;

	xs_machine_init(&m);
	xs_recorded_plan_build(&phase, &m, &none, &plan);
	round_ns = xs_replay(&plan, &m, NULL);
	assert_near(round_ns, 90500);
	xs_plan_free(&plan);
	/* it still waits: a kernel of twice 37500 moves the end */
	xs_recorded_plan_build(&phase, &m, &slow, &plan);
	round_ns = xs_replay(&plan, &m, NULL);
	assert_near(round_ns, 128000);
	xs_plan_free(&plan);
}

/* The part of a copy between GPUs into this one occupies the engine of copies
 * in: the next copy in is after it, a copy out is not. */
TEST(test_staged_copies_occupy_an_engine)
{
	const struct xs_recorded_plan_change none = {.kernel_scale = 1};
	const struct xs_machine machine = costly_machine();
	struct xs_step steps[] = {
	    {.kind = XS_STEP_D2D, .staged_in = true, .end_ns = 9000},
	    {.kind = XS_STEP_D2H, .queue = 1, .end_ns = 19000},
	    {.kind = XS_STEP_H2D, .queue = 2, .end_ns = 29000}};
	const struct xs_phase phase = {.steps = steps, .step_count = 3};
	struct xs_plan plan = {0};

	for (uint64_t i = 0; i < 3; i++) {
		steps[i].call_ns = i * 1000;
		steps[i].return_ns = i * 1000 + 500;
		steps[i].start_ns = steps[i].end_ns - 4000;
	}
	xs_recorded_plan_build(&phase, &machine, &none, &plan);
	assert_int_equal(plan.actions[1].after, XS_ACTION_NONE);
	assert_int_equal(plan.actions[2].after, 0);
	xs_plan_free(&plan);
}

/* Recorded, a pinned copy starts later after the one before than g; tracing
 * explains 3 us of it at most. */
TEST(test_tracing_delays_copies)
{
	const struct xs_recorded_plan_change none = {.kernel_scale = 1};
	const struct xs_machine machine = costly_machine();
	struct xs_step steps[] = {
	    {.kind = XS_STEP_H2D, .call_ns = 1000, .return_ns = 5000},
	    {.kind = XS_STEP_H2D, .call_ns = 5200, .return_ns = 9200}};
	const struct xs_phase phase = {.steps = steps, .step_count = 2};

	for (int late = 0; late < 2; late++) {
		struct xs_plan plan = {0};

		steps[0].start_ns = 5000;
		steps[0].end_ns = 6000;
		steps[1].start_ns = late ? 16000 : 9000;
		steps[1].end_ns = steps[1].start_ns + 1000;
		steps[0].src_memory = steps[1].src_memory = XS_MEM_PINNED;
		xs_recorded_plan_build(&phase, &machine, &none, &plan);
		xs_tracer_overhead_remove(&plan, &phase, &machine);
		assert_near(plan.actions[1].dep_lag_ns,
			    late ? 10000 - 3000 : 2900 - 1000);
		xs_plan_free(&plan);
	}
}

/* A launch that follows another one after 11 us of the host's own code is
 * longer by itself: of 7 and 4 us, tracing takes 2 us at most. */
TEST(test_launches_between_host_code_are_longer)
{
	const struct xs_recorded_plan_change none = {false, 1, 1};
	const struct xs_machine machine = costly_machine();
	struct xs_step steps[] = {
	    {.kind = XS_STEP_KERNEL, .call_ns = 20000, .return_ns = 27000},
	    {.kind = XS_STEP_KERNEL, .call_ns = 38000, .return_ns = 45000},
	    {.kind = XS_STEP_KERNEL, .call_ns = 56000, .return_ns = 60000},
	    {.kind = XS_STEP_KERNEL, .call_ns = 61000, .return_ns = 68000}};
	const double untraced_ns[] = {3000, 5000, 3000, 3000};
	const struct xs_phase phase = {.steps = steps, .step_count = 4};
	struct xs_plan plan = {0};

	for (int i = 0; i < 4; i++) {
		steps[i].start_ns = steps[i].return_ns + 1000;
		steps[i].end_ns = steps[i].start_ns + 1000;
	}
	xs_recorded_plan_build(&phase, &machine, &none, &plan);
	xs_tracer_overhead_remove(&plan, &phase, &machine);
	for (int i = 0; i < 4; i++)
		assert_near(plan.actions[i].call_ns, untraced_ns[i]);
	xs_plan_free(&plan);
}
