/* SPDX-License-Identifier: MIT */
/* The table of phases. */
#include "report/render/text/parts.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/site.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Phases printed unless all are asked for. */
#define PHASES_MAX 4

/* Sites printed for each step of a phase, unless all are asked for. */
#define SITES_MAX 2

/* Less than 1 / LEAST_PART of a round behind it, or more, is not told. */
#define LEAST_PART 50

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

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];

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
		places = xs_arena_print(arena, "%s and %zu more (--all)",
					places, count - SITES_MAX);
	return places
		   ? xs_arena_join(arena, list,
				   xs_arena_print(arena, "%s %s", name, places))
		   : list;
}

/* The mean of all rounds but one that warms up, without tracing. */
static int64_t mean_ns(const struct xs_result_phase *phase)
{
	return (phase->total_ns - phase->warm_up_ns) / xs_result_rounds(phase) -
	       phase->tracer_ns;
}

/* " (90 % within 7.2-12.6 ms)": of its rounds; "" of a few */
static const char *most_within(struct xs_result *result,
			       const struct xs_result_phase *phase)
{
	const int64_t more_ns = xs_result_used_between_ns(phase);
	int64_t low_ns = phase->round_low_ns - phase->tracer_ns;
	const int64_t high_ns = phase->round_high_ns - phase->tracer_ns;

	if (low_ns < 0)
		low_ns = 0;
	return phase->rounds < LEAST_ROUNDS || mean_ns(phase) < low_ns ||
		       mean_ns(phase) > high_ns
		   ? ""
		   : xs_arena_print(
			 &result->arena, " (90 %% within %s)",
			 xs_units_range_ns(low_ns + more_ns, high_ns + more_ns)
			     .s);
}

/* Adds how its rounds' times differ from the median one's to the list. */
static const char *add_times(struct xs_result *result, const char *list,
			     const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const int64_t median_ns = xs_result_untraced_ns(phase);
	const int64_t mean = mean_ns(phase);
	const int64_t between_ns = xs_result_used_between_ns(phase);

	if (llabs(mean - median_ns) > median_ns / LEAST_PART)
		list = xs_arena_join(
		    arena, list,
		    xs_arena_print(arena, "mean %s%s",
				   xs_units_ns(mean + between_ns).s,
				   most_within(result, phase)));
	if (between_ns)
		list = xs_arena_join(
		    arena, list,
		    xs_arena_print(arena,
				   "with the host's %s until the next round",
				   xs_units_ns(between_ns).s));
	if (phase->warm_up_ns > 0)
		list = xs_arena_join(
		    arena, list,
		    xs_arena_print(arena,
				   "a first round of %s is start-up, not "
				   "counted",
				   xs_units_ns(phase->warm_up_ns).s));
	return phase->apart && result->verdict.repeats
		   ? xs_arena_join(arena, list, "outside the steady part")
		   : list;
}

/* "saxpy, in main.cu:12, kernel main.cu:13, out main.cu:14" */
static const char *only_places(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	const char *list = NULL;

	if (phase->kernel_name_count)
		list = xs_arena_print(
		    arena, "%s%s", phase->kernel_label,
		    phase->kernel_name_count > 1 ? " and others" : "");
	list = add_places(arena, list, phase, "h2d", "in");
	list = add_places(arena, list, phase, "kernel", "kernel");
	return add_places(arena, list, phase, "d2h", "out");
}

/* The places, or "as phase 1", with "8 streams" and how long rounds are. */
static const char *phase_places(struct xs_result *result,
				const struct xs_result_phase *phase)
{
	struct xs_arena *arena = &result->arena;
	const char *list = only_places(arena, phase);
	const char *before =
	    phase > result->phases ? only_places(arena, phase - 1) : NULL;

	if (before && list && strcmp(before, list) == 0)
		list = xs_arena_print(arena, "places as in phase %" PRId64,
				      phase[-1].id);
	if (result->run.device_count > 1)
		list = xs_arena_join(
		    arena, list,
		    xs_arena_print(arena, "on GPU %" PRId64, phase->device));
	if (phase->streams > 1)
		list =
		    xs_arena_join(arena, list,
				  xs_arena_print(arena, "%" PRId64 " streams",
						 phase->streams));
	return add_times(result, list, phase);
}

/* The places, and where all is asked for the class of the phase's tasks, and
 * why. */
static const char *notes(struct xs_result *result,
			 const struct xs_result_phase *phase)
{
	const char *places = phase_places(result, phase);

	if (!result->all_asked ||
	    (!phase->task_class_known && !result->dataflow_asked))
		return places;
	return xs_arena_print(&result->arena, "%s%stasks: %s (%s)",
			      places ? places : "", places ? "\n" : "",
			      phase->task_class, phase->task_class_why);
}

/* "64 MiB pageable" */
static const char *moved(struct xs_result *result, int64_t bytes,
			 const char *memory)
{
	if (bytes == 0)
		return "-";
	return xs_arena_print(&result->arena, "%s%s%s", xs_units_bytes(bytes).s,
			      memory ? " " : "", memory ? memory : "");
}

/* Outside the steady part, and less than one per cent of the run. */
static bool is_small(const struct xs_result *result,
		     const struct xs_result_phase *phase)
{
	return phase->apart && result->run.wall_ns != XS_UNKNOWN &&
	       phase->total_ns < result->run.wall_ns / 100;
}

size_t xs_render_text_phases(const struct xs_result *result)
{
	size_t count = result->phase_count;

	if (result->all_asked)
		return count;
	if (count > PHASES_MAX)
		count = PHASES_MAX;
	while (count > 0 && is_small(result, &result->phases[count - 1]))
		count--;
	return count;
}

/* The phases that are not printed. */
static void put_rest(const struct xs_terminal *terminal,
		     const struct xs_result *result)
{
	const size_t first = xs_render_text_phases(result);
	struct xs_result_rest rest = result->rest;

	for (size_t i = first; i < result->phase_count; i++) {
		rest.phases++;
		xs_number_add(&rest.total_ns, result->phases[i].total_ns);
	}
	if (first < result->phase_count)
		rest.largest_ns = result->phases[first].total_ns;
	if (rest.phases)
		xs_terminal_print(terminal, XS_PLAIN,
				  "  and %" PRId64
				  " more phase%s, %s in total, the longest %s "
				  "(--all)\n",
				  rest.phases, rest.phases == 1 ? "" : "s",
				  xs_units_ns(rest.total_ns).s,
				  xs_units_ns(rest.largest_ns).s);
}

/* What the phase takes of the run: no more than the steady part, if it is all
 * of that; its median rounds may be longer than those are on average. */
static int64_t in_run_ns(const struct xs_result *result,
			 const struct xs_result_phase *phase)
{
	const int64_t ns = xs_result_repeated_ns(phase);

	return phase == result->steady.phase && ns > result->verdict.steady_ns
		   ? result->verdict.steady_ns
		   : ns;
}

static void put_phase(struct xs_text_table *table, struct xs_result *result,
		      const struct xs_result_phase *phase)
{
	xs_text_table_row(table);
	xs_text_table_cell(table, 0, XS_BOLD, xs_units_count(phase->id).s);
	xs_text_table_cell(table, 1, XS_PLAIN,
			   xs_units_count(xs_result_rounds(phase)).s);
	xs_text_table_cell(table, 2, XS_PLAIN,
			   xs_units_ns(xs_result_untraced_ns(phase) +
				       xs_result_used_between_ns(phase))
			       .s);
	xs_text_table_cell(table, 3, XS_PLAIN,
			   xs_units_percent(in_run_ns(result, phase),
					    xs_result_untraced_wall_ns(result))
			       .s);
	xs_text_table_cell(table, 4, XS_PLAIN,
			   moved(result, phase->h2d_bytes, phase->src_memory));
	xs_text_table_cell(table, 5, XS_PLAIN,
			   phase->kernels ? xs_units_ns(phase->kernel_ns).s
					  : "-");
	xs_text_table_cell(table, 6, XS_PLAIN,
			   moved(result, phase->d2h_bytes, phase->dst_memory));
}

int xs_render_text_phase_table(const struct xs_terminal *terminal,
			       struct xs_result *result)
{
	const struct xs_text_heading headings[] = {
	    {"#", true},	 {"rounds", true},
	    {"per round", true}, {xs_result_run_heading(result), true},
	    {"in", false},	 {"kernels", true},
	    {"out", false}};
	const size_t count = xs_render_text_phases(result);
	const char **places =
	    xs_arena_alloc(&result->arena, count, sizeof(*places));
	struct xs_text_table table;
	int err;

	xs_terminal_heading(terminal, "Phases",
			    "groups of similar rounds; median of one round");
	if (!count) {
		xs_terminal_print(
		    terminal, XS_PLAIN, "  none: %s\n",
		    result->totals.gpu_busy_ns == XS_UNKNOWN
			? "the GPU work is unknown"
			: "no copies and no kernels were recorded");
		return 0;
	}
	if (!places)
		return -ENOMEM;
	xs_text_table_begin(&table, terminal, headings, 7);
	for (size_t i = 0; i < count; i++) {
		put_phase(&table, result, &result->phases[i]);
		places[i] = notes(result, &result->phases[i]);
	}
	err = xs_text_table_end(&table, places, 5);
	put_rest(terminal, result);
	return err;
}
