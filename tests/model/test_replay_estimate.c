/* SPDX-License-Identifier: MIT */
/* How often an estimate replays its plan. */
#include "model/replay/replay.h"
#include "model/strategies/strategy.h"
#include "tests/model/small_phase.h"

static unsigned plans, replays;

double __real_xs_replay(const struct xs_plan *plan, const struct xs_machine *of,
			struct xs_action_times *times);
double __wrap_xs_replay(const struct xs_plan *plan, const struct xs_machine *of,
			struct xs_action_times *times);

double __wrap_xs_replay(const struct xs_plan *plan, const struct xs_machine *of,
			struct xs_action_times *times)
{
	replays++;
	return __real_xs_replay(plan, of, times);
}

static void build_plan(const struct xs_strategy_case *c,
		       const struct xs_estimate *row,
		       const struct xs_scenario *scenario, struct xs_plan *plan)
{
	const struct xs_action copy = xs_action_copy(
	    &scenario->machine, true, (double)c->phase->h2d_bytes, true);

	(void)row;
	plans++;
	xs_plan_add(plan, &copy);
}

static struct xs_estimate row_by_replay(void)
{
	const struct xs_strategy_case c = {.strategy =
					       xs_strategy_find("pinned"),
					   .phase = &phase,
					   .machine = &machine,
					   .options = &options};
	struct xs_estimate row = xs_estimate_init(&c);

	plans = replays = 0;
	xs_estimate_replay(&c, build_plan, &row);
	return row;
}

/* Returns how many plans the estimate of the phase was made of. */
static unsigned count_plans(void)
{
	const struct xs_estimate row = row_by_replay();

	assert_true(row.low_ns < row.round_ns && row.round_ns < row.high_ns);
	return plans;
}

/* As in a phase of one round. */
TEST(test_no_replay_for_a_time_without_spread)
{
	phase.host_ns = (struct xs_spread){2000, 1900, 2100};
	unsigned both = count_plans();
	phase.host_ns = always(2000);
	unsigned kernel = count_plans();
	assert_int_equal(kernel, both - 2);
	phase.kernel_ns = always(100000);
	assert_int_equal(count_plans(), kernel - 2);
}

/* Without a spread of the host's time only the machine's values change a plan
 * that is a copy. */
TEST(test_no_replay_of_the_same_plan)
{
	phase.host_ns = always(2000);
	assert_true(count_plans() > 3);
	assert_int_equal(replays, 3);
}

TEST(test_no_time_by_an_unknown_rate)
{
	machine.G_h2d.value = NAN;
	assert_false(row_by_replay().applies);
}

RUN_TESTS(set_up, tear_down)
