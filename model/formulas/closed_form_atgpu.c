/* SPDX-License-Identifier: MIT */
/* The costs of Carroll and Wong 2017 as rows of estimates. */
#include "model/formulas/closed_forms.h"

#include "model/machine/range_end.h"

#include <math.h>
#include <stdio.h>

typedef double (*cost_fn)(const struct xs_atgpu_machine *machine,
			  const struct xs_atgpu_round *rounds, size_t count);

static const struct cost {
	const char *model;
	cost_fn f;
	const char *formula, *bound;
} costs[] = {
    {"atgpu-cost", xs_atgpu_cost_ns,
     "expression 1, a bound: T_I + (t + lambda q) / gamma + T_O + sigma",
     "every thread block has a multiprocessor of its own"},
    {"atgpu-gpu-cost", xs_atgpu_gpu_cost_ns,
     "expression 2: T_I + (ceil(k / (k' l)) t + lambda q) / gamma + T_O + "
     "sigma",
     NULL},
    {"swgpu-cost", xs_swgpu_cost_ns,
     "expression 2 without T_I and T_O, as if copies took no time",
     "copies take no time"},
};

/* Sets one direction of a round. A given time counts as one transaction. */
static void transfer(double ns, double bytes, double *transactions,
		     double *words, double *alpha_ns, double *beta_ns)
{
	if (isnan(ns)) {
		*transactions = bytes > 0;
		*words = bytes / XS_ATGPU_WORD_BYTES;
	} else {
		*transactions = 1;
		*alpha_ns = ns;
		*words = *beta_ns = 0;
	}
	if (*transactions == 0)
		*alpha_ns = *beta_ns = 0;
}

/* Returns the machine at one end of its ranges, and the round on it. */
static struct xs_atgpu_machine at_side(const struct xs_closed_form *c,
				       enum xs_range_end side,
				       struct xs_atgpu_round *round)
{
	const struct xs_machine m = xs_machine_at(c->machine, side);
	struct xs_atgpu_machine at = xs_atgpu_machine_of(&m);

	transfer(c->work.h2d_ns, c->work.h2d_bytes, &round->in_transactions,
		 &round->in_words, &at.alpha_in_ns, &at.beta_in_ns);
	transfer(c->work.d2h_ns, c->work.d2h_bytes, &round->out_transactions,
		 &round->out_words, &at.alpha_out_ns, &at.beta_out_ns);
	return at;
}

static double time_at(const struct xs_closed_form *c, enum xs_range_end side,
		      cost_fn f, const struct xs_atgpu_launch *launch)
{
	struct xs_atgpu_round round = {.launches = launch, .launch_count = 1};
	const struct xs_atgpu_machine at = at_side(c, side, &round);

	return f(&at, &round, 1);
}

static void add_cost(const struct xs_closed_form *c, const struct cost *cost,
		     const struct xs_atgpu_launch *launch,
		     struct xs_estimates *out)
{
	struct xs_estimate row = xs_closed_form_row("pinned", cost->model);
	struct xs_atgpu_round round = {0};
	const struct xs_atgpu_machine at = at_side(c, XS_RANGE_VALUE, &round);
	const char *unknown = xs_atgpu_unknown(&at);

	row.effort = XS_EFFORT_CALL;
	row.bound = cost->bound;
	row.assumes[0] = "operations of a block take a cycle each, one after "
			 "the other";
	row.assumes[1] = "memory blocks cross at the memory's full bandwidth";
	if (xs_closed_form_abstains(&row, unknown, out))
		return;
	if (launch->shared_words > at.shared_words) {
		snprintf(row.why, sizeof(row.why),
			 "a block needs more shared memory than a "
			 "multiprocessor has");
		xs_estimates_add(out, &row);
		return;
	}
	row.low_ns = time_at(c, XS_RANGE_LOW, cost->f, launch);
	row.high_ns = time_at(c, XS_RANGE_HIGH, cost->f, launch);
	row.round_ns = time_at(c, XS_RANGE_VALUE, cost->f, launch);
	row.applies = true;
	snprintf(row.why, sizeof(row.why), "%s", cost->formula);
	xs_estimates_add(out, &row);
}

void xs_closed_form_atgpu(const struct xs_closed_form *c,
			  const struct xs_atgpu_launch *launch,
			  struct xs_estimates *out)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		add_cost(c, &costs[i], launch, out);
}

double xs_closed_form_atgpu_kernel_ns(const struct xs_machine *machine,
				      const struct xs_atgpu_launch *launch,
				      const char **unknown)
{
	const struct xs_atgpu_round round = {.launches = launch,
					     .launch_count = 1};
	struct xs_atgpu_machine at = xs_atgpu_machine_of(machine);

	/* without transfers and sigma */
	at.alpha_in_ns = at.alpha_out_ns = 0;
	at.beta_in_ns = at.beta_out_ns = at.sigma_ns = 0;
	*unknown = xs_atgpu_unknown(&at);
	return *unknown ? NAN : xs_swgpu_cost_ns(&at, &round, 1);
}
