/* SPDX-License-Identifier: MIT */
#include "report/result/shown_row.h"

#include "report/result/best.h"
#include "report/result/number.h"

#include <stdlib.h>

/* By how much the row's round is shorter than what the run counts of it: only
 * time in which data moves or the host waits is saved. */
static int64_t uncounted_ns(const struct xs_result_phase *phase,
			    const struct xs_result_estimate *row)
{
	const int64_t now_ns = xs_result_untraced_ns(phase);
	const double setup_ns = row->setup_ns > 0 ? (double)row->setup_ns : 0;
	int64_t ns;

	if (row->saves_ns == XS_UNKNOWN || row->round_ns >= now_ns)
		return 0;
	ns = now_ns - row->round_ns -
	     xs_number_round(((double)row->saves_ns + setup_ns) /
			     xs_result_of_run(phase, 1));
	return ns > 0 ? ns : 0;
}

/* A round that differs by less than 1 / SAME_PRINTED_PART is printed as the
 * same. */
#define SAME_PRINTED_PART 500

/* The row's range as that of its step, or of one: of this run. That of the
 * round as it is stays that of other runs. */
static void set_range(const struct xs_result *result,
		      const struct xs_result_estimate *row,
		      struct xs_result_estimate *out)
{
	const double round_ns = (double)row->round_ns;

	if (row->effort_level <= 0 || row->round_ns == XS_UNKNOWN ||
	    row->low_ns == XS_UNKNOWN || row->high_ns == XS_UNKNOWN)
		return;
	out->low_ns =
	    xs_number_round(xs_result_round_end_ns(row, round_ns, true));
	out->high_ns =
	    xs_number_round(xs_result_round_end_ns(row, round_ns, false));
	XS_EACH(step, result->plan, result->plan_count) {
		if (step->estimate != row ||
		    llabs(step->round_ns - row->round_ns) >
			row->round_ns / SAME_PRINTED_PART)
			continue;
		out->low_ns = step->round_low_ns;
		out->high_ns = step->round_high_ns;
	}
}

/* What is left of a saving of the row, or of an end of its range: the most is
 * of the steady part alone. */
static int64_t gain_ns(const struct xs_result *result,
		       const struct xs_result_phase *phase, int64_t saves_ns)
{
	return phase->apart ? saves_ns : xs_result_capped_ns(result, saves_ns);
}

struct xs_result_estimate
xs_result_shown_row(const struct xs_result *result,
		    const struct xs_result_phase *phase,
		    const struct xs_result_estimate *row)
{
	const int64_t gain = gain_ns(result, phase, row->saves_ns);
	const int64_t uncounted = uncounted_ns(phase, row);
	const int64_t between_ns = xs_result_used_between_ns(phase);
	const int64_t ns = uncounted + between_ns;
	struct xs_result_estimate out = *row;

	set_range(result, row, &out);
	if (ns && row->round_ns != XS_UNKNOWN)
		xs_number_add(&out.round_ns, ns);
	if (ns && row->low_ns != XS_UNKNOWN && row->high_ns != XS_UNKNOWN) {
		xs_number_add(&out.low_ns, ns);
		xs_number_add(&out.high_ns, ns);
	}
	if (uncounted)
		out.speedup *= (double)(row->round_ns + between_ns) /
			       (double)(row->round_ns + ns);
	out.saves_ns =
	    row->effort_level <= 0 && !result->machine_choice.other_gpu ? 0
									: gain;
	out.saves_low_ns = gain_ns(result, phase, row->saves_low_ns);
	out.saves_high_ns = gain_ns(result, phase, row->saves_high_ns);
	return out;
}
