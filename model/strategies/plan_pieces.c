/* SPDX-License-Identifier: MIT */
/*
 * Plans a round in pieces. Each stage of the round's kernels is cut into one
 * kernel per piece, or stays whole on the first queue. A run is a sequence of
 * stages that all pieces go through on their own queues; between two runs, each
 * piece waits for all others.
 */
#include "model/replay/mapped_writes.h"
#include "model/replay/split_arrays.h"
#include "model/strategies/piece_kernel.h"
#include "model/strategies/piece_sharing.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* One stage: the kernel of a piece, or the whole kernel. needs: what it uses of
 * the previous stage. */
struct part {
	struct xs_action kernel;
	enum xs_sharing needs;
	bool whole;
};

/* The actions of a piece: copies in, kernels, copies out. first_in is the first
 * copy in; it follows the copies that the previous piece's kernel waits for.
 * shared copies come before all pieces. */
struct pieces {
	const struct xs_machine *machine;
	unsigned n;
	bool breadth_first;
	struct xs_action shared, first_in, in, out;
	unsigned shareds, ins, outs;
	/* host time before the pieces, and behind the first one's copies in */
	struct xs_host_time host;
	bool one_kernel; /* at a time, even if it leaves SMs idle */
	enum xs_sharing sharing;
	struct part parts[XS_STAGES_MAX];
	unsigned count;
};

/* Parts [first, end): all whole, or all in pieces. ins, outs: the run includes
 * the copies in or out. */
struct run {
	unsigned first, end;
	bool whole, ins, outs;
};

/* Parts of an array are a quotient: their sum is whole up to this. */
#define PARTS_ERROR 1e-9

/* Returns the copies of a piece of some arrays: the parts are shared out, and
 * are cut only if they are fewer than the pieces. */
static unsigned copies_of_piece(unsigned arrays, double parts, double n)
{
	return (unsigned)fmax(arrays, ceil(arrays * parts / n - PARTS_ERROR));
}

/* Sets the copies in. */
static void cut_ins(const struct xs_machine *m, const struct xs_round_work *w,
		    double n, struct pieces *p)
{
	const unsigned arrays = w->in_copies;
	const double parts = xs_parts_of_array(arrays, w->in_parts);
	const double array_bytes = w->in_bytes / fmax(arrays, 1);
	unsigned whole = 0;
	double bytes;

	if (p->sharing == XS_SHARE_ALL)
		whole = arrays > 1 ? arrays - 1 : arrays;
	p->shareds = (unsigned)round(whole * parts);
	p->shared = xs_action_copy(m, true, array_bytes / parts, false);
	p->ins = copies_of_piece(arrays - whole, parts, n);
	bytes = array_bytes * (arrays - whole) / n / fmax(p->ins, 1);
	p->in = xs_action_copy(m, true, bytes, false);
	p->first_in = xs_action_next_copy(m, bytes);
	if (p->sharing == XS_SHARE_NEIGHBOURS)
		p->first_in.dep_lag_ns =
		    fmax(p->first_in.dep_lag_ns, m->g_event_ns.value);
}

/* A stage with fewer blocks than pieces stays whole. */
static struct part cut_stage(const struct xs_strategy_case *c,
			     const struct xs_scenario *scenario,
			     const struct pieces *p, bool joined, unsigned s)
{
	const struct xs_round_work *w = &c->work;
	const struct xs_kernel_stage *stage = &w->stages[s];
	const bool inner = s > 0 && s + 1 < w->stage_count;
	struct part part = {.whole = joined && inner};

	if (w->stage_count > 1 && stage->blocks > 0 &&
	    stage->blocks < (double)p->n * stage->kernels)
		part.whole = true;
	if (s > 0)
		part.needs = joined ? XS_SHARE_ALL : xs_sharing_of_stage(w, s);
	part.kernel = xs_piece_kernel(
	    stage, scenario,
	    &(struct xs_piece_cut){
		.n = part.whole ? 1 : p->n,
		.launches = w->slices ? fmax((double)stage->kernels / p->n, 1)
				      : stage->kernels,
		.behind_copy = s == 0 && w->in_copies,
		.one_kernel = p->one_kernel});
	return part;
}

/* Writes to host memory instead of copying out. */
static void write_mapped(const struct xs_round_work *w, struct pieces *p)
{
	const struct xs_machine *m = p->machine;
	const double ns = xs_mapped_access_piece_ns(m, w, p->n);
	struct xs_action *kernel = &p->parts[p->count - 1].kernel;

	/* as many full requests as take the same time */
	kernel->bytes[XS_LINK_WRITE] = ns / m->mapped_write.value;
	kernel->write_share =
	    fmin(1, w->out_bytes / p->n * m->mapped_write.value / ns);
	p->outs = 0;
}

struct xs_host_time
xs_strategy_case_host_time(const struct xs_strategy_case *c,
			   const struct xs_scenario *scenario)
{
	const struct xs_round_work *w = &c->work;

	return (struct xs_host_time){.before_ns =
					 w->other_ns - w->between_ns +
					 w->host_ns * scenario->host_scale,
				     .between_ns = w->between_ns,
				     .beside_ns = w->beside_ns};
}

static struct pieces cut(const struct xs_strategy_case *c,
			 const struct xs_estimate *row,
			 const struct xs_scenario *scenario, enum xs_cut how)
{
	const struct xs_round_work *w = &c->work;
	const bool joined =
	    how == XS_CUT_ENDS || (scenario->shares && !w->in_pieces);
	struct pieces p = {
	    .machine = &scenario->machine,
	    .n = row->n_streams,
	    .breadth_first = row->order == XS_ORDER_BREADTH,
	    .outs = copies_of_piece(
		w->out_copies, xs_parts_of_array(w->out_copies, w->out_parts),
		row->n_streams),
	    .one_kernel = scenario->one_kernel || how == XS_CUT_MAPPED,
	    .sharing = xs_sharing_of_input(w, scenario->shares),
	    .count = w->stage_count};

	p.host = xs_strategy_case_host_time(c, scenario);
	cut_ins(p.machine, w, p.n, &p);
	p.out = xs_action_copy(p.machine, false,
			       w->out_bytes / p.n / fmax(p.outs, 1), false);
	for (unsigned s = 0; s < p.count; s++)
		p.parts[s] = cut_stage(c, scenario, &p, joined, s);
	if (how == XS_CUT_MAPPED)
		write_mapped(w, &p);
	return p;
}

static const struct xs_action record = {.kind = XS_ACTION_RECORD,
					.after = XS_ACTION_NONE};
static const struct xs_action await = {.kind = XS_ACTION_WAIT,
				       .after = XS_ACTION_NONE};

/* Appends a record or wait of a piece's event after that many stages; after 0
 * stages: its copies in. */
static void put_event(struct xs_plan *plan, struct xs_action action,
		      const struct pieces *p, uint32_t q, unsigned stages,
		      uint32_t piece)
{
	action.event = stages * p->n + piece;
	action.call_ns = xs_or_zero(p->machine->call_event_ns.value);
	xs_plan_put(plan, action, q, 1);
}

/* Input that every piece needs is copied first, on the first queue. */
static void put_shared(struct xs_plan *plan, const struct pieces *p)
{
	xs_plan_put(plan, p->shared, 0, p->shareds);
	if (p->shareds)
		put_event(plan, record, p, 0, 0, 0);
}

/* Appends the copies in of piece q, after a wait for what it shares: event 0,
 * or that of the previous piece. */
static void put_ins(struct xs_plan *plan, const struct pieces *p, uint32_t q)
{
	const bool chained = p->sharing == XS_SHARE_NEIGHBOURS && p->ins;

	if (q > 0 && (p->shareds || chained))
		put_event(plan, await, p, q, 0, chained ? q - 1 : 0);
	if (p->ins)
		xs_plan_put(plan, p->first_in, q, 1);
	if (p->ins > 1)
		xs_plan_put(plan, p->in, q, p->ins - 1);
	if (chained)
		put_event(plan, record, p, q, 0, q);
}

/* Appends stage s of piece q. It waits for the previous stage of the
 * neighbouring piece if it needs that. */
static void put_part(struct xs_plan *plan, const struct pieces *p,
		     const struct run *run, unsigned s, uint32_t q)
{
	const struct part *part = &p->parts[s];

	if (q > 0 && s > run->first && part->needs == XS_SHARE_NEIGHBOURS)
		put_event(plan, await, p, q, s, q - 1);
	xs_plan_put(plan, part->kernel, q, 1);
	if (s + 1 < run->end && part[1].needs == XS_SHARE_NEIGHBOURS)
		put_event(plan, record, p, q, s + 1, q);
}

/* Appends the copies in of piece q; behind the first piece's what the round
 * allocates between its copies in; and before the others' their part of what
 * the host does beside GPU work. */
static void put_ins_between(struct xs_plan *plan, const struct pieces *p,
			    uint32_t q)
{
	const struct xs_action between = xs_action_host(p->host.between_ns);
	const struct xs_action beside =
	    xs_action_host(p->host.beside_ns / fmax(p->n - 1, 1));

	if (q && p->host.beside_ns > 0)
		xs_plan_add(plan, &beside);
	put_ins(plan, p, q);
	if (!q && p->host.between_ns > 0)
		xs_plan_add(plan, &between);
}

static void put_depth_first(struct xs_plan *plan, const struct pieces *p,
			    const struct run *run)
{
	for (uint32_t q = 0; q < p->n; q++) {
		if (run->ins)
			put_ins_between(plan, p, q);
		for (unsigned s = run->first; s < run->end; s++)
			put_part(plan, p, run, s, q);
		if (run->outs)
			xs_plan_put(plan, p->out, q, p->outs);
	}
}

static void put_breadth_first(struct xs_plan *plan, const struct pieces *p,
			      const struct run *run)
{
	for (uint32_t q = 0; run->ins && q < p->n; q++)
		put_ins_between(plan, p, q);
	for (unsigned s = run->first; s < run->end; s++)
		for (uint32_t q = 0; q < p->n; q++)
			put_part(plan, p, run, s, q);
	for (uint32_t q = 0; run->outs && q < p->n; q++)
		xs_plan_put(plan, p->out, q, p->outs);
}

static void put_run(struct xs_plan *plan, const struct pieces *p,
		    const struct run *run)
{
	if (!run->whole && p->breadth_first)
		put_breadth_first(plan, p, run);
	else if (!run->whole)
		put_depth_first(plan, p, run);
	for (unsigned s = run->first; run->whole && s < run->end; s++)
		xs_plan_put(plan, p->parts[s].kernel, 0, 1);
}

/* The first queue waits for all pieces of the run. All queues wait for the
 * first one if the next run is in pieces again. */
static void put_join(struct xs_plan *plan, const struct pieces *p,
		     const struct run *run, const struct run *next)
{
	for (uint32_t q = 1; !run->whole && q < p->n; q++) {
		put_event(plan, record, p, q, run->end, q);
		put_event(plan, await, p, 0, run->end, q);
	}
	if (!next->whole)
		put_event(plan, record, p, 0, run->end, 0);
	for (uint32_t q = 1; !next->whole && q < p->n; q++)
		put_event(plan, await, p, q, run->end, 0);
}

/* Returns the first run, or the one after `before`. The first run has the
 * copies in and the last one the copies out; a run may consist of copies alone
 * if the kernels next to them are whole. */
static struct run run_after(const struct pieces *p, const struct run *before)
{
	const unsigned first = before ? before->end : 0;
	struct run run = {.first = first, .end = first, .ins = !before};

	run.whole = before && first < p->count && p->parts[first].whole;
	while (run.end < p->count && p->parts[run.end].whole == run.whole &&
	       (run.whole || run.end == first ||
		p->parts[run.end].needs != XS_SHARE_ALL))
		run.end++;
	run.outs = run.end == p->count && !run.whole;
	return run;
}

static void put_runs(struct xs_plan *plan, const struct pieces *p)
{
	struct run run = run_after(p, NULL), next;

	put_run(plan, p, &run);
	while (!run.outs) {
		next = run_after(p, &run);
		put_join(plan, p, &run, &next);
		put_run(plan, p, &next);
		run = next;
	}
}

void xs_plan_pieces(const struct xs_strategy_case *c,
		    const struct xs_estimate *row,
		    const struct xs_scenario *scenario, enum xs_cut how,
		    struct xs_plan *plan)
{
	const struct pieces p = cut(c, row, scenario, how);
	const struct xs_action stays = xs_action_host(p.host.before_ns);
	const struct xs_action sync = xs_action_sync_all(p.machine);

	xs_plan_add(plan, &stays);
	plan->kernel_hw_queues = c->work.kernel_hw_queues
				     ? c->work.kernel_hw_queues
				     : XS_KERNEL_HW_QUEUES;
	plan->copy_hw_queues =
	    c->work.copy_hw_queues ? c->work.copy_hw_queues : XS_COPY_HW_QUEUES;
	if (scenario->in_order)
		plan->copy_hw_queues = 0;
	put_shared(plan, &p);
	put_runs(plan, &p);
	xs_plan_add(plan, &sync);
}
