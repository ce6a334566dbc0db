/* SPDX-License-Identifier: MIT */
#include "report/plan/run_steps.h"

#include "report/result/driver_words.h"
#include "report/result/number.h"

#include <inttypes.h>
#include <string.h>

/* What its copies in the steady part save. */
static int64_t saves_steady_ns(const struct xs_result *result,
			       const struct xs_result_gpu_link *link)
{
	const struct xs_result_verdict *verdict = &result->verdict;
	int64_t ns;

	if (verdict->missing || !verdict->repeats || !link->staged_ops ||
	    link->saves_ns == XS_UNKNOWN)
		return 0;
	ns = xs_number_round((double)link->saves_ns * (double)link->steady_ops /
			     (double)link->staged_ops);
	return ns < verdict->steady_ns ? ns : verdict->steady_ns;
}

static bool is_worth_it(const struct xs_result *result, int64_t saves_ns)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);

	return wall_ns != XS_UNKNOWN &&
	       saves_ns > wall_ns / XS_RESULT_LEAST_PART;
}

/* What runs beside the copies is not looked at: the saving is an upper bound.
 */
static void say_direct(struct xs_result *result,
		       struct xs_result_gpu_link *link, double run_ns)
{
	struct xs_arena *arena = &result->arena;
	const int64_t a = link->first, b = link->second;
	const char *of_steady = "";

	if (link->saves_steady_ns > 0)
		of_steady = xs_print(arena, "%s of the steady part, ",
				     xs_units_percent(link->saves_steady_ns,
						      result->verdict.steady_ns)
					 .s);

	link->title = xs_print(
	    arena, "copies between GPU %" PRId64 " and %" PRId64 ": %s -> %s",
	    a, b, xs_units_ns(link->staged_ns).s, xs_units_ns(link->peer_ns).s);
	link->saving = xs_print(
	    arena,
	    "saves at most %s (%s): %s%s of %s, then %s; effort: one call "
	    "for each direction",
	    xs_units_ns(link->saves_ns).s,
	    xs_units_range_ns(link->saves_low_ns, link->saves_high_ns).s,
	    of_steady,
	    xs_units_percent(link->saves_ns, xs_result_untraced_wall_ns(result))
		.s,
	    xs_result_run_name(result), xs_units_ns(xs_number_round(run_ns)).s);
	link->advice = xs_print(
	    arena,
	    "Let the two GPUs access each other's memory, where "
	    "cudaDeviceCanAccessPeer allows it: the driver sends %s %s of %s "
	    "through the host.",
	    xs_units_count(link->staged_ops).s,
	    link->staged_ops == 1 ? "copy" : "copies",
	    xs_units_bytes(link->staged_bytes).s);
	link->code = xs_print(arena,
			      "cudaSetDevice(%" PRId64
			      "), cudaDeviceEnablePeerAccess(%" PRId64
			      ", 0);\ncudaSetDevice(%" PRId64
			      "), cudaDeviceEnablePeerAccess(%" PRId64 ", 0);",
			      a, b, b, a);
}

/* Access to the other GPU's memory is a step for each pair of GPUs whose copies
 * through the host would surely be shorter direct, by more than 1 % of the
 * steady part or of the run. */
static void add_direct(struct xs_result *result, double least_ns,
		       double *run_ns)
{
	XS_EACH_MUTABLE(link, result->run.links, result->run.link_count) {
		link->saves_steady_ns = saves_steady_ns(result, link);
		if (link->step || !link->staged_ops ||
		    link->saves_low_ns <= 0 ||
		    (double)link->saves_ns < least_ns ||
		    (!is_worth_it(result, link->saves_ns) &&
		     link->saves_steady_ns <=
			 result->verdict.steady_ns / XS_RESULT_LEAST_PART))
			continue;
		link->step = ++result->step_count;
		*run_ns -= (double)link->saves_ns;
		say_direct(result, link, *run_ns);
	}
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

static void say_registering(struct xs_result *result,
			    struct xs_result_pinning *in, double run_ns)
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
	    "and copy from or to it.",
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

/* Registering memory that is pinned outside of the steady part is a step if it
 * would surely be shorter by more than 1 % of the run and, since it is not
 * known to be possible, by twice least_ns. */
static void add_registering(struct xs_result *result, double least_ns,
			    double *run_ns)
{
	struct xs_result_pinning *in = &result->verdict.pinning;

	if (result->verdict.missing || result->machine_choice.other_gpu ||
	    in->step || in->ns == XS_UNKNOWN || !in->calls || in->bytes <= 0 ||
	    in->registering_ns == XS_UNKNOWN)
		return;
	in->saves_ns = in->ns - in->registering_ns;
	in->saves_low_ns = in->ns - in->registering_high_ns;
	in->saves_high_ns = in->ns - in->registering_low_ns;
	if (in->saves_low_ns <= 0 || !is_worth_it(result, in->saves_ns) ||
	    (double)in->saves_ns / 2 < least_ns)
		return;
	in->step = ++result->step_count;
	*run_ns -= (double)in->saves_ns;
	say_registering(result, in, *run_ns);
}

void xs_plan_run_steps(struct xs_result *result, double least_ns,
		       double *run_ns)
{
	add_direct(result, least_ns, run_ns);
	add_registering(result, least_ns, run_ns);
}

int64_t xs_plan_links_save_ns(const struct xs_result *result)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step)
			xs_number_add(&saves_ns, result->run.links[i].saves_ns);
	return saves_ns;
}
