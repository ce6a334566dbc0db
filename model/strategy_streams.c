/* SPDX-License-Identifier: MIT */
/* streams: pinned memory, the copies and the kernel in n pieces on n streams.
 */
#include "model/mapped.h"
#include "model/strategy.h"

#include <math.h>

/*
 * What pieces share of their input, by how often the kernel reads each byte
 * beyond its SMs' caches: nothing; with their neighbours, as a stencil's halo;
 * or all of it, but for one of several copies.
 */
enum sharing { SHARE_NOTHING, SHARE_NEIGHBOURS, SHARE_ALL };

#define NEIGHBOUR_READS 1.2
#define SHARED_READS	4.0

/* One piece: its copies in, of which the first follows the copies that the
 * kernel before waits for; its kernel, its copies out. Before all pieces, the
 * copies that each of them needs. */
struct piece {
	struct xs_act shared, first_in, in, kernel, out;
	unsigned shareds, ins, outs;
	enum sharing sharing;
};

static enum sharing sharing_of(const struct xs_work *work, bool shares)
{
	const double times = xs_mapped_read_times(work);

	if (isnan(times) && shares)
		return work->in_copies > 1 ? SHARE_ALL : SHARE_NEIGHBOURS;
	if (times >= SHARED_READS)
		return SHARE_ALL;
	return times >= NEIGHBOUR_READS ? SHARE_NEIGHBOURS : SHARE_NOTHING;
}

/* The copies in, of in_bytes each while they are whole. */
static void cut_ins(const struct xs_machine *m, double in_bytes, double n,
		    struct piece *piece)
{
	if (piece->sharing == SHARE_ALL) {
		piece->shareds = piece->ins > 1 ? piece->ins - 1 : piece->ins;
		piece->ins -= piece->shareds;
	}
	piece->shared = xs_act_copy(m, true, in_bytes, false);
	piece->in = xs_act_copy(m, true, in_bytes / n, false);
	piece->first_in = xs_act_copy_behind(m, in_bytes / n);
	if (piece->sharing == SHARE_NEIGHBOURS)
		piece->first_in.dep_lag_ns =
		    fmax(piece->first_in.dep_lag_ns, m->g_event_ns.value);
}

/* Writes to host memory instead of copies out. */
static void write_mapped(const struct xs_machine *m, const struct xs_work *w,
			 double n, struct piece *piece)
{
	const double ns = xs_mapped_piece_ns(m, w, n);

	/* as many full requests as take the time of those it makes */
	piece->kernel.bytes[XS_LINK_WRITE] = ns / m->mapped_write.value;
	piece->kernel.write_share =
	    fmin(1, w->out_bytes / n * m->mapped_write.value / ns);
	piece->outs = 0;
}

static struct piece cut(const struct xs_case *c, const struct xs_estimate *row,
			const struct xs_scenario *scenario, bool mapped_out)
{
	const struct xs_work *w = &c->work;
	const struct xs_machine *m = &scenario->machine;
	const double n = row->n_streams;
	const double kernel_ns = w->kernel_ns * scenario->kernel_scale;
	const double least_ns = kernel_ns * xs_work_least_share(w, m);
	const double in_bytes = w->in_bytes / fmax(w->in_copies, 1);
	struct piece piece = {.ins = w->in_copies,
			      .outs = w->out_copies,
			      .sharing = sharing_of(w, scenario->shares)};

	cut_ins(m, in_bytes, n, &piece);
	piece.out = xs_act_copy(m, false,
				w->out_bytes / n / fmax(piece.outs, 1), false);
	piece.kernel = w->in_copies ? xs_act_kernel_of_copy(m, kernel_ns / n)
				    : xs_act_kernel(m, kernel_ns / n);
	piece.kernel.tail_ns = fmax(least_ns - kernel_ns / n, 0);
	if (mapped_out)
		write_mapped(m, w, n, &piece);
	return piece;
}

static const struct xs_act record = {.kind = XS_ACT_RECORD,
				     .after = XS_ACT_NONE};
static const struct xs_act await = {.kind = XS_ACT_WAIT, .after = XS_ACT_NONE};

/* The same event, of a number. */
static int put_event(struct xs_plan *plan, struct xs_act act,
		     const struct xs_machine *m, uint32_t q, uint32_t event)
{
	act.event = event;
	act.call_ns = xs_or_zero(m->call_event_ns.value);
	return xs_plan_put(plan, act, q, 1);
}

/* What every piece needs goes first, on the first queue. */
static int put_shared(struct xs_plan *plan, const struct piece *piece,
		      const struct xs_machine *m)
{
	int rc = xs_plan_put(plan, piece->shared, 0, piece->shareds);

	return rc || !piece->shareds ? rc : put_event(plan, record, m, 0, 0);
}

/* Copies in of piece q, after what it shares has been copied: event 0, or that
 * of the piece before. */
static int put_ins(struct xs_plan *plan, const struct piece *piece,
		   const struct xs_machine *m, uint32_t q)
{
	const bool chained = piece->sharing == SHARE_NEIGHBOURS && piece->ins;
	int rc = 0;

	if (q > 0 && (piece->shareds || chained))
		rc = put_event(plan, await, m, q, chained ? q - 1 : 0);
	if (!rc && piece->ins)
		rc = xs_plan_put(plan, piece->first_in, q, 1);
	if (!rc && piece->ins > 1)
		rc = xs_plan_put(plan, piece->in, q, piece->ins - 1);
	return rc || !chained ? rc : put_event(plan, record, m, q, q);
}

static int put_depth_first(struct xs_plan *plan, const struct piece *piece,
			   const struct xs_machine *m, unsigned n)
{
	uint32_t q;
	int rc = 0;

	for (q = 0; !rc && q < n; q++) {
		rc = put_ins(plan, piece, m, q);
		if (!rc)
			rc = xs_plan_put(plan, piece->kernel, q, 1);
		if (!rc)
			rc = xs_plan_put(plan, piece->out, q, piece->outs);
	}
	return rc;
}

static int put_breadth_first(struct xs_plan *plan, const struct piece *piece,
			     const struct xs_machine *m, unsigned n)
{
	uint32_t q;
	int rc = 0;

	for (q = 0; !rc && q < n; q++)
		rc = put_ins(plan, piece, m, q);
	for (q = 0; !rc && q < n; q++)
		rc = xs_plan_put(plan, piece->kernel, q, 1);
	for (q = 0; !rc && q < n; q++)
		rc = xs_plan_put(plan, piece->out, q, piece->outs);
	return rc;
}

int xs_plan_pieces(const struct xs_case *c, const struct xs_estimate *row,
		   const struct xs_scenario *scenario, bool mapped_out,
		   struct xs_plan *plan)
{
	const struct piece piece = cut(c, row, scenario, mapped_out);
	const struct xs_machine *m = &scenario->machine;
	const struct xs_act stays = xs_act_host(
	    c->work.other_ns + c->work.host_ns * scenario->host_scale);
	const struct xs_act sync = xs_act_sync_all(m);
	int rc = xs_plan_add(plan, &stays);

	if (!rc)
		rc = put_shared(plan, &piece, m);
	if (!rc && row->order == XS_ORDER_BREADTH)
		rc = put_breadth_first(plan, &piece, m, row->n_streams);
	else if (!rc)
		rc = put_depth_first(plan, &piece, m, row->n_streams);
	return rc ? rc : xs_plan_add(plan, &sync);
}

/* Keeps n in *best if it is faster than *best_ns. 0 or -errno. */
static int try_n(const struct xs_case *c, struct xs_estimate *row,
		 xs_plan_fn draw, unsigned n, unsigned *best, double *best_ns)
{
	double round_ns = 0;
	int rc;

	row->n_streams = n;
	rc = xs_replay_row(c, row, draw, &round_ns);
	if (!rc && round_ns < *best_ns) {
		*best_ns = round_ns;
		*best = n;
	}
	return rc;
}

/*
 * The n with the shortest time in the row's order: the best power of two,
 * then between its neighbours in steps of an eighth, within which the time
 * hardly changes. 0 or -errno.
 */
static int find_best(const struct xs_case *c, struct xs_estimate row,
		     xs_plan_fn draw, unsigned *best)
{
	double best_ns = INFINITY;
	unsigned n, coarse, step;
	int rc = 0;

	for (n = 2; !rc && n <= XS_STREAMS_MAX; n *= 2)
		rc = try_n(c, &row, draw, n, best, &best_ns);
	coarse = *best;
	step = coarse > 8 ? coarse / 8 : 1;
	for (n = coarse / 2 + step;
	     !rc && n < 2 * coarse && n <= XS_STREAMS_MAX; n += step)
		rc = try_n(c, &row, draw, n, best, &best_ns);
	return rc;
}

static bool is_reported(unsigned n)
{
	return n >= 2 && n <= XS_STREAMS_MAX && !(n & (n - 1));
}

static int add_n(const struct xs_case *c, struct xs_estimate row,
		 xs_plan_fn draw, unsigned n, const char *why,
		 struct xs_estimates *out)
{
	int rc;

	row.n_streams = n;
	xs_row_setup(c, n, &row);
	snprintf(row.why, sizeof(row.why), "%u pieces, issued %s%s", n,
		 row.order == XS_ORDER_DEPTH ? "piece by piece"
					     : "stage by stage",
		 why);
	rc = xs_estimate_row(c, draw, &row);
	return rc ? rc : xs_estimates_add(out, &row);
}

static int add_order(const struct xs_case *c, const struct xs_estimate *row,
		     xs_plan_fn draw, struct xs_estimates *out)
{
	static const char searched[] = ": the best number in this order";
	const unsigned asked = c->options->streams;
	unsigned n, best = 2;
	int rc = find_best(c, *row, draw, &best);

	for (n = 2; !rc && n <= XS_STREAMS_MAX; n *= 2)
		rc = add_n(c, *row, draw, n, n == best ? searched : "", out);
	if (!rc && !is_reported(best))
		rc = add_n(c, *row, draw, best, searched, out);
	if (!rc && asked && asked != best && !is_reported(asked))
		rc = add_n(c, *row, draw, asked, ": as asked for", out);
	return rc;
}

int xs_streams_rows(const struct xs_case *c, const struct xs_estimate *row,
		    xs_plan_fn draw, struct xs_estimates *out)
{
	struct xs_estimate ordered = *row;
	int rc;

	ordered.order = XS_ORDER_DEPTH;
	rc = add_order(c, &ordered, draw, out);
	ordered.order = XS_ORDER_BREADTH;
	return rc ? rc : add_order(c, &ordered, draw, out);
}

void xs_assume_pieces(const struct xs_case *c, struct xs_estimate *row)
{
	static const char *const needs[] = {
	    [SHARE_NOTHING] =
		"a piece of the kernel needs only its own piece of the input",
	    [SHARE_NEIGHBOURS] =
		"neighbouring pieces share input, as counted: each stream "
		"waits for the copy of the one before",
	    [SHARE_ALL] =
		"all blocks share their input, as counted: of several copies "
		"in only one is cut, the others go first, whole"};
	const enum sharing sharing = sharing_of(&c->work, false);

	xs_assume(row, needs[sharing]);
	xs_assume(row, "a piece of the kernel takes its share of the time");
	if (sharing == SHARE_NOTHING && isnan(c->work.read_sectors))
		xs_assume(row,
			  "where it needs its neighbour's too, its stream "
			  "waits for that copy before its own: copies of many "
			  "streams are not taken in the order of issue");
}

static int draw_streams(const struct xs_case *c, const struct xs_estimate *row,
			const struct xs_scenario *scenario,
			struct xs_plan *plan)
{
	return xs_plan_pieces(c, row, scenario, false, plan);
}

static bool abstains(const struct xs_case *c, struct xs_estimate *row,
		     struct xs_estimates *out, int *rc)
{
	const struct xs_machine *m = c->machine;

	return xs_abstain_kernel(c, row, out, rc) ||
	       xs_abstain_unknown(row, "L+o", m->lo_h2d_ns.value, out, rc) ||
	       xs_abstain_unknown(row, "L+o", m->lo_d2h_ns.value, out, rc) ||
	       xs_abstain_unknown(row, "G", m->G_h2d.value, out, rc) ||
	       xs_abstain_unknown(row, "G", m->G_d2h.value, out, rc);
}

static int vanwerkhoven(const struct xs_closed *closed, unsigned n,
			struct xs_estimates *out)
{
	return xs_closed_streams(closed, n, false, out);
}

/* A published equation for its own best n, and for the same n as replay. */
static int add_closed(const struct xs_case *c,
		      int (*equation)(const struct xs_closed *, unsigned,
				      struct xs_estimates *),
		      struct xs_estimates *out)
{
	const struct xs_closed closed = xs_case_closed(c);
	const unsigned asked = c->options->streams;
	unsigned n;
	int rc = equation(&closed, 0, out);

	if (rc || !out->items[out->count - 1].applies)
		return rc; /* it abstains for every n */
	for (n = 2; !rc && n <= XS_STREAMS_MAX; n *= 2)
		rc = equation(&closed, n, out);
	if (!rc && asked && !is_reported(asked))
		rc = equation(&closed, asked, out);
	return rc;
}

int xs_strategy_streams(const struct xs_case *c, struct xs_estimates *out)
{
	struct xs_estimate row = xs_row("streams", XS_EFFORT_SPLIT);
	int rc = 0;

	if (abstains(c, &row, out, &rc))
		return rc;
	xs_assume_pieces(c, &row);
	if (isnan(c->machine->G_both_h2d.value) ||
	    isnan(c->machine->G_both_d2h.value))
		xs_assume(&row, "copies both ways at once do not slow each "
				"other: how far they do was not measured");
	if (isnan(c->machine->call_copy_async_ns.value))
		xs_assume(&row, "calls cost the host nothing: what they cost "
				"was not measured");
	rc = xs_streams_rows(c, &row, draw_streams, out);
	if (!rc)
		rc = add_closed(c, vanwerkhoven, out);
	return rc ? rc : add_closed(c, xs_closed_gomezluna, out);
}
