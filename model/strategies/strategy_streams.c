/* SPDX-License-Identifier: MIT */
/* streams: pinned memory, and the copies and kernels in n pieces on n streams.
 */
#include "model/strategies/between_programs.h"
#include "model/strategies/strategy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The plans of a row: all kernels in pieces, and, if kernels depend on each
 * other, a plan that is valid whatever they need. */
struct plans {
	xs_plan_fn build_plan, joined; /* joined: NULL if not needed */
};

/* Returns the time of the faster plan of a row: many pieces of many kernels
 * cost many launches. */
static double faster_ns(const struct xs_strategy_case *c,
			const struct xs_estimate *row,
			const struct plans *plans, bool *joined)
{
	const double ns = xs_estimate_replay_ns(c, row, plans->build_plan);
	double joined_ns = INFINITY;

	if (plans->joined)
		joined_ns = xs_estimate_replay_ns(c, row, plans->joined);
	*joined = joined_ns <= ns;
	return fmin(ns, joined_ns);
}

/* Stores n in *best if it is faster than *best_ns. */
static void try_streams(const struct xs_strategy_case *c,
			struct xs_estimate *row, const struct plans *plans,
			unsigned n, unsigned *best, double *best_ns)
{
	double round_ns;
	bool joined;

	row->n_streams = n;
	round_ns = faster_ns(c, row, plans, &joined);
	if (round_ns < *best_ns) {
		*best_ns = round_ns;
		*best = n;
	}
}

/* Copies of all pieces together, beyond which no more pieces are tried. The
 * rounds of recorded programs have less; a report on more takes minutes. */
#define PIECE_COPIES_MAX 32768u

/* A copy of less takes as long: what a round copies one way has no smaller
 * pieces, unless the program cuts it itself. */
#define LEAST_PIECE_BYTES 4096

/* Returns the most pieces; below 2: the round is not to be divided. */
static unsigned most_streams(const struct xs_strategy_case *c)
{
	const unsigned copies = c->work.in_copies + c->work.out_copies;
	const double bytes = fmax(c->work.in_bytes, c->work.out_bytes);
	unsigned n = XS_STREAMS_MAX;

	while (n > 2 && n > PIECE_COPIES_MAX / (copies + 1))
		n /= 2;
	while (n > 1 && bytes < n * LEAST_PIECE_BYTES && !c->work.in_pieces)
		n /= 2;
	return n;
}

/*
 * Finds the n with the shortest time in the row's order: the best power of two,
 * then around it in steps of an eighth, within which the time hardly changes.
 */
static void find_best(const struct xs_strategy_case *c, struct xs_estimate row,
		      const struct plans *plans, unsigned *best)
{
	const unsigned most = most_streams(c);
	double best_ns = INFINITY;
	unsigned n, coarse, step;

	for (n = 2; n <= most; n *= 2)
		try_streams(c, &row, plans, n, best, &best_ns);
	coarse = *best;
	step = coarse > 8 ? coarse / 8 : 1;
	for (n = coarse / 2 + step; n < 2 * coarse && n <= most; n += step)
		try_streams(c, &row, plans, n, best, &best_ns);
}

static bool is_reported(unsigned n, unsigned most)
{
	return n >= 2 && n <= most && !(n & (n - 1));
}

static const char same_piece[] =
    "each piece of a kernel needs only the same piece of the kernel before it";

/* Compares the plan in pieces with the joined one. It is a bound if they differ
 * by more than the interval. The interval covers both plans. */
static void compare_plans(struct xs_estimate *row,
			  const struct xs_estimate *joined)
{
	xs_estimate_need(row, same_piece);
	if (joined->round_ns - row->round_ns > row->round_ns - row->low_ns) {
		row->bound = same_piece;
		row->otherwise_ns = joined->round_ns;
	}
	row->high_ns = fmax(row->high_ns, joined->high_ns);
}

/* The joined plan is valid whatever kernels need, and may be slower for it. */
static void keep_order(struct xs_estimate *row)
{
	const size_t used = strlen(row->why);

	xs_estimate_assume(row,
			   "only the first kernel is cut, along the copies in, "
			   "and the last, along the copies out; each kernel "
			   "waits for all pieces of the one before");
	snprintf(row->why + used, sizeof(row->why) - used,
		 "; kernels that need none of each other's results could run "
		 "side by side, in less time");
}

/* Fills a row for one kernel, or for several by the faster plan. */
static void estimate(const struct xs_strategy_case *c,
		     const struct plans *plans, struct xs_estimate *row)
{
	struct xs_estimate whole = *row;
	bool joined = false;

	if (plans->joined)
		faster_ns(c, row, plans, &joined);
	xs_estimate_replay(c, joined ? plans->joined : plans->build_plan, row);
	if (joined) {
		keep_order(row);
	} else if (plans->joined) {
		xs_estimate_replay(c, plans->joined, &whole);
		compare_plans(row, &whole);
	}
}

static void add_n(const struct xs_strategy_case *c, struct xs_estimate row,
		  const struct plans *plans, unsigned n, const char *why,
		  struct xs_estimates *out)
{
	row.n_streams = n;
	xs_estimate_set_setup(c, n, &row);
	snprintf(row.why, sizeof(row.why), "%u pieces, issued %s%s", n,
		 row.order == XS_ORDER_DEPTH ? "piece by piece"
					     : "stage by stage",
		 why);
	estimate(c, plans, &row);
	xs_estimates_add(out, &row);
}

static void add_order(const struct xs_strategy_case *c,
		      const struct xs_estimate *row, const struct plans *plans,
		      struct xs_estimates *out)
{
	static const char searched[] = ": the best number in this order";
	const unsigned asked = c->options->streams, most = most_streams(c);
	unsigned n, best = 2;

	find_best(c, *row, plans, &best);
	for (n = 2; n <= most; n *= 2)
		add_n(c, *row, plans, n, n == best ? searched : "", out);
	if (!is_reported(best, most))
		add_n(c, *row, plans, best, searched, out);
	if (asked && asked != best && !is_reported(asked, most))
		add_n(c, *row, plans, asked, ": as requested", out);
}

void xs_streams_rows(const struct xs_strategy_case *c,
		     const struct xs_estimate *row, xs_plan_fn build_plan,
		     xs_plan_fn joined, struct xs_estimates *out)
{
	const struct plans plans = {build_plan, joined};
	struct xs_estimate ordered = *row;

	if (xs_abstain_if(
		most_streams(c) < 2, &ordered, out,
		"pieces of the copies would have less than %d bytes, which "
		"take as long as the whole",
		LEAST_PIECE_BYTES))
		return;
	ordered.order = XS_ORDER_DEPTH;
	add_order(c, &ordered, &plans, out);
	ordered.order = XS_ORDER_BREADTH;
	add_order(c, &ordered, &plans, out);
}

static void build_streams_plan(const struct xs_strategy_case *c,
			       const struct xs_estimate *row,
			       const struct xs_scenario *scenario,
			       struct xs_plan *plan)
{
	xs_plan_pieces(c, row, scenario, XS_CUT_ALL, plan);
}

static void build_joined_plan(const struct xs_strategy_case *c,
			      const struct xs_estimate *row,
			      const struct xs_scenario *scenario,
			      struct xs_plan *plan)
{
	xs_plan_pieces(c, row, scenario, XS_CUT_ENDS, plan);
}

static bool abstains(const struct xs_strategy_case *c, struct xs_estimate *row,
		     struct xs_estimates *out)
{
	return xs_abstain_without_needs(c, row, out) ||
	       xs_abstain_without_copy_rates(c, row, out);
}

/* Returns whether kernels follow each other and the trace does not show what
 * they need. */
static bool is_open(const struct xs_strategy_case *c)
{
	return c->work.stage_count > 1 && !c->work.in_pieces;
}

/* Adds the rows of a closed form: its own best n, and the values of n of
 * replay. */
static void add_closed(const struct xs_strategy_case *c,
		       const struct xs_closed_form_kind *form,
		       struct xs_estimates *out)
{
	const struct xs_closed_form closed = xs_strategy_case_closed_form(c);
	const unsigned asked = c->options->streams;

	form->add(&closed, 0, out);
	if (!out->items[out->count - 1].applies)
		return; /* abstains for every n */
	for (unsigned n = 2; n <= XS_STREAMS_MAX; n *= 2)
		form->add(&closed, n, out);
	if (asked && !is_reported(asked, XS_STREAMS_MAX))
		form->add(&closed, asked, out);
}

/* The equations have one kernel: T_kernel is the sum of several here. */
static void assume_one_kernel(const struct xs_strategy_case *c,
			      struct xs_estimate *row)
{
	xs_estimate_assume(row, "the kernels are treated as one kernel with "
				"the sum of their times");
	xs_estimate_assume(row, same_piece);
	if (row->applies && is_open(c))
		row->bound = same_piece;
}

static void build(const struct xs_strategy_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_estimate_init(c);
	size_t first;

	if (abstains(c, &row, out))
		return;
	xs_estimate_assume_pieces(c, true, &row);
	if (c->work.stage_count > 1 && c->work.in_pieces)
		xs_estimate_assume(&row,
				   "each piece of a kernel needs only the same "
				   "piece of the one before, as it now does");
	if (isnan(c->machine->G_both_h2d.value) ||
	    isnan(c->machine->G_both_d2h.value))
		xs_estimate_assume(&row,
				   "copies in both directions do not slow each "
				   "other: their slow-down was not measured");
	if (isnan(c->machine->call_copy_async_ns.value))
		xs_estimate_assume(
		    &row,
		    "calls take no host time: their cost was not measured");
	xs_streams_rows(c, &row, build_streams_plan,
			is_open(c) ? build_joined_plan : NULL, out);
	first = out->count;
	for (size_t i = 0; xs_closed_forms[i]; i++)
		if (strcmp(xs_closed_forms[i]->strategy, "streams") == 0)
			add_closed(c, xs_closed_forms[i], out);
	for (; c->work.stage_count > 1 && first < out->count; first++)
		assume_one_kernel(c, &out->items[first]);
}

const struct xs_strategy xs_strategy_streams = {
    .id = "streams",
    .effort = XS_EFFORT_SPLIT,
    .needs = XS_NEEDS_TIMED_COPIES | XS_NEEDS_KERNEL | XS_NEEDS_COPY_RATES,
    .changes = XS_CHANGES_PINNING | XS_CHANGES_ORDER,
    .check = XS_CHECK_streams,
    .error = XS_ERROR_pinned,
    .keeps_allocations = true,
    .build = build,
    .first = "split the round of {places} into {n} pieces, a stream each",
    .advice = "Split the round of {places} into {n} pieces, a stream "
	      "each{order}, with kernels rewritten to take a piece and "
	      "asynchronous copies{pinned}.",
    .advice_if_in_pieces =
	"Use {n} pieces of {piece_bytes} instead of {pieces} in the round of "
	"{places}, a stream each{order}: the present ones are {too}.",
    .code =
	{
	    [XS_LANGUAGE_CUDA] =
		"for (int i = 0; i < n; i++) // pieces: m of in, k of out; "
		"then wait\n"
		"  cudaMemcpyAsync(&d[i*m], &in[i*m], ..., s[i]), f<<<..., "
		"s[i]>>>(i),\n"
		"  cudaMemcpyAsync(&out[i*k], &r[i*k], ..., s[i]);",
	    [XS_LANGUAGE_PYTORCH] =
		"with torch.cuda.stream(s[i]):  # for each piece i, pinned\n"
		"    y = f(x[i].to(device, non_blocking=True))\n"
		"    out[i].copy_(y, non_blocking=True)",
	    [XS_LANGUAGE_NUMBA] =
		"for i in range(n):  # a piece each, in stream s[i]:\n"
		"    dev[i].copy_to_device(ary[i], s[i]), f[grid, block, "
		"s[i]](dev[i])\n"
		"    dev[i].copy_to_host(ary[i], s[i])",
	},
};
