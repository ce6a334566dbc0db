/* SPDX-License-Identifier: MIT */
#include "report/result/estimate.h"

#include "model/strategies/strategies.h"
#include "report/result/number.h"

#include <math.h>
#include <string.h>

/*
 * Saving of the whole run: each round takes the predicted instead of the
 * measured median time, the setup is paid once, and the rest is unchanged. Of
 * rounds that ran side by side, in several threads, only their part of the run
 * counts. No round saves more than `most_ns`.
 */
static int64_t saving(const struct xs_result_phase *phase, int64_t round_ns,
		      int64_t setup_ns, int64_t most_ns)
{
	int64_t saves_ns;

	if (round_ns == XS_UNKNOWN)
		return XS_UNKNOWN;
	saves_ns = phase->round_ns - round_ns;
	if (most_ns != XS_UNKNOWN && saves_ns > most_ns)
		saves_ns = most_ns;
	if (__builtin_mul_overflow(phase->rounds, saves_ns, &saves_ns))
		return XS_UNKNOWN;
	if (phase->concurrent_ns > 0 && phase->total_ns > 0)
		saves_ns =
		    xs_number_round((double)saves_ns * (double)phase->wall_ns /
				    (double)phase->total_ns);
	if (saves_ns == XS_UNKNOWN ||
	    (setup_ns != XS_UNKNOWN &&
	     __builtin_sub_overflow(saves_ns, setup_ns, &saves_ns)))
		return XS_UNKNOWN;
	return saves_ns;
}

/* The most that a round can save. What moves data only can save neither the
 * host's own work nor the issuing of kernels. */
static int64_t most_saving(const struct xs_result_phase *phase,
			   const struct xs_result_estimate *row)
{
	const struct xs_strategy *strategy = xs_strategy_find(row->strategy);

	if (!strategy || !(strategy->changes & XS_CHANGES_COPIES))
		return XS_UNKNOWN;
	return strategy->changes & XS_CHANGES_ALLOCATION ? phase->movable_ns
							 : phase->transfer_ns;
}

/* The time of the run without what is saved. */
static int64_t after(int64_t wall_ns, int64_t saves_ns)
{
	int64_t after_ns;

	if (wall_ns == XS_UNKNOWN || saves_ns == XS_UNKNOWN ||
	    __builtin_sub_overflow(wall_ns, saves_ns, &after_ns))
		return XS_UNKNOWN;
	return after_ns;
}

static void whole_run(struct xs_result_estimate *out,
		      const struct xs_result_phase *phase, int64_t wall_ns,
		      bool other_gpu)
{
	const int64_t most_ns = most_saving(phase, out);

	if (!out->applies || out->round_ns == XS_UNKNOWN)
		return;
	if (other_gpu && strcmp(out->strategy, "as-is") != 0 &&
	    strncmp(out->strategy, "machine:", 8) != 0)
		return;
	if (out->round_ns > 0)
		out->speedup = (double)phase->round_ns / (double)out->round_ns;
	out->saves_ns = saving(phase, out->round_ns, out->setup_ns, most_ns);
	out->app_wall_ns = after(wall_ns, out->saves_ns);
	out->app_wall_low_ns =
	    after(wall_ns, saving(phase, out->low_ns, out->setup_ns, most_ns));
	out->app_wall_high_ns =
	    after(wall_ns, saving(phase, out->high_ns, out->setup_ns, most_ns));
}

static void set_effort(struct xs_result_estimate *out, enum xs_effort effort)
{
	static const char *const efforts[XS_EFFORTS] = {
	    [XS_EFFORT_NONE] = "none",
	    [XS_EFFORT_CALL] = "one call",
	    [XS_EFFORT_PLACE] = "host code at one place",
	    [XS_EFFORT_PLACES] = "host code at several places",
	    [XS_EFFORT_SPLIT] = "kernels split",
	    [XS_EFFORT_REWRITE] = "kernels rewritten",
	};

	out->effort = efforts[effort];
	out->effort_level = effort;
}

bool xs_result_is_in_pieces(const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	return strcmp(row->strategy, "streams") == 0 && phase->streams > 1 &&
	       phase->kernels > 1 && phase->h2d_ops + phase->d2h_ops > 1;
}

void xs_result_set_estimate(struct xs_result *result,
			    const struct xs_result_phase *phase,
			    const struct xs_estimate *in,
			    struct xs_result_estimate *out)
{
	static const char *const orders[] = {NULL, "depth", "breadth"};
	struct xs_arena *arena = &result->arena;

	*out = (struct xs_result_estimate){
	    .strategy = xs_arena_copy(arena, in->strategy),
	    .model = xs_arena_copy(arena, in->model),
	    .n_streams = xs_number_known(in->n_streams),
	    .order = orders[in->order],
	    .round_ns = xs_number_round(in->round_ns),
	    .low_ns = xs_number_round(in->low_ns),
	    .high_ns = xs_number_round(in->high_ns),
	    .speedup = NAN,
	    .app_wall_ns = XS_UNKNOWN,
	    .app_wall_low_ns = XS_UNKNOWN,
	    .app_wall_high_ns = XS_UNKNOWN,
	    .saves_ns = XS_UNKNOWN,
	    .otherwise_ns = xs_number_round(in->otherwise_ns),
	    .setup_ns = xs_number_round(in->setup_ns),
	    .loop_ns = xs_number_round(in->loop_ns),
	    .breakeven_rounds = xs_number_round(in->breakeven_rounds),
	    .applies = in->applies,
	    .assumes_once = in->assumes_once,
	    .quiet = in->quiet,
	    .bound = in->bound,
	    .why = in->why[0] ? xs_arena_copy(arena, in->why) : NULL,
	};
	set_effort(out, in->effort);
	while (out->assume_count < XS_ASSUMES_MAX &&
	       in->assumes[out->assume_count])
		out->assume_count++;
	out->assumes =
	    xs_arena_alloc(arena, out->assume_count, sizeof(*out->assumes));
	for (size_t i = 0; out->assumes && i < out->assume_count; i++)
		out->assumes[i] = xs_arena_copy(arena, in->assumes[i]);
	if (!phase)
		return;
	if (xs_result_is_in_pieces(phase, out))
		set_effort(out, XS_EFFORT_PLACE);
	whole_run(out, phase, result->run.wall_ns,
		  result->machine_choice.other_gpu);
}
