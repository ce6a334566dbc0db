/* SPDX-License-Identifier: MIT */
/* Two jobs as text. */
#include "report/render/text/terminal.h"
#include "report/render/text/text.h"

#include <inttypes.h>

static void put_times(const struct xs_terminal *terminal,
		      struct xs_job_diff *diff)
{
	static const struct xs_text_heading headings[] = {{"time", XS_PLAIN},
							  {"before", XS_RIGHT},
							  {"after", XS_RIGHT},
							  {"change", XS_RIGHT}};
	struct xs_text_table table;

	xs_terminal_heading(terminal, "What changed",
			    "runs of processes; parts are means of all");
	xs_text_table_begin(&table, terminal, headings, 4);
	XS_EACH(in, diff->times, diff->time_count) {
		const double before = (double)in->before_ns;
		const bool known =
		    in->before_ns > 0 && in->after_ns != XS_UNKNOWN;

		XS_TEXT_ROW(
		    &table,
		    xs_print(&diff->arena, "%s%s", in->part ? "  " : "",
			     in->name),
		    xs_units_ns(in->before_ns).s, xs_units_ns(in->after_ns).s,
		    known ? xs_print(&diff->arena, "%+.1f %%",
				     100 * ((double)in->after_ns - before) /
					 before)
			  : "");
	}
	xs_text_table_end(&table, NULL, 0);
}

/* "up to 2.00 s, in 62 of 64", "not in the plan" */
static const char *gain(struct xs_job_diff *diff, int64_t ns, bool at_most,
			int64_t traces, const struct xs_job *job)
{
	return ns == XS_UNKNOWN
		   ? "not in the plan"
		   : xs_print(&diff->arena, "%s%s, in %" PRId64 " of %" PRId64,
			      at_most ? "up to " : "", xs_units_ns(ns).s,
			      traces, job->traces);
}

static void put_steps(const struct xs_terminal *terminal,
		      struct xs_job_diff *diff)
{
	static const struct xs_text_heading headings[] = {
	    {"change", XS_PLAIN}, {"before", XS_RIGHT}, {"after", XS_RIGHT}};
	const char **places =
	    xs_arena_alloc(&diff->arena, diff->step_count + 1, sizeof(*places));
	struct xs_text_table table;

	xs_terminal_heading(terminal, "Plans",
			    "what the job would gain by a change, and in how "
			    "many processes; lines are those of each source");
	xs_text_table_begin(&table, terminal, headings, 3);
	for (size_t i = 0; i < diff->step_count; i++) {
		const struct xs_job_diff_step *in = &diff->steps[i];

		XS_TEXT_ROW(&table, in->strategy,
			    gain(diff, in->before_ns, in->before_at_most,
				 in->before_traces, diff->before),
			    gain(diff, in->after_ns, in->after_at_most,
				 in->after_traces, diff->after));
		places[i] = in->places;
	}
	xs_text_table_end(&table, places, 4);
}

int xs_render_text_job_diff(struct xs_job_diff *diff,
			    const struct xs_display *display, FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .display = *display};

	xs_terminal_print(&terminal, XS_BOLD, "%s",
			  diff->after->program ? diff->after->program
					       : "no program");
	xs_terminal_print(&terminal, XS_PLAIN,
			  "  %" PRId64 " -> %" PRId64 " processes\n\n",
			  diff->before->traces, diff->after->traces);
	xs_terminal_wrapf(&terminal, XS_BOLD, "", "Verdict: %s", diff->verdict);
	for (size_t i = 0; i < diff->warning_count; i++)
		xs_terminal_wrap(&terminal, XS_WARN, "! ", diff->warnings[i]);
	put_times(&terminal, diff);
	if (diff->step_count)
		put_steps(&terminal, diff);
	return 0;
}
