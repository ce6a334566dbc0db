/* SPDX-License-Identifier: MIT */
#include "report/plan/pinning_step.h"

#include "report/result/number.h"

#include <inttypes.h>

/* What is saved, with its range by the profile. */
static void set_saving(struct xs_result_pinning *in)
{
	in->saves_ns = in->ns - in->registering_ns;
	in->saves_low_ns = in->ns - in->registering_high_ns;
	in->saves_high_ns = in->ns - in->registering_low_ns;
}

static bool is_worth_it(const struct xs_result *result,
			const struct xs_result_pinning *in)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);

	return in->saves_low_ns > 0 && wall_ns != XS_UNKNOWN &&
	       in->saves_ns >= wall_ns / XS_RESULT_LEAST_PART;
}

/* " Of new memory it takes about 253 ms, with its first touch.", or "" */
static const char *new_memory(struct xs_arena *arena,
			      const struct xs_result_pinning *in)
{
	int64_t ns = in->registering_ns;

	if (in->touching_ns == XS_UNKNOWN)
		return "";
	xs_number_add(&ns, in->touching_ns);
	return xs_arena_print(
	    arena, " Of new memory it takes about %s, with its first touch.",
	    xs_units_ns(ns).s);
}

static void say(struct xs_result *result, struct xs_result_pinning *in)
{
	struct xs_arena *arena = &result->arena;

	in->title = xs_arena_print(
	    arena, "pinning %s: %s -> %s", xs_units_bytes(in->bytes).s,
	    xs_units_ns(in->ns).s,
	    xs_units_in_range_ns(in->registering_ns, in->registering_low_ns,
				 in->registering_high_ns)
		.s);
	in->saving = xs_arena_print(
	    arena,
	    "saves up to %s once, outside the steady part: %s of the run; "
	    "effort: one call per buffer",
	    xs_units_in_range_ns(in->saves_ns, in->saves_low_ns,
				 in->saves_high_ns)
		.s,
	    xs_units_percent(in->saves_ns, xs_result_untraced_wall_ns(result))
		.s);
	in->advice = xs_arena_print(
	    arena,
	    "Pin the memory that holds the data, and copy from there, in place "
	    "of %s%s%s%s.%s",
	    in->calls, in->places ? " (" : "", in->places ? in->places : "",
	    in->places ? ")" : "", new_memory(arena, in));
	in->condition = "the data is in ordinary memory before it is put into "
			"the pinned one";
	in->code = "cudaHostRegister(data, bytes, cudaHostRegisterDefault);";
}

void xs_plan_pinning(struct xs_result *result)
{
	struct xs_result_pinning *in = &result->verdict.pinning;

	if (result->verdict.missing || in->ns == XS_UNKNOWN || !in->calls ||
	    in->registering_ns == XS_UNKNOWN)
		return;
	set_saving(in);
	if (!is_worth_it(result, in))
		return;
	in->step = (int64_t)result->plan_count + 1;
	for (size_t i = 0; i < result->run.link_count; i++)
		in->step += result->run.links[i].step != 0;
	say(result, in);
}
