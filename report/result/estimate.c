/* SPDX-License-Identifier: MIT */
#include "report/result/estimate.h"

#include "report/result/number.h"

#include <math.h>

/*
 * Saving of the whole run: each round takes the predicted instead of the
 * measured median time, the setup is paid once, and the rest is unchanged.
 */
static int64_t saving(const struct xs_result_phase *phase, int64_t round_ns,
		      int64_t setup_ns)
{
	int64_t saves_ns;

	if (round_ns == XS_UNKNOWN ||
	    __builtin_mul_overflow(phase->rounds, phase->round_ns - round_ns,
				   &saves_ns) ||
	    (setup_ns != XS_UNKNOWN &&
	     __builtin_sub_overflow(saves_ns, setup_ns, &saves_ns)))
		return XS_UNKNOWN;
	return saves_ns;
}

static void whole_run(struct xs_result_estimate *out,
		      const struct xs_result_phase *phase, int64_t wall_ns)
{
	if (!out->applies || out->round_ns == XS_UNKNOWN)
		return;
	if (out->round_ns > 0)
		out->speedup = (double)phase->round_ns / (double)out->round_ns;
	out->saves_ns = saving(phase, out->round_ns, out->setup_ns);
	out->least_saves_ns = saving(phase, out->otherwise_ns, out->setup_ns);
	if (wall_ns == XS_UNKNOWN || out->saves_ns == XS_UNKNOWN ||
	    __builtin_sub_overflow(wall_ns, out->saves_ns, &out->app_wall_ns))
		out->app_wall_ns = XS_UNKNOWN;
}

void xs_result_set_estimate(struct xs_result *result,
			    const struct xs_result_phase *phase,
			    const struct xs_estimate *in,
			    struct xs_result_estimate *out)
{
	static const char *const orders[] = {NULL, "depth", "breadth"};
	static const char *const efforts[XS_EFFORTS] = {
	    [XS_EFFORT_NONE] = "none",
	    [XS_EFFORT_CALL] = "one call",
	    [XS_EFFORT_PLACE] = "host code at one place",
	    [XS_EFFORT_PLACES] = "host code at several places",
	    [XS_EFFORT_SPLIT] = "kernels split",
	    [XS_EFFORT_REWRITE] = "kernels rewritten",
	};
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
	    .saves_ns = XS_UNKNOWN,
	    .otherwise_ns = xs_number_round(in->otherwise_ns),
	    .least_saves_ns = XS_UNKNOWN,
	    .setup_ns = xs_number_round(in->setup_ns),
	    .loop_ns = xs_number_round(in->loop_ns),
	    .breakeven_rounds = xs_number_round(in->breakeven_rounds),
	    .effort = efforts[in->effort],
	    .applies = in->applies,
	    .assumes_once = in->assumes_once,
	    .quiet = in->quiet,
	    .bound = in->bound,
	    .why = in->why[0] ? xs_arena_copy(arena, in->why) : NULL,
	};
	while (out->assume_count < XS_ASSUMES_MAX &&
	       in->assumes[out->assume_count])
		out->assume_count++;
	out->assumes =
	    xs_arena_alloc(arena, out->assume_count, sizeof(*out->assumes));
	for (size_t i = 0; out->assumes && i < out->assume_count; i++)
		out->assumes[i] = xs_arena_copy(arena, in->assumes[i]);
	if (phase)
		whole_run(out, phase, result->run.wall_ns);
}
