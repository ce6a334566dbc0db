/* SPDX-License-Identifier: MIT */
#include "report/result/shown_text.h"

#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sites printed for each step of a phase, unless all are asked for. */
#define SITES_MAX 2

/* Of fewer rounds than these, nothing is told of 90 % of them. */
#define LEAST_ROUNDS 10

/* Adds the places of the phase's steps of this kind to the list. */
static const char *add_places(struct xs_arena *arena, const char *list,
			      const struct xs_result_phase *phase,
			      const char *step, const char *name)
{
	const bool is_kernel = strcmp(step, "kernel") == 0;
	const char *label, *before = "", *places = NULL;
	size_t count = 0;

	XS_EACH(site, phase->sites, phase->site_count) {
		/* a kernel's name says more than an address */
		if (strcmp(site->step, step) != 0 || (is_kernel && !site->file))
			continue;
		label = xs_result_site_label(arena, site);
		if (!label || strcmp(before, label) == 0)
			continue; /* another kernel of that line */
		before = label;
		if (count++ < SITES_MAX || phase->all_asked)
			places = xs_result_add_label(arena, places, label);
	}
	if (count > SITES_MAX && !phase->all_asked)
		places = xs_print(arena, "%s and %zu more (--all)", places,
				  count - SITES_MAX);
	return places ? xs_arena_join(arena, list,
				      xs_print(arena, "%s %s", name, places))
		      : list;
}

/* The mean of all rounds but one that warms up, without tracing. */
static int64_t mean_ns(const struct xs_result_phase *phase)
{
	return (phase->total_ns - phase->warm_up_ns) / xs_result_rounds(phase) -
	       phase->tracer_ns;
}

/* " (90 % within 7.2-12.6 ms)": of its rounds; "" of a few, and of those with
 * the host's time until the next one, whose own range that is not. */
static const char *most_within(struct xs_result *result,
			       const struct xs_result_phase *phase)
{
	int64_t low_ns = phase->round_low_ns - phase->tracer_ns;
	const int64_t high_ns = phase->round_high_ns - phase->tracer_ns;

	if (low_ns < 0)
		low_ns = 0;
	return phase->rounds < LEAST_ROUNDS ||
		       xs_result_used_between_ns(phase) ||
		       mean_ns(phase) < low_ns || mean_ns(phase) > high_ns
		   ? ""
		   : xs_print(&result->arena, " (90 %% within %s)",
			      xs_units_range_ns(low_ns, high_ns).s);
}

/* The mean time until the next round: where the phase alone is the steady part,
 * what its rounds leave of it. */
static int64_t apart_ns(const struct xs_result *result,
			const struct xs_result_phase *phase)
{
	const struct xs_result_steady *steady = &result->steady;

	return phase == steady->phase && steady->rounds != XS_UNKNOWN
		   ? result->verdict.steady_ns / steady->rounds - mean_ns(phase)
		   : phase->mean_between_ns;
}

/* Adds how its rounds' times differ from the usual one's to the list. */
static const char *add_times(struct xs_result *result, const char *list,
			     const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const int64_t between_ns = xs_result_used_between_ns(phase);
	const int64_t usual_ns = xs_result_untraced_ns(phase) + between_ns;
	const int64_t mean =
	    mean_ns(phase) + (between_ns ? phase->mean_between_ns : 0);

	if (xs_result_is_mean(phase))
		list = xs_arena_join(
		    arena, list,
		    xs_print(
			arena, "mean of its rounds%s, median %s",
			most_within(result, phase),
			xs_units_ns(phase->median_ns - phase->tracer_ns +
				    (between_ns ? phase->median_between_ns : 0))
			    .s));
	else if (llabs(mean - usual_ns) > usual_ns / XS_RESULT_MEAN_PART)
		list = xs_arena_join(arena, list,
				     xs_print(arena, "mean %s%s",
					      xs_units_ns(mean).s,
					      most_within(result, phase)));
	if (between_ns)
		list = xs_arena_join(
		    arena, list,
		    xs_print(arena, "with the host's %s until the next round",
			     xs_units_ns(between_ns).s));
	else if (!phase->apart &&
		 apart_ns(result, phase) > usual_ns / XS_RESULT_MEAN_PART)
		list = xs_arena_join(
		    arena, list,
		    xs_print(arena, "on average %s until the next round",
			     xs_units_ns(apart_ns(result, phase)).s));
	if (phase == result->steady.phase &&
	    result->steady.rounds != XS_UNKNOWN &&
	    result->steady.rounds < xs_result_rounds(phase))
		list = xs_arena_join(arena, list,
				     xs_print(arena,
					      "%" PRId64 " in the steady part",
					      result->steady.rounds));
	return list;
}

/* A smaller part outside of the steady part, or beside others, is not told. */
#define TOLD_PART 10

/* Adds which rounds are not in the steady part. */
static const char *add_apart(struct xs_result *result, const char *list,
			     const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const double alone = xs_result_of_run(phase, 1);

	if (phase->warm_up_ns > 0)
		list =
		    xs_arena_join(arena, list,
				  xs_print(arena, "without a first round of %s",
					   xs_units_ns(phase->warm_up_ns).s));
	if (phase->wall_ns < phase->total_ns - phase->total_ns / TOLD_PART)
		list = xs_arena_join(
		    arena, list,
		    alone < 1 ? "side by side, its rounds take less than one"
			      : xs_print(arena,
					 "side by side, its rounds take the "
					 "time of %.0f",
					 alone));
	if (phase->apart && result->verdict.repeats)
		return xs_arena_join(arena, list,
				     phase->before ? "before the steady part"
						   : "after the steady part");
	return phase->outside * TOLD_PART <= 1
		   ? list
		   : xs_arena_join(
			 arena, list,
			 xs_print(
			     arena, "%s of it outside the steady part",
			     xs_units_percent(
				 xs_number_round(phase->outside * 1000), 1000)
				 .s));
}

/* "saxpy, in main.cu:12, kernel main.cu:13, out main.cu:14" */
static const char *only_places(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	const char *list = NULL;

	if (phase->kernel_name_count)
		list =
		    xs_print(arena, "%s%s", phase->kernel_label,
			     phase->kernel_name_count > 1 ? " and others" : "");
	list = add_places(arena, list, phase, "h2d", "in");
	list = add_places(arena, list, phase, "kernel", "kernel");
	return add_places(arena, list, phase, "d2h", "out");
}

const char *xs_result_phase_text(struct xs_result *result,
				 const struct xs_result_phase *phase,
				 const struct xs_result_phase **before)
{
	struct xs_arena *arena = &result->arena;
	const char *list = only_places(arena, phase);

	if (list && *before &&
	    xs_result_same_text(only_places(arena, *before), list))
		list = xs_print(arena, "places as in phase %" PRId64,
				(*before)->id);
	else
		*before = phase;
	if (result->run.device_count > 1)
		list = xs_arena_join(
		    arena, list,
		    xs_print(arena, "on GPU %" PRId64, phase->device));
	if (phase->streams > 1)
		list = xs_arena_join(
		    arena, list,
		    xs_print(arena, "%" PRId64 " streams", phase->streams));
	return add_apart(result, add_times(result, list, phase), phase);
}

int64_t xs_result_in_run_ns(const struct xs_result *result,
			    const struct xs_result_phase *phase)
{
	const int64_t ns = xs_number_round(
	    (double)xs_result_repeated_ns(phase) +
	    xs_result_of_run(phase, (double)xs_result_used_between_ns(phase)));

	return phase == result->steady.phase && ns > result->verdict.steady_ns
		   ? result->verdict.steady_ns
		   : ns;
}

int64_t xs_result_kernels_ns(const struct xs_result_phase *phase)
{
	const int64_t busy_ns = phase->kernel_busy_ns;

	return busy_ns > 0 && busy_ns < phase->kernel_ns - phase->kernel_ns / 20
		   ? busy_ns
		   : phase->kernel_ns;
}

const char *xs_result_saving(struct xs_arena *arena, int64_t ns, int64_t low_ns,
			     int64_t high_ns)
{
	/* an estimate at the far end of a wide range is not the expected one
	 */
	if (low_ns >= 0 && ns >= high_ns && low_ns < ns / 2)
		return xs_print(arena, "up to %s (at least %s)",
				xs_units_ns(ns).s, xs_units_ns(low_ns).s);
	if (low_ns == XS_UNKNOWN || low_ns >= 0)
		return xs_arena_copy(
		    arena, xs_units_in_range_ns(ns, low_ns, high_ns).s);
	return xs_print(arena, "%s (from %s slower to %s faster)",
			xs_units_ns(ns).s, xs_units_ns(-low_ns).s,
			xs_units_ns(high_ns).s);
}

/* Less of a saving outside of the steady part is not told. */
#define OUTSIDE_PART 100

const char *xs_result_of_steady(struct xs_result *result, int64_t steady_ns,
				int64_t run_ns)
{
	const struct xs_units_text share =
	    xs_units_percent(steady_ns, result->verdict.steady_ns);
	const char *name = xs_result_steady_name(result);

	return steady_ns >= run_ns - run_ns / OUTSIDE_PART
		   ? xs_print(&result->arena, ": %s of %s, ", share.s, name)
		   : xs_print(&result->arena,
			      ", of which %s in %s (%s of it): ",
			      xs_units_ns(steady_ns).s, name, share.s);
}

const char *xs_result_host_place(struct xs_result *result)
{
	const struct xs_result_verdict *in = &result->verdict;

	if (!in->host_place)
		return "";
	return xs_print(&result->arena, "before %s%s%s", in->host_place,
			in->host_line ? " (no line of Python) and before " : "",
			in->host_line ? in->host_line : "");
}

const char *xs_result_no_phases(const struct xs_result *result)
{
	if (result->totals.gpu_busy_ns == XS_UNKNOWN)
		return "the GPU work is unknown";
	return result->coverage.api_calls_seen
		   ? "no copies and no kernels were recorded"
		   : "the trace has no calls of CUDA";
}

const char *xs_result_no_overlap(const struct xs_result_totals *totals)
{
	if (totals->overlap_ns != 0 || totals->gpu_busy_ns <= 0)
		return "";
	return totals->pageable_async_ops > 0 &&
		       totals->h2d_ns + totals->d2h_ns >
			   totals->gpu_busy_ns / 100
		   ? "no overlap (pageable)"
		   : "no overlap";
}

const char *xs_result_pinning_outside(struct xs_result *result)
{
	const int64_t all_ns = result->totals.pinned_alloc_ns;
	const int64_t wall_ns = xs_result_untraced_wall_ns(result);
	const int64_t ns = all_ns - result->steady.totals.pinned_alloc_ns;

	if (!result->verdict.repeats || all_ns == XS_UNKNOWN ||
	    result->verdict.tells_pinning ||
	    ns <= wall_ns / XS_RESULT_LEAST_PART)
		return NULL;
	return xs_print(
	    &result->arena,
	    "outside the steady part, pinning takes %s (%s of the run)%s",
	    xs_units_ns(ns).s, xs_units_percent(ns, wall_ns).s,
	    result->totals.init_ns == XS_UNKNOWN ? ", perhaps with CUDA's start"
						 : "");
}
