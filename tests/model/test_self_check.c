/* SPDX-License-Identifier: MIT */
/* How a machine's self-check widens intervals. */
#include "tests/model/small_phase.h"

struct interval {
	double low, value, high;
};

static struct interval interval_of(const char *strategy)
{
	const struct xs_estimate *row = replayed(strategy);

	return (struct interval){row->low_ns, row->round_ns, row->high_ns};
}

/* Returns the interval of a strategy without the check and, in *with, with it.
 */
static struct interval both(const char *strategy, struct xs_check *check,
			    struct xs_check what, struct interval *with)
{
	struct interval without;

	estimate();
	without = interval_of(strategy);
	*check = what;
	estimate();
	*with = interval_of(strategy);
	assert_true(with->value == without.value);
	return without;
}

/* The check is an independent cause: it adds in quadrature, each side alone. */
static void assert_widened(const char *strategy, struct xs_check *check)
{
	const struct xs_check what = {0.02, -0.1, 0.3, 12};
	struct interval with;
	const struct interval before = both(strategy, check, what, &with);
	const double t = before.value;

	assert_near(with.high - t, hypot(before.high - t, 0.3 * t));
	assert_near(t - with.low, hypot(t - before.low, 0.1 * t));
}

TEST(test_each_strategy_has_its_family)
{
	assert_widened("pinned", &machine.self_check.explicit);
	assert_widened("streams", &machine.self_check.streams);
	assert_widened("mapped", &machine.self_check.mapped);
	assert_widened("hybrid", &machine.self_check.hybrid);
}

/* as-is, by the replay of its calls on the profile. */
TEST(test_as_is_has_what_explicit_rounds_have)
{
	const struct xs_check what = {0.02, -0.1, 0.3, 12};
	struct interval before, with;

	set_param(&machine.call_launch_ns, 3000);
	set_param(&machine.launch_latency_ns, 2000);
	before = both("as-is", &machine.self_check.explicit, what, &with);
	assert_near(with.high - before.value,
		    hypot(before.high - before.value, 0.3 * before.value));
	assert_near(before.value - with.low,
		    hypot(before.value - before.low, 0.1 * before.value));
}

TEST(test_a_family_is_of_its_strategies_alone)
{
	const struct xs_check what = {0, -0.5, 0.5, 12};
	struct interval before, with;

	before = both("pinned", &machine.self_check.streams, what, &with);
	assert_true(with.low == before.low && with.high == before.high);
	before = both("as-is", &machine.self_check.streams, what, &with);
	assert_true(with.low == before.low && with.high == before.high);
}

/* Rounds that were all slower than predicted do not widen the low end. */
TEST(test_one_sided_errors_widen_one_side)
{
	const struct xs_check slow = {0.2, 0.1, 0.3, 12};
	struct interval with;
	const struct interval before =
	    both("pinned", &machine.self_check.explicit, slow, &with);

	assert_true(with.low == before.low);
	assert_true(with.high > before.high);
}

TEST(test_no_cases_no_change)
{
	const struct xs_check none = {0.2, -0.3, 0.3, 0};
	struct interval with;
	const struct interval before =
	    both("pinned", &machine.self_check.explicit, none, &with);

	assert_true(with.low == before.low && with.high == before.high);
}

RUN_TESTS(set_up, tear_down)
