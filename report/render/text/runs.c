/* SPDX-License-Identifier: MIT */
/* The section on several runs of one program. */
#include "report/render/text/sections.h"

#include <inttypes.h>
#include <string.h>

/* Phases that are listed. */
#define PHASES_MOST 4

/* One run has no spread. */
static void put(struct xs_text_table *table, const char *name, size_t runs,
		const struct xs_run_spread *in)
{
	if (in->median == XS_UNKNOWN)
		XS_TEXT_ROW(table, name, "-");
	else
		XS_TEXT_ROW(
		    table, name, xs_units_ns(in->median).s,
		    xs_units_range_ns(in->low, in->high).s,
		    xs_units_range_ns(in->least, in->most).s,
		    runs > 1
			? xs_units_percent(in->most - in->least, in->median).s
			: "-");
}

static void put_phase(struct xs_text_table *table, struct xs_result *result,
		      const struct xs_result_runs_phase *phase)
{
	const char *name =
	    xs_print(&result->arena, "round of phase %" PRId64, phase->id);

	if (phase->runs < result->runs->count)
		name = xs_print(&result->arena, "%s, in %zu run%s", name,
				phase->runs, phase->runs == 1 ? "" : "s");
	put(table, name, phase->runs, &phase->round_ns);
}

void xs_render_text_runs(const struct xs_terminal *terminal,
			 struct xs_result *result)
{
	static const struct xs_text_heading headings[] = {
	    {"time", XS_PLAIN},
	    {"median", XS_RIGHT},
	    {"its range", XS_RIGHT},
	    {"all runs", XS_RIGHT},
	    {"spread", XS_RIGHT | XS_DIM}};
	const struct xs_result_runs *runs = result->runs;
	struct xs_text_table table;

	xs_terminal_heading(
	    terminal, "Runs",
	    xs_print(&result->arena,
		     "%zu of one program; the report is of the median one",
		     runs->count));
	for (size_t i = 0; i < runs->warning_count; i++)
		xs_terminal_wrap(terminal, XS_WARN, "! ", runs->warnings[i]);
	xs_terminal_wrap(terminal, XS_PLAIN, "  ", runs->paths[runs->middle]);
	xs_text_table_begin(&table, terminal, headings, 5);
	for (size_t i = 0; i < runs->total_count; i++)
		if (strcmp(runs->totals[i].unit, "ns") == 0 &&
		    runs->totals[i].spread.most != 0)
			put(&table, runs->totals[i].name, runs->count,
			    &runs->totals[i].spread);
	for (size_t i = 0; i < runs->phase_count && i < PHASES_MOST; i++)
		put_phase(&table, result, &runs->phases[i]);
	xs_text_table_end(&table, NULL, 0);
}
