/* SPDX-License-Identifier: MIT */
/*
 * Shared by the strategies: the case that a strategy gets, and functions that
 * fill its rows. strategies.h has the descriptor that each strategy defines.
 */
#pragma once

#include "model/formulas/closed_forms.h"
#include "model/machine/range_end.h"
#include "model/replay/mapped_access.h"
#include "model/replay/plan.h"
#include "model/replay/round_work.h"
#include "model/replay/small_copies.h"
#include "model/strategies/model.h"
#include "model/strategies/strategies.h"

struct xs_schedule;

/* A phase on a machine. */
struct xs_strategy_case {
	const struct xs_strategy *strategy; /* the current strategy */
	const struct xs_phase *phase;
	const struct xs_machine *machine;
	const struct xs_model_options *options;
	struct xs_round_work work;
	double as_is_ns; /* by replay; savings are counted from it */
	/* Keep the host's work between calls that are merged: the pessimistic
	 * case, since the change may take it away. */
	bool keeps_work;
	/* The only row to replay, with its times, in place of all rows: see
	 * xs_model_schedule(). NULL: none. */
	struct xs_schedule *schedule;
};

/* A condition for which a plan is made: one end of an interval. */
struct xs_scenario {
	struct xs_machine machine;
	double kernel_scale, host_scale; /* relative to the median */
	/* Pieces share input as far as counters do not rule it out: all copies
	 * in except one, or with one copy in their neighbours' parts. A kernel
	 * needs all results of the kernel before it. */
	bool shares;
	enum xs_mapped_case mapped;
	/* Copies of all streams run in the order of issue, not by the hardware
	 * queues that they share. */
	bool in_order;
	/* Allocations and frees that stay beside pinned copies, and short
	 * pageable copies that stay where other calls go, take as long as
	 * recorded. */
	bool calls_recorded;
	/* Pageable copies of another run: xs_another_run(). */
	int in_end, out_end;
	/* The SMs run one kernel at a time, even if it leaves some idle. */
	bool one_kernel;
	/* Threads have an item each: a piece of a kernel that leaves SMs idle
	 * takes as long as the whole, beside the others. */
	bool own_items;
};

/* Writes the plan of a row (n_streams, order) under a scenario. */
typedef void (*xs_plan_fn)(const struct xs_strategy_case *c,
			   const struct xs_estimate *row,
			   const struct xs_scenario *scenario,
			   struct xs_plan *plan);

/* Returns a row of the case's strategy by replay that does not apply yet: times
 * NAN. */
struct xs_estimate xs_estimate_init(const struct xs_strategy_case *c);

/* The model of rows by replay; the bound of rows that assume that each byte
 * crosses the bus once. */
#define XS_MODEL_REPLAY "replay"
#define XS_BOUND_ONCE	"each byte crosses the bus once"

/* Adds an assumption to a row; text must be static. */
void xs_estimate_assume(struct xs_estimate *row, const char *text);

/* The same, of what the program must do and the trace does not show. */
void xs_estimate_need(struct xs_estimate *row, const char *text);

/* Adds the assumption on how often bytes of mapped memory cross the bus: as
 * counted, or once each. */
void xs_estimate_assume_bus_crossings(const struct xs_strategy_case *c,
				      struct xs_estimate *row);

/* Adds the assumptions on what a piece of the kernel needs and how long it
 * takes. outs: results are copied out in pieces, too. */
void xs_estimate_assume_pieces(const struct xs_strategy_case *c, bool outs,
			       struct xs_estimate *row);

/* Returns the time of the row at the values and medians. NAN: the rate of a
 * link use is unknown. */
double xs_estimate_replay_ns(const struct xs_strategy_case *c,
			     const struct xs_estimate *row,
			     xs_plan_fn build_plan);

/* Returns the time of the row if the case keeps that work. */
double xs_estimate_with_work_ns(const struct xs_strategy_case *c,
				const struct xs_estimate *row,
				xs_plan_fn build_plan);

/* Call it after the row was replayed without the host's work between the calls
 * that a strategy merges: if that work matters, the row is a bound, and
 * otherwise_ns is the time with it. */
void xs_estimate_only_issues(const struct xs_strategy_case *c,
			     xs_plan_fn build_plan, struct xs_estimate *row);

/* Rounds of a plan of several: until host and device are in step, and those
 * that are timed. Fewer if rounds are so long that what overlaps at their ends
 * matters little: a replay takes time and memory for each action. */
struct xs_plan_rounds {
	unsigned before, timed;
};
struct xs_plan_rounds xs_plan_rounds_of(const struct xs_phase *phase);

/*
 * Fills time and interval by replay: at the values, then with one cause at a
 * time at either end of its range (machine parameters, kernel times, host
 * time). Deviations of independent causes add in quadrature. Sets applies,
 * unless the rate of a link use is unknown, and the break-even from setup_ns.
 */
void xs_estimate_replay(const struct xs_strategy_case *c, xs_plan_fn build_plan,
			struct xs_estimate *row);

/* Sets shared_low_ns and shared_high_ns to how far the host's own time moves
 * the row to either side. */
void xs_estimate_set_host(const struct xs_strategy_case *c,
			  xs_plan_fn build_plan, struct xs_estimate *row);

/* Returns the error of replay to one side on the machine, in ns of the row's
 * time. */
double xs_model_deviation(const struct xs_machine *machine,
			  const struct xs_estimate *row,
			  enum xs_range_end side);

/* Leaves of the work what is pinned: all buffers of all rounds, or, where these
 * may be new ones in each, those that rounds use at one time. */
void xs_strategy_case_keep_buffers(struct xs_strategy_case *c);

/*
 * Sets setup_ns to the one-time cost of pinning and streams, NAN if unknown,
 * and adds the assumption that goes with it. Returns that if rounds have other
 * addresses or new pages, so that it may not hold; else NULL.
 */
const char *xs_estimate_set_setup(const struct xs_strategy_case *c,
				  unsigned streams, struct xs_estimate *row);

/* A one-time cost on the case's machine, ns. amount: of what it depends on
 * beside the case, such as streams. */
typedef double (*xs_setup_fn)(const struct xs_strategy_case *c, double amount);

/* Adds the cost to setup_ns, and its range by the profile's to setup_less_ns
 * and setup_more_ns. */
void xs_estimate_add_setup(const struct xs_strategy_case *c,
			   xs_setup_fn setup_ns, double amount,
			   struct xs_estimate *row);

/* Sets setup_ns and its range only. */
void xs_estimate_set_setup_ns(const struct xs_strategy_case *c,
			      unsigned streams, struct xs_estimate *row);

/* Returns the cost of pinning the host memory of a round's pageable copies,
 * with the first touch of what a round touches first: it is part of that copy
 * now. */
double xs_registering_work_ns(const struct xs_machine *machine,
			      const struct xs_round_work *work);

/* Returns the cost of allocating that memory anew, pinned. */
double xs_allocating_work_ns(const struct xs_machine *machine,
			     const struct xs_round_work *work);

/*
 * Each function appends *row with a reason and returns true if the strategy
 * must abstain.
 *
 * xs_abstain_if: for the reason given, as printf. xs_abstain_if_chain: kernels
 * use each other's results. xs_abstain_without_needs: the phase lacks one of
 * the strategy's needs. xs_abstain_without_copy_rates: the strategy needs L+o
 * and G, and the machine lacks one. xs_abstain_if_unknown: value is NAN; name
 * is that of the parameter.
 */
bool xs_abstain_if(bool when, struct xs_estimate *row, struct xs_estimates *out,
		   const char *why, ...) __attribute__((format(printf, 4, 5)));
bool xs_abstain_if_chain(bool when, const struct xs_strategy_case *c,
			 struct xs_estimate *row, struct xs_estimates *out);
bool xs_abstain_without_needs(const struct xs_strategy_case *c,
			      struct xs_estimate *row,
			      struct xs_estimates *out);
bool xs_abstain_without_copy_rates(const struct xs_strategy_case *c,
				   struct xs_estimate *row,
				   struct xs_estimates *out);
#define XS_NAME_LO "the latency of copies (L+o)"
#define XS_NAME_G  "the rate of copies (G)"
bool xs_abstain_if_unknown(struct xs_estimate *row, const char *name,
			   double value, struct xs_estimates *out);

/* Returns the phase as input of the closed forms. */
struct xs_closed_form
xs_strategy_case_closed_form(const struct xs_strategy_case *c);

/* The largest number of streams that replay tries. It always reports the powers
 * of two. */
#define XS_STREAMS_MAX 64u

/*
 * Appends rows of a strategy with n pieces: n = 2, 4, ... 64, the best n, and
 * the n of the options, each in both issue orders. Each row starts as a copy of
 * *row. joined: the plan that is valid even if each kernel needs all results of
 * the one before; NULL if no kernel depends on another.
 */
void xs_streams_rows(const struct xs_strategy_case *c,
		     const struct xs_estimate *row, xs_plan_fn build_plan,
		     xs_plan_fn joined, struct xs_estimates *out);

/* Writes the recorded round under a scenario, without the tracer: action i is
 * step i. Pageable copies are those of another run. */
void xs_plan_recorded(const struct xs_strategy_case *c,
		      const struct xs_scenario *scenario, struct xs_plan *plan);

/* Leaves out what the recorded round allocates and frees again, as reuse does.
 * Action i of the plan is step i. */
void xs_plan_reuse(const struct xs_phase *phase,
		   const struct xs_machine *machine, struct xs_plan *plan);

/* Leaves out the allocations and frees of the device arrays that runs of small
 * copies copy, except of each run's first copy: merged, they are one. That one
 * may be older than the round; it is then taken to have room for the others.
 * Action i of the plan is step i. */
void xs_plan_join_arrays(const struct xs_phase *phase,
			 const struct xs_machine *machine,
			 struct xs_plan *plan);

/* Writes a plan without copies: the kernel reads and writes host memory over
 * the link. */
void xs_plan_mapped(const struct xs_strategy_case *c,
		    const struct xs_estimate *row,
		    const struct xs_scenario *scenario, struct xs_plan *plan);

enum xs_cut {
	XS_CUT_ALL,    /* copies in, every kernel, copies out */
	XS_CUT_MAPPED, /* the same, but the last kernel writes to host memory */
	XS_CUT_ENDS,   /* the first and the last kernel only; each kernel waits
			* for all pieces of the one before */
};

/* Host time of a round that stays whatever is cut: before it, behind the first
 * copies in, and beside GPU work. */
struct xs_host_time {
	double before_ns, between_ns, beside_ns;
};

struct xs_host_time
xs_strategy_case_host_time(const struct xs_strategy_case *c,
			   const struct xs_scenario *scenario);

/*
 * Writes a plan of n pieces on n queues in the row's order. Unchanged work
 * comes first, a synchronisation last. A kernel that shares results of the one
 * before, as counted, waits for the neighbouring piece or for all pieces. A
 * kernel with fewer blocks than pieces stays whole.
 */
void xs_plan_pieces(const struct xs_strategy_case *c,
		    const struct xs_estimate *row,
		    const struct xs_scenario *scenario, enum xs_cut how,
		    struct xs_plan *plan);

/* batch-call and batch-kernel: runs of small copies from pinned memory, apart
 * from each other, reach the device by one op, without a buffer of the host. */
struct xs_batch_way {
	/* The op that stands for a run. */
	struct xs_action (*op)(const struct xs_machine *machine,
			       const struct xs_small_copies *run);
	double least_bytes; /* of a copy, on average */
	const char *needs;  /* names what the op takes */
	double (*needed)(const struct xs_machine *machine); /* NAN: unknown */
};

/* Appends the row of c->strategy, whose way it takes. */
void xs_batch_direct_build(const struct xs_strategy_case *c,
			   struct xs_estimates *out);
