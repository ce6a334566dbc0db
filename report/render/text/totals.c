/* SPDX-License-Identifier: MIT */
/* The section on where the time went. */
#include "report/render/text/sections.h"
#include "report/result/shown_text.h"

#include <inttypes.h>
#include <string.h>

/* What the figures are of: the steady part, or the run if no round repeats. */
struct whole {
	struct xs_text_table table;
	struct xs_text_heading headings[5];
	struct xs_result *result;
	const struct xs_result_totals *totals;
	int64_t ns, wall_ns; /* of these and of the run */
	int64_t rounds;	     /* times, copies and bytes are of one of so many */
	bool is_steady;
};

/* A row. `what` has at most 40 columns, or 35 with the two more of a steady
 * part, so that nothing is cut at 80. */
static void put(struct whole *in, const char *name, int64_t ns,
		const char *what)
{
	struct xs_text_table *table = &in->table;

	xs_text_row(table, NULL, 0);
	xs_text_cell(table, XS_PLAIN, name);
	xs_text_cell(table, XS_PLAIN,
		     xs_units_ns(ns == XS_UNKNOWN ? ns : ns / in->rounds).s);
	xs_text_cell(table, XS_PLAIN, xs_units_share(ns, in->ns).s);
	if (in->is_steady) /* a sum over threads is a share of neither */
		xs_text_cell(table, XS_PLAIN,
			     ns > in->ns ? "-"
					 : xs_units_share(ns, in->wall_ns).s);
	xs_text_cell(table, XS_DIM, what);
}

/* "64", "1.09": of one round. */
static const char *count(struct whole *in, int64_t all)
{
	struct xs_arena *arena = &in->result->arena;

	if (all % in->rounds == 0)
		return xs_print(arena, "%" PRId64, all / in->rounds);
	return xs_print(arena, "%.3g", (double)all / (double)in->rounds);
}

static const char *copies(struct whole *in, int64_t bytes, int64_t ops,
			  int64_t ns)
{
	if (bytes == XS_UNKNOWN || ops == 0)
		return "";
	return xs_print(&in->result->arena, "%s in %s %s, %s",
			xs_units_bytes(bytes / in->rounds).s, count(in, ops),
			ops == in->rounds ? "copy" : "copies",
			xs_units_rate(bytes, ns).s);
}

/* Copies that do not involve the host, if there are any. */
static void put_between(struct whole *in, const char *name, int64_t bytes,
			int64_t ops, int64_t ns)
{
	if (ops > 0)
		put(in, name, ns, copies(in, bytes, ops, ns));
}

/* Migrations of managed memory, which the GPU work above does not include. */
static void put_migration(struct whole *in, const char *name, int64_t bytes,
			  int64_t ns)
{
	if (bytes > 0)
		put(in, name, ns,
		    xs_print(&in->result->arena, "%s at %s; not above",
			     xs_units_bytes(bytes / in->rounds).s,
			     xs_units_rate(bytes, ns).s));
}

/* Work that was only counted has no time, and is not in the sum. */
static const char *busy_text(const struct whole *in)
{
	const struct xs_result_totals *totals = in->totals;

	if (totals->gpu_busy_ns != XS_UNKNOWN &&
	    (totals->h2d_ns == XS_UNKNOWN || totals->d2h_ns == XS_UNKNOWN ||
	     totals->kernel_ns == XS_UNKNOWN))
		return "without work of unknown time";
	return in->result->run.device_count > 1 ? "at least one GPU"
						: xs_result_no_overlap(totals);
}

/* How long these ran at once, and why not. */
static void put_overlap(struct whole *in)
{
	const struct xs_result_totals *t = in->totals;
	const char *why = "";

	/* which is why not more: nothing to say of copies that overlap */
	if (t->pageable_async_ops > 0 && t->overlap_ns < t->gpu_busy_ns / 2)
		why = "pageable copies block";
	if (t->overlap_ns != 0)
		put(in, "overlap", t->overlap_ns, why);
}

/* A row of what there is, or may be. */
static void put_some(struct whole *in, const char *name, int64_t ns,
		     const char *what)
{
	if (ns)
		put(in, name, ns, what);
}

static void put_gpu(struct whole *in)
{
	const struct xs_result_totals *t = in->totals;
	struct xs_arena *arena = &in->result->arena;

	put_some(in, "copies in", t->h2d_ns,
		 copies(in, t->h2d_bytes, t->h2d_ops, t->h2d_ns));
	put_some(in, "kernels", t->kernel_ns,
		 t->kernels > 0
		     ? xs_print(arena, "%s launched", count(in, t->kernels))
		     : "");
	put_some(in, "copies out", t->d2h_ns,
		 copies(in, t->d2h_bytes, t->d2h_ops, t->d2h_ns));
	put_between(in, "within a GPU", t->d2d_bytes, t->d2d_ops, t->d2d_ns);
	put_between(in, "between GPUs", t->p2p_bytes, t->p2p_ops, t->p2p_ns);
	put_overlap(in);
	put(in, "GPU busy", t->gpu_busy_ns, busy_text(in));
	put_migration(in, "migrated in", t->migrated_h2d_bytes,
		      t->migrated_h2d_ns);
	put_migration(in, "migrated out", t->migrated_d2h_bytes,
		      t->migrated_d2h_ns);
}

/* After how much of the run CUDA starts. At most 40 columns. */
static const char *start_text(const struct whole *in)
{
	const int64_t wall_ns = in->wall_ns;
	const int64_t before_ns =
	    wall_ns - in->totals->init_ns - in->result->verdict.steady_ns;

	return wall_ns == XS_UNKNOWN || before_ns < wall_ns / 100
		   ? "in the first call; not counted elsewhere"
		   : xs_print(&in->result->arena,
			      "began at %s; not counted elsewhere",
			      xs_units_ns(before_ns).s);
}

/* What the tracer took of the whole. */
static int64_t tracer_ns(const struct whole *in)
{
	return in->is_steady ? in->result->verdict.tracer_ns
			     : in->result->run.tracer_ns;
}

/* Of calls that were recorded with tracing, shares are of times with it. */
static void put_traced(struct whole *in, const char *name, int64_t call_ns,
		       const char *what)
{
	const int64_t ns = in->ns, wall_ns = in->wall_ns;

	if (tracer_ns(in)) {
		in->ns += tracer_ns(in);
		in->wall_ns = in->result->run.wall_ns;
		what = xs_print(&in->result->arena, "%s%sof %s with tracing",
				what, *what ? "; " : "",
				xs_units_ns(in->ns / in->rounds).s);
	}
	put(in, name, call_ns, what);
	in->ns = ns;
	in->wall_ns = wall_ns;
}

static void put_host(struct whole *in)
{
	const struct xs_result_totals *t = in->totals;

	put_traced(in, "host blocked", t->host_blocked_ns, "");
	if (t->init_ns > 0)
		put(in, "CUDA start-up", t->init_ns,
		    t->init_at_most ? "upper bound; the call was not recorded"
				    : start_text(in));
	if (t->pinned_alloc_ns > 0)
		put_traced(in, "pinning", t->pinned_alloc_ns, "host memory");
}

static void begin(struct whole *in, const struct xs_terminal *terminal,
		  bool by_round)
{
	const struct xs_text_heading run[5] = {
	    {"", XS_PLAIN}, {"", XS_RIGHT}, {"", XS_RIGHT}, {"", XS_PLAIN}};
	const struct xs_text_heading steady[5] = {
	    {" ", XS_PLAIN},
	    {by_round ? "per round" : "in all", XS_RIGHT},
	    {"of part", XS_RIGHT},
	    {xs_result_run_heading(in->result), XS_RIGHT},
	    {"", XS_PLAIN}};

	memcpy(in->headings, in->is_steady ? steady : run, sizeof(run));
	xs_terminal_heading(
	    terminal, "Where the time went",
	    by_round	    ? xs_print(&in->result->arena,
				       "in the steady part, divided by its %" PRId64
				       " round%s",
				       in->rounds, in->rounds == 1 ? "" : "s")
	    : in->is_steady ? "in the steady part"
			    : NULL);
	xs_text_table_begin(&in->table, terminal, in->headings,
			    in->is_steady ? 5 : 4);
}

/* What the tracer took, which is no part of the row. */
static const char *traced_text(const struct whole *in)
{
	const int64_t ns = tracer_ns(in);

	return ns ? xs_print(&in->result->arena, "without %s of tracing",
			     xs_units_ns(ns / in->rounds).s)
		  : "";
}

void xs_render_text_totals(const struct xs_terminal *terminal,
			   struct xs_result *result)
{
	const struct xs_result_steady *steady = &result->steady;
	const bool is_steady = result->verdict.repeats;
	const bool by_round = is_steady && steady->rounds != XS_UNKNOWN;
	struct whole in = {
	    .result = result,
	    .totals = is_steady ? &steady->totals : &result->totals,
	    .ns = is_steady ? result->verdict.steady_ns
			    : xs_result_untraced_wall_ns(result),
	    .wall_ns = xs_result_untraced_wall_ns(result),
	    .rounds = by_round ? steady->rounds : 1,
	    .is_steady = is_steady,
	};
	const char *outside = xs_result_pinning_outside(result);

	begin(&in, terminal, by_round);
	put(&in, is_steady ? "steady part" : "run", in.ns, traced_text(&in));
	put_gpu(&in);
	put_host(&in);
	xs_text_table_end(&in.table, NULL, 0);
	if (outside)
		xs_terminal_wrap(terminal, XS_PLAIN, "  ", outside);
}
