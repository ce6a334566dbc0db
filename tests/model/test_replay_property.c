/* SPDX-License-Identifier: MIT */
/*
 * Under the paper's idealisation (calls cost the host nothing, rates do not
 * change while both directions are busy) replay equals the published equations:
 * max(1, 2) on class 1, max(3, 4) on class 2, 5 on class 3. Pseudo-random cases
 * with and without L+o and g.
 */
#include "tests/model/model_test.h"

#include "model/formulas/vanwerkhoven.h"
#include "model/replay/replay.h"

#define CASES 4000

struct random_case {
	struct xs_machine machine;
	struct xs_vw_params params;
	struct xs_vw_load load;
	double in_bytes, out_bytes;
	unsigned n;
};

static struct random_case draw(uint64_t *state, enum xs_vw_class device,
			       bool overheads)
{
	struct random_case c;
	const double scale = overheads ? 1 : 0;

	xs_machine_init(&c.machine);
	c.machine.copy_engines = device == XS_VW_CLASS_3 ? 2 : 1;
	c.machine.implicit_sync = device == XS_VW_CLASS_1;
	c.params.lo_in_ns = scale * random_between(state, 1000, 20000);
	c.params.lo_out_ns = scale * random_between(state, 1000, 20000);
	/* g < L+o, as found in section V-A: else latencies would not overlap */
	c.params.g_in_ns = random_between(state, 0, c.params.lo_in_ns);
	c.params.g_out_ns = random_between(state, 0, c.params.lo_out_ns);
	set_param(&c.machine.lo_h2d_ns, c.params.lo_in_ns);
	set_param(&c.machine.lo_d2h_ns, c.params.lo_out_ns);
	set_param(&c.machine.g_h2d_ns, c.params.g_in_ns);
	set_param(&c.machine.g_d2h_ns, c.params.g_out_ns);
	set_param(&c.machine.G_h2d, random_between(state, 0.01, 0.3));
	set_param(&c.machine.G_d2h, random_between(state, 0.01, 0.3));
	c.in_bytes = exp(random_between(state, log(1e4), log(1e9)));
	c.out_bytes = exp(random_between(state, log(1e4), log(1e9)));
	c.load.in_ns = c.in_bytes * c.machine.G_h2d.value;
	c.load.out_ns = c.out_bytes * c.machine.G_d2h.value;
	c.load.kernel_ns = exp(random_between(state, log(1e3), log(1e8)));
	c.n = (unsigned)random_between(state, 1, 65);
	return c;
}

static void add_all(struct xs_plan *plan, struct xs_action action, unsigned n)
{
	for (uint32_t q = 0; q < n; q++) {
		action.queue = q;
		xs_plan_add(plan, &action);
	}
}

static double replay_breadth_first(const struct random_case *c)
{
	struct xs_plan plan = {0};
	double round_ns = 0;

	add_all(&plan,
		xs_action_copy(&c->machine, true, c->in_bytes / c->n, false),
		c->n);
	add_all(&plan, xs_action_kernel(&c->machine, c->load.kernel_ns / c->n),
		c->n);
	add_all(&plan,
		xs_action_copy(&c->machine, false, c->out_bytes / c->n, false),
		c->n);
	round_ns = xs_replay(&plan, &c->machine, NULL);
	xs_plan_free(&plan);
	return round_ns;
}

static double replay_depth_first(const struct random_case *c)
{
	struct xs_action actions[] = {
	    xs_action_copy(&c->machine, true, c->in_bytes / c->n, false),
	    xs_action_kernel(&c->machine, c->load.kernel_ns / c->n),
	    xs_action_copy(&c->machine, false, c->out_bytes / c->n, false)};
	struct xs_plan plan = {0};
	double round_ns = 0;

	for (uint32_t q = 0; q < c->n; q++) {
		for (size_t i = 0; i < COUNT(actions); i++) {
			actions[i].queue = q;
			xs_plan_add(&plan, &actions[i]);
		}
	}
	round_ns = xs_replay(&plan, &c->machine, NULL);
	xs_plan_free(&plan);
	return round_ns;
}

static void check_class(enum xs_vw_class device)
{
	uint64_t random = 20140527 + device;

	for (unsigned i = 0; i < CASES; i++) {
		const struct random_case c = draw(&random, device, i % 2);

		assert_near(replay_breadth_first(&c),
			    xs_vw_streams_ns(device, &c.params, &c.load, c.n));
	}
}

TEST(test_class_1)
{
	check_class(XS_VW_CLASS_1);
}

TEST(test_class_2)
{
	check_class(XS_VW_CLASS_2);
}

TEST(test_class_3)
{
	check_class(XS_VW_CLASS_3);
}

/* Without host cost and implicit synchronisation, all copies in are ready
 * before any copy out: the order of issue does not matter. */
TEST(test_order_is_free_without_host_cost)
{
	uint64_t random = 7;

	for (unsigned i = 0; i < CASES; i++) {
		const struct random_case c =
		    draw(&random, i % 2 ? XS_VW_CLASS_2 : XS_VW_CLASS_3, true);

		assert_near(replay_depth_first(&c), replay_breadth_first(&c));
	}
}

/* With one hardware queue, depth first leaves nothing to overlap: each copy in
 * waits for the copy out issued before it (Gomez-Luna 2011, on Fermi). */
TEST(test_depth_first_is_serial_on_class_1)
{
	uint64_t random = 11;

	for (unsigned i = 0; i < CASES; i++) {
		const struct random_case c = draw(&random, XS_VW_CLASS_1, true);
		const double one = c.params.lo_in_ns + c.params.lo_out_ns;

		assert_near(replay_depth_first(&c), c.n * one + c.load.in_ns +
							c.load.kernel_ns +
							c.load.out_ns);
	}
}

/* Section V: n copies in one direction take L+o + k G + g (n - 1). */
TEST(test_transfer_alone)
{
	uint64_t random = 13;

	for (unsigned i = 0; i < CASES; i++) {
		const struct random_case c = draw(&random, XS_VW_CLASS_3, true);
		struct xs_plan plan = {0};
		double round_ns = 0;

		add_all(
		    &plan,
		    xs_action_copy(&c.machine, true, c.in_bytes / c.n, false),
		    c.n);
		round_ns = xs_replay(&plan, &c.machine, NULL);
		xs_plan_free(&plan);
		assert_near(round_ns, c.params.lo_in_ns +
					  c.in_bytes * c.machine.G_h2d.value +
					  c.params.g_in_ns * (c.n - 1));
	}
}
