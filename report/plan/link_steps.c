/* SPDX-License-Identifier: MIT */
#include "report/plan/link_steps.h"

#include <inttypes.h>

static bool is_worth_it(const struct xs_result *result,
			const struct xs_result_gpu_link *link)
{
	return link->staged_ops && link->saves_low_ns > 0 &&
	       link->saves_ns >
		   result->verdict.steady_ns / XS_RESULT_LEAST_PART;
}

/* What runs beside the copies is not looked at: the saving is an upper bound.
 */
static void say(struct xs_result *result, struct xs_result_gpu_link *link)
{
	struct xs_arena *arena = &result->arena;
	const int64_t a = link->first, b = link->second;

	link->title = xs_arena_print(
	    arena, "copies between GPU %" PRId64 " and %" PRId64 ": %s -> %s",
	    a, b, xs_units_ns(link->staged_ns).s, xs_units_ns(link->peer_ns).s);
	link->saving = xs_arena_print(
	    arena,
	    "saves up to %s (%s): %s of the steady part, %s of the run; "
	    "effort: one call for each direction",
	    xs_units_ns(link->saves_ns).s,
	    xs_units_range_ns(link->saves_low_ns, link->saves_high_ns).s,
	    xs_units_percent(link->saves_ns, result->verdict.steady_ns).s,
	    xs_units_percent(link->saves_ns, result->run.wall_ns).s);
	link->advice = xs_arena_print(
	    arena,
	    "Let the two GPUs access each other's memory, where "
	    "cudaDeviceCanAccessPeer allows it: the driver sends %s %s of %s "
	    "through the host.",
	    xs_units_count(link->staged_ops).s,
	    link->staged_ops == 1 ? "copy" : "copies",
	    xs_units_bytes(link->staged_bytes).s);
	link->code = xs_arena_print(
	    arena,
	    "cudaSetDevice(%" PRId64 "), cudaDeviceEnablePeerAccess(%" PRId64
	    ", 0);\ncudaSetDevice(%" PRId64
	    "), cudaDeviceEnablePeerAccess(%" PRId64 ", 0);",
	    a, b, b, a);
}

void xs_plan_links(struct xs_result *result)
{
	int64_t step = (int64_t)result->plan_count;

	for (size_t i = 0; i < result->run.link_count; i++) {
		struct xs_result_gpu_link *link = &result->run.links[i];

		if (!is_worth_it(result, link))
			continue;
		link->step = ++step;
		say(result, link);
	}
}
