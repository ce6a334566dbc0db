/* SPDX-License-Identifier: MIT */
#include "report/diff/saving.h"

#include "report/result/number.h"
#include "report/result/shown_row.h"
#include "report/result/shown_text.h"

#include <stdlib.h>
#include <string.h>

/* A part below 1 / LEAST_PART of the largest change is not told. */
#define LEAST_PART 50

/* "start-up +23.3 ms" */
static const char *change(struct xs_diff *diff, const struct xs_diff_total *in)
{
	return xs_print(&diff->arena, "%s %s%s", in->name,
			in->change > 0 ? "+" : "", xs_units_ns(in->change).s);
}

static bool is_told(const struct xs_diff_total *in, int64_t most_ns)
{
	return in->change != XS_UNKNOWN && in->change != 0 &&
	       llabs(in->change) >= most_ns / LEAST_PART;
}

/* "start-up +23.3 ms, steady part -14.6 ms; of these pinning +12.0 ms,
 * unpinning +3.00 ms" */
static const char *parts(struct xs_diff *diff)
{
	const int64_t most_ns = llabs(diff->totals[0].change);
	const char *text = "", *joint = "; of these ";

	for (size_t i = 0; i < XS_DIFF_PARTS; i++)
		if (is_told(&diff->totals[i], most_ns))
			text = xs_print(&diff->arena, "%s%s%s", text,
					*text ? ", " : "",
					change(diff, &diff->totals[i]));
	XS_EACH(total, diff->totals, diff->total_count) {
		if (!*text || !strstr(total->name, "pinning") ||
		    !is_told(total, most_ns))
			continue;
		text = xs_print(&diff->arena, "%s%s%s", text, joint,
				change(diff, total));
		joint = ", ";
	}
	return text;
}

/* A saving is predicted of the program and of the rounds of before; one round
 * more or less at an end is the same work. */
static bool is_of_same_work(const struct xs_diff *diff)
{
	XS_EACH(phase, diff->phases, diff->phase_count) {
		if (phase->predicted &&
		    llabs(phase->after->rounds * phase->rounds_in_one -
			  phase->before->rounds) > 1 + phase->rounds_in_one)
			return false;
	}
	return !diff->different;
}

/* As the plan has it, whose range contains what differs between rounds, or the
 * table of strategies. */
static void add(struct xs_diff_saving *out, const struct xs_result *before,
		const struct xs_diff_phase *phase)
{
	struct xs_result_estimate row;

	if (!phase->predicted || phase->predicted->saves_ns == XS_UNKNOWN)
		return;
	row = xs_result_shown_row(before, phase->before, phase->predicted);
	XS_EACH(step, before->plan, before->plan_count) {
		if (step->estimate == phase->predicted &&
		    step->adds_saves_ns == row.saves_ns) {
			row.saves_low_ns = step->saves_low_ns;
			row.saves_high_ns = step->saves_high_ns;
		}
	}
	if (out->saves_ns == XS_UNKNOWN)
		*out = (struct xs_diff_saving){0};
	out->saves_ns += row.saves_ns;
	xs_number_add_known(&out->low_ns, row.saves_low_ns);
	xs_number_add_known(&out->high_ns, row.saves_high_ns);
	out->setup_ns += xs_number_or_zero(row.setup_ns);
}

/* "saves 10 ms (8-12 ms)", "takes 10 ms more": without a range that has both.
 */
static const char *effect(struct xs_diff *diff, int64_t saves_ns,
			  int64_t low_ns, int64_t high_ns)
{
	if (saves_ns >= 0)
		return xs_print(
		    &diff->arena, "saves %s",
		    xs_result_saving(&diff->arena, saves_ns, low_ns, high_ns));
	if (high_ns >= 0)
		low_ns = high_ns = saves_ns;
	return xs_print(&diff->arena, "takes %s more",
			xs_units_in_range_ns(-saves_ns, -high_ns, -low_ns).s);
}

static const char *text_of(struct xs_diff *diff)
{
	const struct xs_diff_saving *in = &diff->saving;
	const char *setup = "";

	if (in->setup_ns > 0)
		setup = xs_print(&diff->arena, ", with a setup of %s",
				 xs_units_ns(in->setup_ns).s);
	return xs_print(
	    &diff->arena,
	    "The run, predicted: %s%s; measured: %s, %s the "
	    "interval%s%s.",
	    effect(diff, in->saves_ns, in->low_ns, in->high_ns), setup,
	    effect(diff, in->measured_ns, in->measured_ns, in->measured_ns),
	    in->within ? "inside" : "outside",
	    in->within || !*diff->parts ? "" : ": ",
	    in->within ? "" : diff->parts);
}

void xs_diff_explain(struct xs_diff *diff)
{
	struct xs_diff_saving *out = &diff->saving;

	diff->parts = "";
	out->saves_ns = XS_UNKNOWN;
	for (size_t i = 0; i < XS_DIFF_PARTS; i++)
		if (diff->wall.change == XS_UNKNOWN && diff->totals[i].change)
			diff->totals[i].change = XS_UNKNOWN;
	if (diff->wall.change == XS_UNKNOWN)
		return;
	diff->parts = parts(diff);
	if (!is_of_same_work(diff))
		return;
	XS_EACH(phase, diff->phases, diff->phase_count) {
		add(out, diff->before, phase);
	}
	if (out->saves_ns == XS_UNKNOWN)
		return;
	out->measured_ns = -diff->wall.change;
	out->within =
	    out->low_ns <= out->measured_ns && out->measured_ns <= out->high_ns;
	out->text = text_of(diff);
}
