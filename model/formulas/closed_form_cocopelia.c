/* SPDX-License-Identifier: MIT */
/* Streams by the three-way pipeline of CoCoPeLia (ISPASS 2021). */
#include "model/formulas/closed_forms.h"

#include "model/formulas/cocopelia.h"
#include "model/machine/range_end.h"

#include <math.h>
#include <stdio.h>

/* Returns the paper's parameters: t_l is L+o, t_b is G, and sl the ratio of G
 * with both directions busy to G. */
static struct xs_cocopelia_machine machine_at(const struct xs_closed_form *c,
					      enum xs_range_end side)
{
	const struct xs_machine m = xs_machine_at(c->machine, side);

	return (struct xs_cocopelia_machine){
	    {m.lo_h2d_ns.value, m.G_h2d.value,
	     m.G_both_h2d.value / m.G_h2d.value},
	    {m.lo_d2h_ns.value, m.G_d2h.value,
	     m.G_both_d2h.value / m.G_d2h.value}};
}

static double time_at(const struct xs_closed_form *c, enum xs_range_end side,
		      unsigned n)
{
	const struct xs_cocopelia_machine m = machine_at(c, side);
	const struct xs_cocopelia_load load = {
	    c->work.h2d_bytes, c->work.d2h_bytes, c->work.kernel_ns};

	return xs_cocopelia_ns(&m, &load, n) + c->extra_ns;
}

static bool is_known(const struct xs_closed_form *c)
{
	const struct xs_cocopelia_machine m = machine_at(c, XS_RANGE_VALUE);

	return isfinite(m.in.latency_ns + m.in.slowdown + m.out.latency_ns +
			m.out.slowdown);
}

/* The paper searches its tile sizes; this is the search over n. */
static unsigned best_n(const struct xs_closed_form *c)
{
	unsigned best = 1;

	for (unsigned n = 2; n <= XS_VW_STREAMS_MAX; n++)
		if (time_at(c, XS_RANGE_VALUE, n) <
		    time_at(c, XS_RANGE_VALUE, best))
			best = n;
	return best;
}

/* Three-way overlap needs a copy engine for each direction; no bytes, no
 * pieces. A machine that lacks L+o or G is explained by equation 5. */
static void add(const struct xs_closed_form *c, unsigned n,
		struct xs_estimates *out)
{
	struct xs_estimate row =
	    xs_closed_form_row("streams", "cocopelia2021-3way");

	if (c->machine->copy_engines < 2 || !isnan(c->work.h2d_ns) ||
	    !isnan(c->work.d2h_ns) || !is_known(c))
		return;
	row.n_streams = n ? n : best_n(c);
	row.effort = XS_EFFORT_SPLIT;
	row.assumes[0] = xs_closed_form_split;
	row.assumes[1] = "the host's calls take no time";
	row.low_ns = time_at(c, XS_RANGE_LOW, row.n_streams);
	row.high_ns = time_at(c, XS_RANGE_HIGH, row.n_streams);
	row.round_ns = time_at(c, XS_RANGE_VALUE, row.n_streams);
	row.applies = true;
	snprintf(row.why, sizeof(row.why),
		 "the longer of a piece's kernel and of its copies against "
		 "each other, n - 1 times, and one piece alone");
	xs_estimates_add(out, &row);
}

const struct xs_closed_form_kind xs_closed_form_cocopelia = {"streams", add};
