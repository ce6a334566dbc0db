/* SPDX-License-Identifier: MIT */
/* The table of phases. */
#include "report/render/text/sections.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_text.h"

#include <inttypes.h>

/* Phases printed unless all are asked for. */
#define PHASES_MAX 4

/* The places, and where all is asked for the class of the phase's tasks, and
 * why. */
static const char *notes(struct xs_result *result,
			 const struct xs_result_phase *phase,
			 const struct xs_result_phase **before)
{
	const char *places = xs_result_phase_text(result, phase, before);

	if (!result->all_asked ||
	    (!phase->task_class_known && !result->dataflow_asked))
		return places;
	return xs_print(&result->arena, "%s%stasks: %s (%s)",
			places ? places : "", places ? "\n" : "",
			phase->task_class, phase->task_class_why);
}

/* "64 MiB pageable" */
static const char *moved(struct xs_result *result, int64_t bytes,
			 const char *memory)
{
	if (bytes == 0)
		return "-";
	return xs_print(&result->arena, "%s%s%s", xs_units_bytes(bytes).s,
			memory ? " " : "", memory ? memory : "");
}

/* Outside the steady part, and less than one per cent of the run. */
static bool is_small(const struct xs_result *result,
		     const struct xs_result_phase *phase)
{
	return phase->apart && result->run.wall_ns != XS_UNKNOWN &&
	       phase->total_ns < result->run.wall_ns / 100;
}

/* Whether most of it is in the steady part. */
static bool is_steady(const struct xs_result_phase *phase)
{
	return !phase->apart && phase->outside <= 0.5;
}

bool xs_render_text_is_first(const struct xs_result *result, size_t index)
{
	const bool steady = is_steady(&result->phases[index]);
	size_t before = 0;

	for (size_t i = 0; i < result->phase_count; i++) {
		const bool other = is_steady(&result->phases[i]);

		before += other == steady ? i < index : other;
	}
	return result->all_asked || before < PHASES_MAX;
}

bool xs_render_text_has_phase(const struct xs_result *result, size_t index)
{
	const struct xs_result_phase *phase = &result->phases[index];
	const size_t steps = xs_render_text_shown_steps(result);

	for (size_t k = 0; k < steps; k++)
		if (result->plan[k].phase == phase)
			return true;
	return xs_render_text_is_first(result, index) &&
	       (result->all_asked || !is_small(result, phase));
}

/* The phases that are not printed. */
static void put_rest(const struct xs_terminal *terminal,
		     const struct xs_result *result)
{
	struct xs_result_rest rest = result->rest;

	for (size_t i = result->phase_count; i-- > 0;) {
		if (xs_render_text_has_phase(result, i))
			continue;
		rest.phases++;
		if (rest.largest_ns < result->phases[i].total_ns)
			rest.largest_ns = result->phases[i].total_ns;
		xs_number_add(&rest.total_ns, result->phases[i].total_ns);
	}
	if (rest.phases)
		xs_terminal_print(terminal, XS_PLAIN,
				  "  and %" PRId64
				  " more phase%s, %s in total, the longest %s "
				  "(--all)\n",
				  rest.phases, rest.phases == 1 ? "" : "s",
				  xs_units_ns(rest.total_ns).s,
				  xs_units_ns(rest.largest_ns).s);
}

static void put_phase(struct xs_text_table *table, struct xs_result *result,
		      const struct xs_result_phase *phase)
{
	XS_TEXT_ROW(table, xs_units_count(phase->id).s,
		    xs_units_count(xs_result_rounds(phase)).s,
		    xs_units_ns(xs_result_untraced_ns(phase) +
				xs_result_used_between_ns(phase))
			.s,
		    xs_units_share(xs_result_in_run_ns(result, phase),
				   xs_result_untraced_wall_ns(result))
			.s,
		    moved(result, phase->h2d_bytes, phase->src_memory),
		    phase->kernels ? xs_units_ns(xs_result_kernels_ns(phase)).s
				   : "-",
		    moved(result, phase->d2h_bytes, phase->dst_memory));
}

void xs_render_text_phase_table(const struct xs_terminal *terminal,
				struct xs_result *result)
{
	const struct xs_text_heading headings[] = {
	    {"#", XS_RIGHT | XS_BOLD},
	    {"rounds", XS_RIGHT},
	    {"per round", XS_RIGHT},
	    {xs_result_run_heading(result), XS_RIGHT},
	    {"in", XS_PLAIN},
	    {"kernels", XS_RIGHT},
	    {"out", XS_PLAIN}};
	const char **places = xs_arena_alloc(
	    &result->arena, result->phase_count, sizeof(*places));
	const struct xs_result_phase *before = NULL;
	size_t rows = 0;
	struct xs_text_table table;

	xs_terminal_heading(terminal, "Phases",
			    "groups of similar rounds; median of one round, or "
			    "the mean if less");
	if (!result->phase_count) {
		xs_terminal_print(terminal, XS_PLAIN, "  none: %s\n",
				  xs_result_no_phases(result));
		return;
	}
	xs_text_table_begin(&table, terminal, headings, 7);
	for (size_t i = 0; i < result->phase_count; i++) {
		if (!xs_render_text_has_phase(result, i))
			continue;
		put_phase(&table, result, &result->phases[i]);
		/* a step names its own places */
		places[rows++] =
		    xs_render_text_is_first(result, i)
			? notes(result, &result->phases[i], &before)
			: NULL;
	}
	xs_text_table_end(&table, places, 5);
	put_rest(terminal, result);
}
