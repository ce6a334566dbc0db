/* SPDX-License-Identifier: MIT */
#include "report/plan/link_steps.h"

#include "report/result/number.h"

#include <inttypes.h>

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

/* In the steady part or in the run. */
static bool is_worth_it(const struct xs_result *result,
			const struct xs_result_gpu_link *link)
{
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);

	return link->staged_ops && link->saves_low_ns > 0 &&
	       (link->saves_steady_ns >
		    result->verdict.steady_ns / XS_RESULT_LEAST_PART ||
		(wall_ns != XS_UNKNOWN &&
		 link->saves_ns > wall_ns / XS_RESULT_LEAST_PART));
}

/* What runs beside the copies is not looked at: the saving is an upper bound.
 */
static void say(struct xs_result *result, struct xs_result_gpu_link *link,
		double run_ns)
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

void xs_plan_links(struct xs_result *result, double least_ns, double *run_ns)
{
	for (size_t i = 0; i < result->run.link_count; i++) {
		struct xs_result_gpu_link *link = &result->run.links[i];

		link->saves_steady_ns = saves_steady_ns(result, link);
		if (link->step || !is_worth_it(result, link) ||
		    (double)link->saves_ns < least_ns)
			continue;
		link->step = ++result->step_count;
		*run_ns -= (double)link->saves_ns;
		say(result, link, *run_ns);
	}
}

int64_t xs_plan_links_save_ns(const struct xs_result *result)
{
	int64_t saves_ns = 0;

	for (size_t i = 0; i < result->run.link_count; i++)
		if (result->run.links[i].step)
			xs_number_add(&saves_ns, result->run.links[i].saves_ns);
	return saves_ns;
}
