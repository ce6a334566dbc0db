/* SPDX-License-Identifier: MIT */
#include "report/diff/gate.h"

#include "report/diff/spread.h"

#include <math.h>
#include <stdio.h>

enum xs_gate xs_diff_gate(const struct xs_diff *diff, double limit_percent)
{
	const struct xs_diff_side *before = &diff->before_side;
	const struct xs_diff_side *after = &diff->after_side;
	size_t beyond;

	if (isnan(diff->change_percent) || diff->shared)
		return XS_GATE_UNKNOWN;
	beyond = xs_spread_above(diff->wall.before_runs, before->count,
				 diff->wall.after_runs, after->count,
				 1 + limit_percent / 100);
	if (xs_spread_nearly_all(beyond, before->count, after->count))
		return XS_GATE_EXCEEDED;
	if (diff->different && !diff->allow_different)
		return XS_GATE_DIFFERENT;
	return xs_spread_nearly_all(before->count * after->count - beyond,
				    before->count, after->count)
		   ? XS_GATE_KEPT
		   : XS_GATE_NOISY;
}

const char *xs_gate_name(enum xs_gate answer)
{
	static const char *const names[] = {"kept", "exceeded", "too noisy",
					    "different", NULL};

	return names[answer];
}

bool xs_gate_is_single(const struct xs_diff *diff)
{
	return diff->before_side.count < 3 || diff->after_side.count < 3;
}

struct xs_gate_text xs_gate_text(enum xs_gate answer, double limit_percent,
				 bool is_single)
{
	static const char *const texts[] = {
	    "is kept", "is exceeded",
	    "may be kept or not: the runs spread too much to tell",
	    "is meant for one program and input on one GPU",
	    "is not looked at"};
	struct xs_gate_text out;

	snprintf(out.s, sizeof(out.s),
		 "The limit of %g %% (--fail-above) %s%s.", limit_percent,
		 texts[answer],
		 is_single && answer == XS_GATE_KEPT
		     ? "; three runs of each tell noise apart"
		     : "");
	return out;
}
