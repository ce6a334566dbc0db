/* SPDX-License-Identifier: MIT */
#include "report/plan/phase_estimate.h"

#include "analyzer/rounds/phase.h"
#include "model/strategies/strategies.h"
#include "report/plan/tracing.h"
#include "report/result/best.h"
#include "report/result/estimate.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The lesser of two limits, of which either may be unknown. */
static int64_t lesser(int64_t a, int64_t b)
{
	return b == XS_UNKNOWN || (a != XS_UNKNOWN && a < b) ? a : b;
}

/* The most that a round saves of its own time. */
static int64_t most_alone_ns(const struct xs_result_phase *phase,
			     unsigned changes)
{
	if (!(changes & ~(unsigned)XS_CHANGES_LAUNCHES) ||
	    changes & XS_CHANGES_SIZES)
		return XS_UNKNOWN;
	/* only the host's work moves; without copies, waits are left out */
	if (changes == XS_CHANGES_HOST && (phase->h2d_ops || phase->d2h_ops))
		return lesser(phase->transfer_ns, phase->host_ns);
	return changes & XS_CHANGES_ALLOCATION ? phase->movable_ns
					       : phase->transfer_ns;
}

/* The most that a round saves by what it shares with others beside it. */
static int64_t most_beside_ns(const struct xs_result_phase *phase,
			      unsigned changes)
{
	int64_t least_ns = phase->beside_kernels_ns;

	if (!(changes & XS_CHANGES_TRAFFIC) && phase->beside_link_ns > least_ns)
		least_ns = phase->beside_link_ns;
	if (!(changes & (XS_CHANGES_TRAFFIC | XS_CHANGES_ORDER)) &&
	    phase->beside_queue_ns > least_ns)
		least_ns = phase->beside_queue_ns;
	if (!changes || least_ns <= 0)
		return XS_UNKNOWN;
	return least_ns < xs_result_untraced_ns(phase)
		   ? xs_result_untraced_ns(phase) - least_ns
		   : 0;
}

int64_t xs_phase_estimate_most_ns(const struct xs_result_phase *phase,
				  unsigned changes)
{
	return lesser(most_alone_ns(phase, changes),
		      most_beside_ns(phase, changes));
}

double xs_phase_estimate_error_ns(const struct xs_result_phase *phase,
				  const struct xs_result_estimate *row,
				  int64_t end_ns)
{
	return end_ns == XS_UNKNOWN
		   ? 0
		   : fabs(xs_result_of_run(phase,
					   (double)(end_ns - row->round_ns)));
}

/*
 * Saving of the whole run: each round takes the predicted instead of the
 * measured median time, the setup is paid once, and the rest is unchanged.
 */
static int64_t saving(const struct xs_result_phase *phase, int64_t round_ns,
		      int64_t setup_ns, int64_t most_ns)
{
	int64_t saves_ns;

	if (round_ns == XS_UNKNOWN)
		return XS_UNKNOWN;
	saves_ns = xs_result_untraced_ns(phase) - round_ns;
	saves_ns = xs_number_round(
	    xs_result_of_run(phase, (double)lesser(most_ns, saves_ns)));
	if (saves_ns == XS_UNKNOWN || setup_ns == XS_UNKNOWN ||
	    __builtin_sub_overflow(saves_ns, setup_ns, &saves_ns))
		return XS_UNKNOWN;
	return saves_ns;
}

/* The time of the run without what is saved. */
static int64_t after(int64_t wall_ns, int64_t saves_ns)
{
	int64_t after_ns;

	if (wall_ns == XS_UNKNOWN || saves_ns == XS_UNKNOWN ||
	    __builtin_sub_overflow(wall_ns, saves_ns, &after_ns))
		return XS_UNKNOWN;
	return after_ns > 0 ? after_ns : 0;
}

/* Of a round whose copies block, and those of others of its queue with them:
 * each waits for the others' whole rounds, but for the host's own work. */
static void wait_in_turn(const struct xs_result_phase *phase, int64_t *ns)
{
	const double by_ns = (phase->blocking_at_once - 1) * (double)*ns -
			     phase->blocking_at_once * (double)phase->host_ns;

	if (by_ns > 0)
		xs_number_add_known(ns, xs_number_round(by_ns));
}

static void take_turns(const struct xs_result_phase *phase,
		       struct xs_result_estimate *out)
{
	wait_in_turn(phase, &out->round_ns);
	wait_in_turn(phase, &out->low_ns);
	wait_in_turn(phase, &out->high_ns);
	wait_in_turn(phase, &out->known_low_ns);
	wait_in_turn(phase, &out->known_high_ns);
}

/* Lengthens a replayed round to the least time that its changes allow. Where
 * buffers outlast the round, the time between the calls that go goes, too: only
 * what rounds share limits it. Its interval moves along: other runs differ as
 * much. */
static void limit(const struct xs_result_phase *phase, unsigned changes,
		  struct xs_result_estimate *out)
{
	const int64_t most_ns = changes & XS_CHANGES_ALLOCATION
				    ? most_beside_ns(phase, changes)
				    : xs_phase_estimate_most_ns(phase, changes);
	int64_t by_ns;

	/* a graph ends where its kernels need the host's work */
	if (changes == XS_CHANGES_LAUNCHES &&
	    out->otherwise_ns > xs_result_untraced_ns(phase))
		out->otherwise_ns = xs_result_untraced_ns(phase);
	if (!out->applies || out->round_ns == XS_UNKNOWN ||
	    most_ns == XS_UNKNOWN || !xs_result_is_replay(out))
		return;
	by_ns = xs_result_untraced_ns(phase) - most_ns - out->round_ns;
	if (by_ns <= 0)
		return;
	xs_number_add_known(&out->round_ns, by_ns);
	xs_number_add_known(&out->low_ns, by_ns);
	xs_number_add_known(&out->high_ns, by_ns);
	xs_number_add_known(&out->known_low_ns, by_ns);
	xs_number_add_known(&out->known_high_ns, by_ns);
	if (out->otherwise_ns != XS_UNKNOWN &&
	    out->otherwise_ns < out->round_ns)
		out->otherwise_ns = out->round_ns;
}

static void raise_to(int64_t *ns, int64_t least_ns)
{
	if (*ns != XS_UNKNOWN && *ns < least_ns)
		*ns = least_ns;
}

/* The range of a round without copies ends at its kernels, unless the row
 * itself has some of them side by side. */
static void end_at_kernels(const struct xs_result_phase *phase,
			   struct xs_result_estimate *out)
{
	if (!out->applies || out->round_ns < phase->kernel_busy_ns)
		return;
	raise_to(&out->low_ns, phase->kernel_busy_ns);
	raise_to(&out->known_low_ns, phase->kernel_busy_ns);
}

/* The rounds after which the setup has paid, with the first touch of new
 * memory; XS_UNKNOWN: none, or not known. */
static int64_t breakeven(const struct xs_result_phase *phase,
			 const struct xs_result_estimate *row)
{
	const double saves_ns =
	    (double)(xs_result_untraced_ns(phase) - row->round_ns) *
	    xs_result_share(phase);

	return saves_ns > 0 && row->setup_ns != XS_UNKNOWN
		   ? xs_number_round(ceil((double)row->setup_ns / saves_ns))
		   : XS_UNKNOWN;
}

static double speedup(const struct xs_result_phase *phase, int64_t round_ns,
		      int64_t between_ns)
{
	return ((double)xs_result_untraced_ns(phase) + (double)between_ns) /
	       ((double)round_ns + (double)between_ns);
}

void xs_phase_estimate_count_between(struct xs_result_phase *phase)
{
	const int64_t between_ns = xs_result_used_between_ns(phase);

	XS_EACH_MUTABLE(row, phase->estimates, phase->estimate_count) {
		if (!isnan(row->speedup))
			row->speedup =
			    speedup(phase, row->round_ns, between_ns);
	}
}

static void fill_run(const struct xs_result *result,
		     const struct xs_result_phase *phase, unsigned changes,
		     struct xs_result_estimate *out)
{
	const int64_t wall_ns = result->run.wall_ns;
	const int64_t most_ns = xs_phase_estimate_most_ns(phase, changes);

	if (!out->applies || out->round_ns == XS_UNKNOWN)
		return;
	/* a changed program on another GPU is compared with nothing */
	if (result->machine_choice.other_gpu && changes)
		return;
	if (out->round_ns > 0)
		out->speedup = speedup(phase, out->round_ns, 0);
	if (changes)
		out->breakeven_rounds = breakeven(phase, out);
	out->saves_ns = saving(phase, out->round_ns, out->setup_ns, most_ns);
	out->app_wall_ns = after(wall_ns, out->saves_ns);
	out->app_wall_low_ns =
	    after(wall_ns, saving(phase, out->low_ns, out->setup_ns, most_ns));
	out->app_wall_high_ns =
	    after(wall_ns, saving(phase, out->high_ns, out->setup_ns, most_ns));
}

/* Also in one stream, if larger pieces are said: one kernel with a copy in and
 * one out for each launch. */
bool xs_phase_estimate_is_in_pieces(const struct xs_result_phase *phase,
				    const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);
	const bool takes_pieces =
	    phase->kernel_name_count == 1 && phase->h2d_ops == phase->kernels &&
	    phase->d2h_ops == phase->kernels && row->n_streams < phase->kernels;

	return strategy && strategy->advice_if_in_pieces &&
	       (phase->streams > 1 || takes_pieces) && phase->kernels > 1 &&
	       phase->h2d_ops + phase->d2h_ops > 1;
}

/* Returns why code with pragmas cannot be changed so, NULL if it can. */
static const char *pragmas_lack(const struct xs_result_phase *phase,
				unsigned changes)
{
	if (changes & XS_CHANGES_LAUNCHES)
		return "the runtime of the pragmas launches the kernels";
	return changes == XS_CHANGES_PINNING &&
		       phase->h2d_bytes <= XS_VALUE_BYTES * phase->h2d_ops &&
		       phase->d2h_bytes <= XS_VALUE_BYTES * phase->d2h_ops
		   ? "variables that a pragma maps are no buffers to pin"
		   : NULL;
}

/* Without the memory for its buffers, or in a language without its change, a
 * strategy does not apply. */
static void check_needs(struct xs_result *result,
			const struct xs_result_phase *phase, unsigned changes,
			struct xs_result_estimate *out)
{
	const char *why = phase->offloads ? pragmas_lack(phase, changes) : NULL;

	if (!why && phase->free_bytes != XS_UNKNOWN &&
	    out->more_bytes > phase->free_bytes)
		why = xs_print(&result->arena,
			       "it takes %s more of the device's memory; at "
			       "most %s are free",
			       xs_units_bytes(out->more_bytes).s,
			       xs_units_bytes(phase->free_bytes).s);
	if (!out->applies || !why)
		return;
	out->applies = false;
	out->why = why;
	out->round_ns = out->low_ns = out->high_ns = XS_UNKNOWN;
}

/* Puts another text in the place of the row's condition. */
static void set_only_if(struct xs_result_estimate *out, const char *only_if)
{
	for (size_t i = 0; i < out->assume_count; i++)
		if (strcmp(out->assumes[i], out->only_if) == 0)
			out->assumes[i] = only_if;
	if (out->bound && strcmp(out->bound, out->only_if) == 0)
		out->bound = only_if;
	out->only_if = only_if;
}

/* Another number of pieces is a number in the host's code, and what pieces need
 * holds of the present ones, so of larger ones, too. */
static void keep_pieces(struct xs_arena *arena,
			const struct xs_result_phase *phase,
			struct xs_result_estimate *out)
{
	xs_result_set_effort(out, XS_EFFORT_PLACE);
	if (!out->only_if)
		return;
	set_only_if(out,
		    xs_print(arena, "%s, which its %" PRId64 " pieces meet now",
			     out->only_if, phase->kernels));
	if (out->n_streams >= phase->kernels)
		return;
	out->bound = out->bound == out->only_if ? NULL : out->bound;
	out->only_if = NULL;
}

/* Of a round shorter than this part of its kernels, some are side by side. */
#define KERNELS_BESIDE 0.99

static void need_beside(struct xs_arena *arena,
			const struct xs_result_phase *phase,
			const struct xs_estimate *in,
			struct xs_result_estimate *out)
{
	if (out->only_if && out->applies &&
	    (double)(out->round_ns + out->between_ns) <
		(double)phase->kernel_busy_ns * KERNELS_BESIDE)
		set_only_if(out,
			    xs_print(arena, "%s%s", out->only_if,
				     in->has_room
					 ? " (kernels then run side by side)"
					 : ", and kernels run side by side, on "
					   "SMs that one leaves idle"));
}

/* A round that is changed is predicted from the median one. Where the mean one
 * is the usual one, it takes the same part of that. */
static void scale_to_mean(const struct xs_result_phase *phase,
			  struct xs_result_estimate *out)
{
	const double part = (double)phase->round_ns / (double)phase->median_ns;
	int64_t *const times[] = {&out->round_ns,      &out->low_ns,
				  &out->high_ns,       &out->known_low_ns,
				  &out->known_high_ns, &out->shared_low_ns,
				  &out->shared_high_ns};

	if (!xs_result_is_mean(phase))
		return;
	if (out->between_ns > 0)
		out->between_ns = phase->between_ns;
	XS_EACH(time, times, sizeof(times) / sizeof(*times))
		if (**time != XS_UNKNOWN)
			**time = xs_number_round((double)**time * part);
}

void xs_phase_estimate_build(struct xs_result *result,
			     const struct xs_result_phase *phase,
			     const struct xs_estimate *in,
			     struct xs_result_estimate *out)
{
	const struct xs_strategy *strategy = xs_strategy_find(in->strategy);
	const unsigned changes = strategy ? strategy->changes : 0;

	xs_result_set_estimate(&result->arena, in, out);
	if (xs_phase_estimate_is_in_pieces(phase, out))
		keep_pieces(&result->arena, phase, out);
	check_needs(result, phase, changes, out);
	(changes ? scale_to_mean : xs_tracing_untrace)(phase, out);
	if (!result->machine_choice.other_gpu) {
		if ((changes & XS_CHANGES_COPIES & ~XS_CHANGES_SIZES) ==
			XS_CHANGES_PINNING &&
		    xs_result_is_replay(out))
			take_turns(phase, out);
		limit(phase, changes, out);
		need_beside(&result->arena, phase, in, out);
		if (changes & XS_CHANGES_TRAFFIC)
			end_at_kernels(phase, out);
	}
	fill_run(result, phase, changes, out);
}

double xs_phase_estimate_least_share(const struct xs_result_estimate *row)
{
	if (row->effort_level >= XS_EFFORT_REWRITE && row->bound)
		return 0.5;
	return row->effort_level >= XS_EFFORT_SPLIT ? 0.05 : 0;
}
