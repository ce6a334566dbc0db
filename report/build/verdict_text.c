/* SPDX-License-Identifier: MIT */
/* The verdict in words. */
#include "report/build/verdict.h"

#include "analyzer/timeline/run_parts.h"
#include "model/strategies/strategies.h"
#include "report/plan/limit.h"
#include "report/plan/opening.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_text.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Parts below 1 / NAMED_PART are not named, unless they are the longest. */
#define NAMED_PART 20

/* What the shares are of. */
static const char *whole(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const char *name = xs_result_steady_name(result);

	if (!in->repeats)
		return xs_print(&result->arena, "the %s after CUDA's start",
				xs_units_ns(in->recorded_ns).s);
	if (in->recorded_ns >= in->steady_ns - in->steady_ns / NAMED_PART)
		return name;
	return xs_print(&result->arena, "the recorded %s of %s",
			xs_units_ns(in->recorded_ns).s, name);
}

/* Whether a round copies pageable memory: the host waits for each such copy, so
 * that they have another order only once it is pinned. */
static bool has_pageable(const struct xs_result *result)
{
	for (size_t i = 0; i < result->phase_count; i++)
		if (!result->phases[i].apart &&
		    xs_result_is_pageable(&result->phases[i]))
			return true;
	return false;
}

/* "copies (71 % of the steady part)", "kernels (12 %)": part i of the verdict;
 * the first says what the shares are of, and where the host's own code is. */
static const char *share(struct xs_result *result, size_t i)
{
	const struct xs_result_verdict *in = &result->verdict;
	const bool of_host = !i && in->parts[i].part == XS_PART_HOST &&
			     !in->host_is_limit && in->host_place;

	return xs_print(&result->arena, "%s%s%s (%s%s%s)",
			xs_verdict_words(result, &in->parts[i]),
			of_host ? ", most of it " : "",
			of_host ? xs_result_host_place(result) : "",
			xs_units_percent(in->parts[i].ns, in->recorded_ns).s,
			i ? "" : " of ", i ? "" : whole(result));
}

/* "copies (71 % of the steady part), kernels (12 %) and waits (7 %)": parts
 * from *i on, until `until_ns` are named or the next one is not worth it. NULL:
 * none. */
static const char *list_parts(struct xs_result *result, size_t *i,
			      int64_t until_ns)
{
	const struct xs_result_verdict *in = &result->verdict;
	const char *list = NULL, *last = NULL;
	int64_t named_ns = 0;

	for (; *i < in->part_count && named_ns < until_ns; ++*i) {
		if (*i && in->parts[*i].ns < in->recorded_ns / NAMED_PART)
			break;
		if (last)
			list = xs_arena_join(&result->arena, list, last);
		last = share(result, *i);
		named_ns += in->parts[*i].ns;
	}
	return list ? xs_print(&result->arena, "%s and %s", list, last) : last;
}

/* "Bound by copies (71 % of the steady part); then kernels (12 %).": what is
 * half of it together, and the rest; with a known limit, "Time goes to". */
static const char *bound(struct xs_result *result, bool is_limit_known)
{
	size_t i = 0;
	const char *list =
	    list_parts(result, &i, result->verdict.recorded_ns / 2);
	const char *rest = list_parts(result, &i, INT64_MAX);

	return xs_print(&result->arena, "%s %s%s%s.",
			is_limit_known ? "Time goes to" : "Bound by", list,
			rest ? "; then " : "", rest ? rest : "");
}

/* "\nWhat was recorded went to copies (88 % of ...), ...": what is known if the
 * verdict is not; "" if nothing is. */
static const char *spent(struct xs_result *result)
{
	/* counting takes most of a run's time; without calls, waits are not
	 * known from the host's own code */
	const bool unknown =
	    result->totals.gpu_busy_ns == XS_UNKNOWN ||
	    result->coverage.lacking || result->coverage.counted ||
	    (result->coverage.imported && !result->coverage.api_calls_seen);
	size_t i = 0;
	const char *list = unknown ? NULL : list_parts(result, &i, INT64_MAX);

	return list ? xs_print(&result->arena,
			       "\nWhat was recorded went to %s.", list)
		    : "";
}

/* Whether a step launches kernels as a graph, which moves no data. */
static bool has_graph(const struct xs_result *result)
{
	for (size_t i = 0; i < result->plan_count; i++) {
		const struct xs_strategy *strategy =
		    xs_strategy_find(result->plan[i].estimate->strategy);

		if (!result->plan[i].phase->apart && strategy &&
		    strategy->changes & XS_CHANGES_LAUNCHES)
			return true;
	}
	return false;
}

/* The limit, where calls of CUDA issue work while the GPU is idle. */
static const char *issue_limit(const struct xs_result *result)
{
	return result->plan_count && !has_graph(result)
		   ? "how fast the host issues work is the limit"
		   : "how fast the host issues work is the limit. A CUDA graph "
		     "issues many launches at once";
}

/* Whether the host's code runs before a copy in of the phase. */
static bool is_before_copy_in(struct xs_result *result,
			      const struct xs_result_phase *phase)
{
	const char *place = result->verdict.host_place;
	const size_t length = strlen(place);

	for (size_t i = 0; i < phase->site_count; i++) {
		const char *label =
		    xs_result_site_label(&result->arena, &phase->sites[i]);

		/* the place ends with it: line 2 is not line 28 */
		if (strcmp(phase->sites[i].step, "h2d") == 0 && label &&
		    strlen(label) <= length &&
		    strcmp(place + length - strlen(label), label) == 0)
			return true;
	}
	return false;
}

/* If the host's time before copies from pinned memory is that of filling the
 * memory from another one, as CuPy and JAX do: what to do about it. */
static const char *filling(struct xs_result *result, int64_t host_ns)
{
	const struct xs_result_phase *only = result->steady.phase;
	double bytes;

	/* between many small copies it is a loop that issues them */
	if (!only || result->steady.rounds <= 0 || only->h2d_ops <= 0 ||
	    only->h2d_bytes / only->h2d_ops < XS_LEAST_HOST_COPY_BYTES ||
	    !only->src_memory || strcmp(only->src_memory, "pinned") != 0 ||
	    !is_before_copy_in(result, only))
		return "";
	bytes = (double)only->h2d_bytes * (double)result->steady.rounds;
	if (!xs_is_host_copy(bytes, (double)host_ns))
		return "";
	return xs_print(
	    &result->arena,
	    ". It takes as long as it would to fill the pinned memory that is "
	    "copied in, %s at %s: if it copies the data there, produce the "
	    "data there instead",
	    xs_units_bytes(only->h2d_bytes).s,
	    xs_units_rate(only->h2d_bytes, host_ns / result->steady.rounds).s);
}

/* The host's own code of less than this for each kernel only issues it, ns. */
#define ISSUE_NS 2000

/* Whether issuing work takes the host more than what it does between. */
static bool only_issues(const struct xs_result *result, int64_t host_ns)
{
	const int64_t kernels = result->steady.totals.kernels;

	return host_ns < xs_result_part_ns(&result->verdict, XS_PART_CALLS) ||
	       (kernels > 0 && host_ns / kernels < ISSUE_NS);
}

/* "The GPU is 55 % idle; ... is the limit. ": what it means that the host does
 * other things than copying for half of the time or more; "" otherwise. Kernels
 * are the limit of a GPU that is idle for less than a quarter, and for less
 * than the host waits for them. */
static const char *idle(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t host_ns = xs_result_part_ns(in, XS_PART_HOST);
	const int64_t idle_ns = in->recorded_ns - in->gpu_ns;
	const bool is_busy = idle_ns < in->recorded_ns / 4 &&
			     idle_ns < xs_result_part_ns(in, XS_PART_KERNELS);
	const char *what;

	if (host_ns + xs_result_part_ns(in, XS_PART_CALLS) <
	    in->recorded_ns / 2)
		return "";
	result->verdict.host_is_limit =
	    !is_busy && !only_issues(result, host_ns);
	if (is_busy)
		what = "kernels are the limit, beside which the host works";
	else if (!result->totals.kernels)
		what = "no kernel ran, and the host's code is the limit";
	else if (!result->verdict.host_is_limit)
		what = issue_limit(result);
	else
		what = xs_print(
		    &result->arena, "the host's code%s%s is the limit%s",
		    in->host_place ? " " : "", xs_result_host_place(result),
		    in->host_place ? filling(result, host_ns) : "");
	return xs_print(&result->arena, "The GPU is %s idle; %s. ",
			xs_units_percent(idle_ns, in->recorded_ns).s, what);
}

/* "Start-up is 77 % of the run. ", if that is most of it; else "". */
static const char *long_start(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);

	return in->repeats && wall_ns != XS_UNKNOWN &&
		       in->startup_ns > wall_ns / 2
		   ? xs_print(&result->arena, "%s is %s of %s. ",
			      result->run.ignored_ns
				  ? "What precedes the steady part"
				  : "Start-up",
			      xs_units_percent(in->startup_ns, wall_ns).s,
			      xs_result_run_name(result))
		   : "";
}

/* Pinning below 1 / PINNING_PART of the run is not told. */
#define PINNING_PART 10

/* "\nOutside the steady part, ...": pinning, where no step changes it, if it
 * takes more than all steps save; "" otherwise. */
static const char *pinning(struct xs_result *result)
{
	const struct xs_result_pinning *in = &result->verdict.pinning;
	const bool with_start = result->totals.init_ns == XS_UNKNOWN;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const int64_t planned_ns =
	    xs_opening_planned_ns(result) - (in->step ? in->saves_ns : 0);

	result->verdict.tells_pinning =
	    in->ns != XS_UNKNOWN && wall_ns != XS_UNKNOWN &&
	    in->ns >= wall_ns / PINNING_PART && in->ns > planned_ns;
	if (!result->verdict.tells_pinning)
		return "";
	return xs_print(
	    &result->arena,
	    "\nOutside the steady part, pinning memory takes %s, once (%s of "
	    "%s%s)%s%s%s.",
	    xs_units_ns(in->ns).s, xs_units_percent(in->ns, wall_ns).s,
	    xs_result_run_name(result),
	    with_start ? ", perhaps with CUDA's start" : "",
	    in->calls ? ": " : "", in->calls ? in->calls : "",
	    in->step ? xs_print(&result->arena, " (step %" PRId64 ")", in->step)
		     : "");
}

/* " Another order of copies and kernels alone saves at most 1.2 % of the run.":
 * the dataflow bound; "" if it is hardly less than the most of all changes. */
static const char *by_order(struct xs_result *result)
{
	const int64_t ns = result->verdict.order_saves_ns;
	const int64_t most_ns = result->verdict.at_most_saves_ns;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const char *text = " Another order of copies and kernels alone saves";

	if (!most_ns || ns > most_ns - most_ns / 10 || has_pageable(result))
		return "";
	if (ns < most_ns / 100)
		return xs_print(&result->arena, "%s nothing.", text);
	return xs_print(&result->arena, "%s at most %s of %s.", text,
			xs_units_percent(ns, wall_ns).s,
			xs_result_run_name(result));
}

/* Shares whose sum is less above the whole add up but for their rounding. */
#define ROUNDING 0.01

/* The most that is saved of the steady part while no kernels run side by side,
 * of two rounds or of two pieces: all but the kernels' time. */
static int64_t most_apart_ns(const struct xs_result_verdict *in)
{
	const double kernels = (double)in->kernels_ns / (double)in->recorded_ns;
	const double steady_ns = (double)in->steady_ns;

	return (double)in->at_most_steady_ns >
		       steady_ns * (1 + ROUNDING - kernels)
		   ? xs_number_round(steady_ns * (1 - kernels))
		   : in->at_most_steady_ns;
}

/* "; 28.7 ms (87.2 %) if kernels run side by side", or "" */
static const char *most_beside(struct xs_result *result, int64_t apart_ns)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t ns = in->at_most_steady_ns;

	return ns > apart_ns ? xs_print(&result->arena,
					"; %s (%s) if kernels run side by side",
					xs_units_ns(ns).s,
					xs_units_percent(ns, in->steady_ns).s)
			     : "";
}

static const char *most(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;
	const int64_t part_ns = most_apart_ns(in);
	const int64_t run_ns =
	    part_ns < in->at_most_steady_ns
		? xs_number_round((double)in->at_most_saves_ns *
				  (double)part_ns /
				  (double)in->at_most_steady_ns)
		: in->at_most_saves_ns;
	const struct xs_units_text of_run =
	    xs_units_percent(run_ns, xs_result_untraced_wall_ns(result));
	const struct xs_units_text of_part =
	    xs_units_percent(part_ns, in->steady_ns);
	const bool allocates = xs_result_part_ns(in, XS_PART_ALLOCATION) >
			       in->recorded_ns / NAMED_PART;
	const bool once = in->pinning.step ||
			  (result->plan_count &&
			   result->plan[result->plan_count - 1].phase->apart);

	return xs_print(
	    &result->arena,
	    "%s of data movement%s%s save at most %s%s%s of %s%s.%s",
	    once ? "In the rounds, changes" : "Changes",
	    allocates ? has_graph(result) ? ", allocation" : " and allocation"
		      : "",
	    has_graph(result) ? " and a CUDA graph" : "", xs_units_ns(run_ns).s,
	    in->repeats || strcmp(of_run.s, of_part.s) != 0
		? xs_result_of_steady(result, part_ns, run_ns)
		: ": ",
	    of_run.s, xs_result_run_name(result), most_beside(result, part_ns),
	    by_order(result));
}

void xs_verdict_say(struct xs_result *result)
{
	struct xs_result_verdict *out = &result->verdict;
	struct xs_arena *arena = &result->arena;
	const char *limit;

	if (out->missing) {
		out->text =
		    xs_print(arena, "What bounds the run is not known: %s.%s",
			     out->missing, spent(result));
	} else {
		xs_limit_build(result);
		limit = idle(result);
		out->text = xs_print(
		    arena, "%s%s%s%s\n%s\n%s%s", long_start(result),
		    xs_verdict_turns(result), limit, bound(result, *limit),
		    most(result), xs_verdict_spans(result), pinning(result));
	}
	xs_plan_opening(result);
}
