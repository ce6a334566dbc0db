/* SPDX-License-Identifier: MIT */
/* A strategy that abstains gives the reason. */
#include "tests/model/small_phase.h"

static void assert_abstains(const char *strategy, const char *because)
{
	const struct xs_estimate *row = replayed(strategy);

	assert_false(row->applies);
	assert_true(isnan(row->round_ns));
	if (!strstr(row->why, because))
		fail_msg("%s: \"%s\" does not say \"%s\"", strategy, row->why,
			 because);
}

TEST(test_nothing_copied)
{
	steps[0] = steps[1];
	phase.step_count = 1;
	estimate();
	assert_abstains("pinned", "nothing is copied");
	assert_abstains("streams", "nothing is copied");
	assert_abstains("mapped", "nothing is copied");
	assert_abstains("hybrid", "nothing is copied");
}

TEST(test_already_pinned)
{
	steps[0].src_memory = steps[2].dst_memory = XS_MEM_PINNED;
	estimate();
	assert_abstains("pinned", "nothing is left to pin");
	const struct xs_estimate *row = pieces("streams", 2);
	assert_near(row->setup_ns, 2 * 4000); /* nothing to pin */
}

TEST(test_no_kernel)
{
	steps[1] = steps[2];
	phase.step_count = 2;
	assert_true(estimated("pinned")->applies);
	assert_abstains("streams", "no kernel");
	assert_abstains("mapped", "no kernel");
}

TEST(test_dependent_kernels)
{
	steps[3] = steps[2];
	steps[2] = step_of(XS_STEP_KERNEL, 204000, 205000, 306000, 306500);
	phase.step_count = 4;
	assert_true(estimated("pinned")->applies);
	assert_true(replayed("streams")->applies);
	assert_abstains("mapped", "2 kernels");
	assert_abstains("hybrid", "2 kernels");
}

TEST(test_one_way)
{
	phase.step_count = 2;
	assert_true(estimated("streams")->applies);
	assert_abstains("hybrid", "one direction");
}

TEST(test_managed)
{
	steps[0].src_memory = XS_MEM_MANAGED;
	estimate();
	assert_abstains("pinned", "managed");
}

TEST(test_ops_not_seen)
{
	steps[0].start_ns = steps[0].end_ns = 0;
	assert_near(estimated("as-is")->round_ns, 510000);
	assert_abstains("pinned", "not in the trace");
	assert_abstains("streams", "not in the trace");
}

TEST(test_unknown_parameters)
{
	set_param(&machine.G_h2d, NAN);
	set_param(&machine.mapped_write, NAN);
	estimate();
	assert_abstains("pinned", "the profile lacks the rate of copies (G)");
	assert_abstains("streams", "the profile lacks the rate of copies (G)");
	assert_abstains("mapped", "the rate of mapped writes");
	assert_true(replayed("as-is")->applies);
}

TEST(test_unknown_pinning_cost)
{
	set_param(&machine.pin_byte_ns, NAN);
	assert_near(estimated("pinned")->round_ns, 163000);
	assert_true(isnan(replayed("pinned")->setup_ns));
}

/* Replay works for an unknown class of device; the equations abstain. */
TEST(test_no_class)
{
	machine.implicit_sync = -1;
	assert_true(new_pieces("streams", 2)->applies);
	assert_false(
	    find("streams", "vanwerkhoven2014-eq5", 0, XS_ORDER_NONE)->applies);
}

RUN_TESTS(set_up, tear_down)
