/* SPDX-License-Identifier: MIT */
#include "report/result/estimate.h"

#include "report/result/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void xs_result_set_effort(struct xs_result_estimate *out, enum xs_effort effort)
{
	static const char *const efforts[XS_EFFORTS] = {
	    [XS_EFFORT_NONE] = "none",
	    [XS_EFFORT_CALL] = "one call per buffer",
	    [XS_EFFORT_PLACE] = "host code at one place",
	    [XS_EFFORT_PLACES] = "host code at several places",
	    [XS_EFFORT_SPLIT] = "kernels split",
	    [XS_EFFORT_REWRITE] = "kernels rewritten",
	};

	out->effort = efforts[effort];
	out->effort_level = effort;
}

#define DIGITS "0123456789"

/* Returns the text with each time and size, such as "550000 ns" and "4096
 * bytes", in the unit that the report has for it. */
static const char *with_units(struct xs_arena *arena, const char *text)
{
	const char *out = "";

	while (*text) {
		const size_t before = strcspn(text, DIGITS);
		const char *number = text + before;
		const char *unit = number + strspn(number, DIGITS);
		const int64_t value = strtoll(number, NULL, 10);

		if (strncmp(unit, " ns", 3) == 0) {
			out = xs_print(arena, "%s%.*s%s", out, (int)before,
				       text, xs_units_ns(value).s);
			text = unit + strlen(" ns");
		} else if (strncmp(unit, " bytes", 6) == 0) {
			out = xs_print(arena, "%s%.*s%s", out, (int)before,
				       text, xs_units_bytes(value).s);
			text = unit + strlen(" bytes");
		} else {
			out = xs_print(arena, "%s%.*s", out, (int)(unit - text),
				       text);
			text = unit;
		}
	}
	return out;
}

static const char *const orders[] = {
    [XS_ORDER_NONE] = NULL,
    [XS_ORDER_DEPTH] = "depth",
    [XS_ORDER_BREADTH] = "breadth",
};

static void set_texts(struct xs_arena *arena, const struct xs_estimate *in,
		      struct xs_result_estimate *out)
{
	while (out->assume_count < XS_ASSUMES_MAX &&
	       in->assumes[out->assume_count])
		out->assume_count++;
	XS_ARENA_NEW(arena, out->assumes, out->assume_count);
	for (size_t i = 0; out->assumes && i < out->assume_count; i++)
		out->assumes[i] = xs_arena_copy(arena, in->assumes[i]);
	out->why = in->why[0] ? with_units(arena, in->why) : NULL;
	xs_result_set_effort(out, in->effort);
}

/* Whether it is a time, of more ns than a number holds. */
static bool is_beyond(double ns)
{
	return !isnan(ns) && xs_number_round(ns) == XS_UNKNOWN;
}

/* A time or an end of its range that no run can take is no prediction. */
static void refuse_beyond(const struct xs_estimate *in,
			  struct xs_result_estimate *out)
{
	if (!in->applies || !(is_beyond(in->round_ns) ||
			      is_beyond(in->low_ns) || is_beyond(in->high_ns)))
		return;
	out->round_ns = out->low_ns = out->high_ns = XS_UNKNOWN;
	out->applies = false;
	out->why = "its time is longer than a run can be: a rate of the "
		   "profile is wrong";
}

void xs_result_set_estimate(struct xs_arena *arena,
			    const struct xs_estimate *in,
			    struct xs_result_estimate *out)
{
	*out = (struct xs_result_estimate){
	    .strategy = xs_arena_copy(arena, in->strategy),
	    .model = xs_arena_copy(arena, in->model),
	    .n_streams = xs_number_known(in->n_streams),
	    .order = orders[in->order],
	    .round_ns = xs_number_round(in->round_ns),
	    .low_ns = xs_number_round(in->low_ns),
	    .high_ns = xs_number_round(in->high_ns),
	    .known_low_ns = xs_number_round(in->known_low_ns),
	    .known_high_ns = xs_number_round(in->known_high_ns),
	    .shared_low_ns = xs_number_round(in->shared_low_ns),
	    .shared_high_ns = xs_number_round(in->shared_high_ns),
	    .speedup = NAN,
	    .app_wall_ns = XS_UNKNOWN,
	    .app_wall_low_ns = XS_UNKNOWN,
	    .app_wall_high_ns = XS_UNKNOWN,
	    .saves_ns = XS_UNKNOWN,
	    .otherwise_ns = xs_number_round(in->otherwise_ns),
	    .between_ns = xs_number_round(in->between_ns),
	    .setup_ns = xs_number_round(in->setup_ns + in->new_memory_ns),
	    .setup_less_ns = xs_number_round(in->setup_less_ns),
	    .setup_more_ns = xs_number_round(in->setup_more_ns),
	    .loop_ns = xs_number_round(in->loop_ns),
	    .new_memory_ns = xs_number_round(in->new_memory_ns),
	    .calls_ns = xs_number_round(in->calls_ns),
	    .more_bytes = xs_number_round(in->more_bytes),
	    .breakeven_rounds = XS_UNKNOWN,
	    .applies = in->applies,
	    .assumes_once = in->assumes_once,
	    .pins_new = in->pins_new,
	    .quiet = in->quiet,
	    .unmeasured = in->unmeasured,
	    .other_advice = in->other_advice,
	    .doubtful = in->doubtful,
	    .returning = in->returning,
	    .bound = in->bound,
	    .only_if = in->needs,
	};
	set_texts(arena, in, out);
	refuse_beyond(in, out);
}
