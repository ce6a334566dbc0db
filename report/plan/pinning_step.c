/* SPDX-License-Identifier: MIT */
#include "report/plan/pinning_step.h"

#include "report/result/driver_words.h"
#include "report/result/number.h"

#include <string.h>

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

/* " (1.14 ms if it is new memory)", " (254 ms slower if ...)", or "" */
static const char *of_new_memory(struct xs_arena *arena,
				 const struct xs_result_pinning *in)
{
	const int64_t left_ns = in->saves_ns - in->touching_ns;

	if (in->touching_ns == XS_UNKNOWN)
		return "";
	return xs_print(arena, " (%s%s if it is new memory)",
			xs_units_ns(left_ns < 0 ? -left_ns : left_ns).s,
			left_ns < 0 ? " slower" : "");
}

static void say(struct xs_result *result, struct xs_result_pinning *in,
		double run_ns)
{
	struct xs_arena *arena = &result->arena;

	in->title = xs_print(arena, "pinning %s: %s -> %s",
			     xs_units_bytes(in->bytes).s, xs_units_ns(in->ns).s,
			     xs_units_in_range_ns(in->registering_ns,
						  in->registering_low_ns,
						  in->registering_high_ns)
				 .s);
	in->saving = xs_print(
	    arena,
	    "may save %s once, outside the steady part: %s of %s, then %s; "
	    "effort: one call per buffer",
	    xs_units_in_range_ns(in->saves_ns, in->saves_low_ns,
				 in->saves_high_ns)
		.s,
	    xs_units_percent(in->saves_ns, xs_result_untraced_wall_ns(result))
		.s,
	    xs_result_run_name(result), xs_units_ns(xs_number_round(run_ns)).s);
	in->advice = xs_print(
	    arena,
	    "Register the memory that holds the data, in place of %s%s%s%s, "
	    "and copy from there.",
	    in->calls, in->places ? " (" : "", in->places ? in->places : "",
	    in->places ? ")" : "");
	in->condition =
	    xs_print(arena, "the data is in malloc memory already%s",
		     of_new_memory(arena, in));
	in->is_question = true;
	in->code = "cudaHostRegister(data, bytes, cudaHostRegisterDefault);";
	if (strstr(in->calls, " cuMem"))
		in->code = xs_driver_words(arena, in->code);
}

void xs_plan_pinning(struct xs_result *result, double least_ns, double *run_ns)
{
	struct xs_result_pinning *in = &result->verdict.pinning;

	if (result->verdict.missing || result->machine_choice.other_gpu ||
	    in->step || in->ns == XS_UNKNOWN || !in->calls || in->bytes <= 0 ||
	    in->registering_ns == XS_UNKNOWN)
		return;
	set_saving(in);
	if (!is_worth_it(result, in) || (double)in->saves_ns / 2 < least_ns)
		return;
	in->step = ++result->step_count;
	*run_ns -= (double)in->saves_ns;
	say(result, in, *run_ns);
}
