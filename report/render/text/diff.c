/* SPDX-License-Identifier: MIT */
#include "report/render/text/text.h"

#include "report/diff/gate.h"
#include "report/render/text/terminal.h"
#include "report/result/best.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PHASES_SHOWN 8

static struct xs_units_text amount(enum xs_diff_unit unit, int64_t value)
{
	switch (unit) {
	case XS_DIFF_NS:
		return xs_units_ns(value);
	case XS_DIFF_BYTES:
		return xs_units_bytes(value);
	case XS_DIFF_COUNT:
		break;
	}
	return xs_units_count(value);
}

/* With sign: "+1.2 ms". */
static struct xs_units_text change(enum xs_diff_unit unit, int64_t value)
{
	struct xs_units_text text = amount(unit, value), out;

	if (value == XS_UNKNOWN || value <= 0)
		return text;
	snprintf(out.s, sizeof(out.s), "+%.30s", text.s);
	return out;
}

/* With sign, unless it is rounded to 0. */
static struct xs_units_text signed_percent(double value)
{
	struct xs_units_text out;

	if (fabs(value) < 0.05)
		snprintf(out.s, sizeof(out.s), "0.0 %%");
	else
		snprintf(out.s, sizeof(out.s), "%+.1f %%", value);
	return out;
}

static struct xs_units_text percent(int64_t value, int64_t before)
{
	struct xs_units_text out = {""};

	if (value != XS_UNKNOWN && before > 0)
		out = signed_percent(100.0 * (double)value / (double)before);
	return out;
}

static enum xs_style style_of(int64_t change_ns)
{
	if (change_ns == XS_UNKNOWN || change_ns == 0)
		return XS_PLAIN;
	return change_ns < 0 ? XS_GOOD : XS_WARN;
}

static void put_total(struct xs_text_table *table, const char *name,
		      const struct xs_diff_total *in)
{
	/* more overlap is not slower, and only times are faster or slower */
	bool judged = in->unit == XS_DIFF_NS && strcmp(name, "overlap") != 0;
	struct xs_units_text title;

	/* the time of copies and of kernels has the plain name */
	snprintf(title.s, sizeof(title.s), "%.16s%s", name,
		 in->unit == XS_DIFF_COUNT ? ", number" : "");
	XS_TEXT_ROW(table, title.s, amount(in->unit, in->before.median).s,
		    amount(in->unit, in->after.median).s);
	xs_text_cell(table,
		     judged && in->apart ? style_of(in->change) : XS_PLAIN,
		     change(in->unit, in->change).s);
	xs_text_cell(table, XS_DIM, percent(in->change, in->before.median).s);
	xs_text_cell(table, XS_DIM,
		     in->change != XS_UNKNOWN && in->change != 0 && !in->apart
			 ? "within the spread"
			 : "");
}

static void put_totals(const struct xs_terminal *terminal,
		       const struct xs_diff *diff)
{
	static const struct xs_text_heading headings[] = {
	    {"total", XS_PLAIN},  {"before", XS_RIGHT}, {"after", XS_RIGHT},
	    {"change", XS_RIGHT}, {"", XS_RIGHT},	{"", XS_PLAIN}};
	struct xs_text_table table;

	xs_terminal_heading(terminal, "What changed", "largest change first");
	xs_text_table_begin(&table, terminal, headings, 6);
	put_total(&table, "run", &diff->wall);
	for (size_t i = 0; i < diff->total_count; i++)
		if (diff->totals[i].change != 0)
			put_total(&table, diff->totals[i].name,
				  &diff->totals[i]);
	xs_text_table_end(&table, NULL, 0);
}

/* The prediction of before for what after does, and its error. */
static const char *verdict(struct xs_diff *diff, const struct xs_diff_phase *in)
{
	const struct xs_result_estimate *row = in->predicted;
	const int64_t between_ns =
	    row ? xs_result_used_between_ns(in->before) : 0;
	struct xs_units_text n = {""};

	if (!row)
		return in->unpredicted ? in->unpredicted : "";
	if (row->n_streams != XS_UNKNOWN)
		snprintf(n.s, sizeof(n.s), " (n=%" PRId64 "%s%s)",
			 row->n_streams, row->order ? ", " : "",
			 row->order ? row->order : "");
	return xs_print(
	    &diff->arena,
	    "predicted for %s%s: %s; measured%s: %s, %s "
	    "the interval, error %s%s",
	    row->strategy, n.s,
	    xs_units_in_range_ns(row->round_ns, row->low_ns, row->high_ns).s,
	    in->after->tracer_ns ? ", without the cost of tracing" : "",
	    xs_units_ns(in->measured_ns).s, in->within ? "inside" : "outside",
	    signed_percent(in->error_percent).s,
	    between_ns ? "; both without the host's time until the next round"
		       : "");
}

static const char *phase_note(struct xs_diff *diff,
			      const struct xs_diff_phase *in)
{
	struct xs_arena *arena = &diff->arena;
	const char *list = "", *said = verdict(diff, in);

	for (size_t i = 0; i < in->changed_count; i++)
		list = xs_print(arena, "%s%s%s", list ? list : "",
				i ? ", " : "", in->changed[i]);
	if (!in->before)
		list = "only in after";
	if (!in->after)
		list = "only in before";
	return xs_print(arena, "%s%s%s", list ? list : "",
			list && *list && said && *said ? "\n" : "",
			said ? said : "");
}

/* A round as the report has it; "-" without one. */
static struct xs_units_text per_round(const struct xs_result_phase *phase)
{
	return xs_units_ns(phase ? xs_result_untraced_ns(phase) +
				       xs_result_used_between_ns(phase)
				 : XS_UNKNOWN);
}

static void put_phase(struct xs_text_table *table, struct xs_diff *diff,
		      const struct xs_diff_phase *in)
{
	const struct xs_result_phase *a = in->before, *b = in->after;
	struct xs_units_text ids;

	snprintf(ids.s, sizeof(ids.s), "%.8s > %.8s",
		 xs_units_count(a ? a->id : XS_UNKNOWN).s,
		 xs_units_count(b ? b->id : XS_UNKNOWN).s);
	XS_TEXT_ROW(table, ids.s, in->match ? in->match : "nothing",
		    per_round(a).s, per_round(b).s,
		    xs_units_ns(a ? a->total_ns : XS_UNKNOWN).s,
		    xs_units_ns(b ? b->total_ns : XS_UNKNOWN).s);
	xs_text_cell(table, style_of(in->change_ns),
		     change(XS_DIFF_NS, in->change_ns).s);
	if (diff->wall.change != XS_UNKNOWN)
		xs_text_cell(
		    table, XS_DIM,
		    percent(in->change_ns, diff->before->run.wall_ns).s);
}

static void put_phases(const struct xs_terminal *terminal, struct xs_diff *diff)
{
	static const struct xs_text_heading headings[] = {
	    {"phase", XS_BOLD},	      {"matched by", XS_DIM},
	    {"per round", XS_RIGHT},  {"after", XS_RIGHT},
	    {"all rounds", XS_RIGHT}, {"after", XS_RIGHT},
	    {"change", XS_RIGHT},     {"of run", XS_RIGHT}};
	size_t count =
	    diff->phase_count < PHASES_SHOWN ? diff->phase_count : PHASES_SHOWN;
	const char *notes[PHASES_SHOWN];
	struct xs_text_table table;

	if (!count)
		return;
	xs_terminal_heading(terminal, "Phases",
			    "largest change of the run first");
	xs_text_table_begin(&table, terminal, headings, 8);
	for (size_t i = 0; i < count; i++) {
		put_phase(&table, diff, &diff->phases[i]);
		notes[i] = phase_note(diff, &diff->phases[i]);
	}
	xs_text_table_end(&table, notes, 6);
}

/* Of several runs: how far the medians are known. */
static void put_spread(const struct xs_terminal *terminal,
		       const struct xs_diff *diff)
{
	const struct xs_run_spread *before = &diff->wall.before;
	const struct xs_run_spread *after = &diff->wall.after;

	if (diff->before_side.count + diff->after_side.count == 2)
		return;
	xs_terminal_print(terminal, XS_PLAIN,
			  "The medians lie in %s and %s:\n"
			  "the change is %s the spread of the runs.\n",
			  xs_units_range_ns(before->low, before->high).s,
			  xs_units_range_ns(after->low, after->high).s,
			  diff->wall.apart ? "beyond" : "within");
}

static void put_side(const struct xs_terminal *terminal, const char *name,
		     const struct xs_diff_side *side,
		     const struct xs_result *median)
{
	if (side->count == 1)
		xs_terminal_print(terminal, XS_PLAIN, "%-6s  %s\n", name,
				  median->run.path);
	else
		xs_terminal_print(terminal, XS_PLAIN,
				  "%-6s  %zu runs, phases of the median one, "
				  "%s\n",
				  name, side->count, median->run.path);
}

static void put_verdict(const struct xs_terminal *terminal,
			const struct xs_diff *diff, double gate_percent)
{
	xs_terminal_print(terminal, XS_PLAIN, "\n");
	if (isnan(diff->change_percent)) {
		xs_terminal_print(terminal, XS_PLAIN,
				  diff->uncompared
				      ? "The runs are not compared; rounds of "
					"a phase are, above.\n"
				      : "The run times are unknown.\n");
		return;
	}
	xs_terminal_print(terminal, XS_BOLD, "%s -> %s",
			  xs_units_ns(diff->wall.before.median).s,
			  xs_units_ns(diff->wall.after.median).s);
	if (fabs(diff->change_percent) < 0.05)
		xs_terminal_print(terminal, XS_PLAIN, ", as fast as before\n");
	else
		xs_terminal_print(terminal, style_of(diff->wall.change),
				  ", %.1f %% %s\n", fabs(diff->change_percent),
				  diff->wall.change > 0 ? "slower" : "faster");
	put_spread(terminal, diff);
	if (diff->saving.text)
		xs_terminal_wrap(terminal, XS_PLAIN, "", diff->saving.text);
	if (!isnan(gate_percent))
		xs_terminal_wrap(terminal, XS_PLAIN, "",
				 xs_gate_text(xs_diff_gate(diff, gate_percent),
					      gate_percent,
					      xs_gate_is_single(diff))
				     .s);
}

int xs_render_text_diff(struct xs_diff *diff, double gate_percent,
			const struct xs_display *display, FILE *out)
{
	const struct xs_terminal terminal = {.out = out, .display = *display};

	put_side(&terminal, "before", &diff->before_side, diff->before);
	put_side(&terminal, "after", &diff->after_side, diff->after);
	for (size_t i = 0; i < diff->warning_count; i++)
		xs_terminal_wrap(&terminal, XS_WARN, "! ", diff->warnings[i]);
	put_totals(&terminal, diff);
	put_phases(&terminal, diff);
	put_verdict(&terminal, diff, gate_percent);
	return 0;
}
