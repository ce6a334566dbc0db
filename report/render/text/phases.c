/* SPDX-License-Identifier: MIT */
/* The table of phases. */
#include "report/render/text/sections.h"
#include "report/result/best.h"
#include "report/result/number.h"
#include "report/result/shown_text.h"

#include <errno.h>
#include <inttypes.h>

/* Phases printed unless all are asked for. */
#define PHASES_MAX 4

/* The places, and where all is asked for the class of the phase's tasks, and
 * why. */
static const char *notes(struct xs_result *result,
			 const struct xs_result_phase *phase)
{
	const char *places = xs_result_phase_text(result, phase);

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

/* The first ones are printed, and the longest one of the steady part. */
static bool is_main(const struct xs_result *result, size_t i)
{
	bool longest = !result->phases[i].apart;

	for (size_t k = 0; longest && k < i; k++)
		longest = result->phases[k].apart;
	return longest || i < xs_render_text_phases(result);
}

/* Whether the phase is printed: those of steps are, too. */
static bool is_printed(const struct xs_result *result, size_t i)
{
	const size_t steps = xs_render_text_shown_steps(result);
	bool printed = is_main(result, i);

	for (size_t k = 0; k < steps; k++)
		printed |= result->plan[k].phase == &result->phases[i];
	return printed;
}

/* The phases that are not printed. */
static void put_rest(const struct xs_terminal *terminal,
		     const struct xs_result *result)
{
	struct xs_result_rest rest = result->rest;

	for (size_t i = result->phase_count; i-- > 0;) {
		if (is_printed(result, i))
			continue;
		rest.phases++;
		rest.largest_ns = result->phases[i].total_ns;
		xs_number_add(&rest.total_ns, rest.largest_ns);
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
		    xs_units_percent(xs_result_in_run_ns(result, phase),
				     xs_result_untraced_wall_ns(result))
			.s,
		    moved(result, phase->h2d_bytes, phase->src_memory),
		    phase->kernels ? xs_units_ns(xs_result_kernels_ns(phase)).s
				   : "-",
		    moved(result, phase->d2h_bytes, phase->dst_memory));
}

int xs_render_text_phase_table(const struct xs_terminal *terminal,
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
	size_t rows = 0;
	struct xs_text_table table;
	int err;

	xs_terminal_heading(terminal, "Phases",
			    "groups of similar rounds; median of one round, or "
			    "the mean if less");
	if (!xs_render_text_phases(result)) {
		xs_terminal_print(terminal, XS_PLAIN, "  none: %s\n",
				  xs_result_no_phases(result));
		return 0;
	}
	if (!places)
		return -ENOMEM;
	xs_text_table_begin(&table, terminal, headings, 7);
	for (size_t i = 0; i < result->phase_count; i++) {
		if (!is_printed(result, i))
			continue;
		put_phase(&table, result, &result->phases[i]);
		/* a step names its own places */
		places[rows++] = is_main(result, i)
				     ? notes(result, &result->phases[i])
				     : NULL;
	}
	err = xs_text_table_end(&table, places, 5);
	put_rest(terminal, result);
	return err;
}
