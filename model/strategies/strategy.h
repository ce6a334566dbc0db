/* SPDX-License-Identifier: MIT */
/*
 * What the files of the strategies share: the case that a strategy is asked
 * about, and the functions that fill its rows. strategies.h has the descriptor
 * that each of them defines.
 */
#ifndef XS_MODEL_STRATEGIES_STRATEGY_H
#define XS_MODEL_STRATEGIES_STRATEGY_H

#include "model/formulas/closed_form.h"
#include "model/machine/range_end.h"
#include "model/replay/plan.h"
#include "model/replay/round_work.h"
#include "model/strategies/model.h"
#include "model/strategies/strategies.h"

/* A phase on a machine, as every strategy sees it. */
struct xs_strategy_case {
	const struct xs_strategy *strategy; /* the one that is asked */
	const struct xs_phase *phase;
	const struct xs_machine *machine;
	const struct xs_model_options *options;
	struct xs_round_work work;
	double as_is_ns; /* replayed; what savings are counted from */
};

/* A condition under which a plan is drawn up: one end of an interval. */
struct xs_scenario {
	struct xs_machine machine;
	double kernel_scale, host_scale; /* against the median */
	/* Pieces share input as far as that was not counted: of several copies
	 * all but one, else with their neighbours; and a kernel behind another
	 * needs all of its results. */
	bool shares;
	/* Copies of many streams are taken in the order of issue, not by the
	 * hardware queues that they share. */
	bool in_order;
};

/* Draws up the plan of a row (n_streams, order) under a scenario. 0 or
 * -ENOMEM. */
typedef int (*xs_plan_fn)(const struct xs_strategy_case *c,
			  const struct xs_estimate *row,
			  const struct xs_scenario *scenario,
			  struct xs_plan *plan);

/* Returns a row of the case's strategy by replay that does not apply yet:
 * times NAN. */
struct xs_estimate xs_estimate_init(const struct xs_strategy_case *c);

/* The row with its reason, printf-like, into out. 0 or -ENOMEM. */
int xs_estimate_abstain(struct xs_estimate *row, struct xs_estimates *out,
			const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* The model of rows by replay, and the bound of rows that assume that each
 * byte crosses the bus once. */
#define XS_MODEL_REPLAY "replay"
#define XS_BOUND_ONCE	"each byte crosses the bus once"

/* One more assumption of a row; text must be static. */
void xs_estimate_assume(struct xs_estimate *row, const char *text);

/* How often bytes of mapped memory cross the bus: as counted, or once each,
 * which then is the row's assumption. */
void xs_estimate_assume_bus_crossings(const struct xs_strategy_case *c,
				      struct xs_estimate *row);

/* What a piece of the kernel needs, and takes. */
void xs_estimate_assume_pieces(const struct xs_strategy_case *c,
			       struct xs_estimate *row);

/* The replayed time alone, at the values and medians. 0, -ENOMEM or another
 * -errno of xs_replay. */
int xs_estimate_replay_ns(const struct xs_strategy_case *c,
			  const struct xs_estimate *row, xs_plan_fn draw,
			  double *round_ns);

/*
 * Time and interval by replay: at the values, then with one cause at a time at
 * either end of its range (all machine parameters; kernel times; host time);
 * deviations of independent causes add in quadrature. Sets applies and the
 * break-even from setup_ns. 0, -ENOMEM or another -errno of xs_replay.
 */
int xs_estimate_replay(const struct xs_strategy_case *c, xs_plan_fn draw,
		       struct xs_estimate *row);

/* How far replay itself has been off to that side on the machine, in ns of the
 * row's time; its value stays where it is. */
double xs_model_deviation(const struct xs_machine *machine,
			  const struct xs_estimate *row,
			  enum xs_range_end side);

/*
 * What pinning and streams cost once, into setup_ns; NAN where the machine
 * does not say. Also the assumption that goes with it.
 */
void xs_estimate_set_setup(const struct xs_strategy_case *c, unsigned streams,
			   struct xs_estimate *row);

/* The setup cost alone, into setup_ns; and the break-even by setup_ns and the
 * saving of a round. */
void xs_estimate_set_setup_ns(const struct xs_strategy_case *c,
			      unsigned streams, struct xs_estimate *row);
void xs_estimate_set_breakeven(const struct xs_strategy_case *c,
			       struct xs_estimate *row);

/* Pinning memory that is there, or allocating it pinned: the cheaper, or the
 * one that is known. NAN where the machine says neither. */
double xs_pinning_ns(const struct xs_machine *machine, double buffers,
		     double bytes);

/*
 * Each of these appends *row with a reason and returns true if the strategy
 * must abstain. *rc: 0 or -ENOMEM.
 *
 * xs_abstain_without_needs: the phase lacks one of the strategy's needs.
 * xs_abstain_without_copy_rates: the machine's L+o or G is not known.
 * xs_abstain_if_unknown: the value is NAN; name says which parameter it is.
 */
bool xs_abstain_without_needs(const struct xs_strategy_case *c,
			      struct xs_estimate *row, struct xs_estimates *out,
			      int *rc);
bool xs_abstain_without_copy_rates(const struct xs_strategy_case *c,
				   struct xs_estimate *row,
				   struct xs_estimates *out, int *rc);
bool xs_abstain_if_unknown(struct xs_estimate *row, const char *name,
			   double value, struct xs_estimates *out, int *rc);

/* The phase as the closed forms take it. */
struct xs_closed_form
xs_strategy_case_closed_form(const struct xs_strategy_case *c);

/* The most streams that replay tries, and the powers of two that it always
 * reports. */
#define XS_STREAMS_MAX 64u

/*
 * Rows of a strategy with n pieces: n = 2, 4, ... 64, the best n, and the n
 * of the options, each in both issue orders; each row starts as a copy of
 * *row. joined: where kernels follow each other, the plan that holds even if
 * each needs all results of the one before; NULL: none do. 0 or -errno.
 */
int xs_streams_rows(const struct xs_strategy_case *c,
		    const struct xs_estimate *row, xs_plan_fn draw,
		    xs_plan_fn joined, struct xs_estimates *out);

enum xs_cut {
	XS_CUT_ALL,    /* copies in, every kernel, copies out */
	XS_CUT_MAPPED, /* the same, the last kernel writing to host memory */
	XS_CUT_ENDS,   /* of the kernels the first and the last alone; each
			* waits for all pieces of the one before */
};

/*
 * A plan of n pieces on n queues in the row's order; what stays comes first, a
 * synchronisation last. A kernel that is known to share what the one before
 * left waits for its neighbour's piece or for all; one with less blocks than
 * pieces stays whole. 0 or -ENOMEM.
 */
int xs_plan_pieces(const struct xs_strategy_case *c,
		   const struct xs_estimate *row,
		   const struct xs_scenario *scenario, enum xs_cut how,
		   struct xs_plan *plan);

#endif
