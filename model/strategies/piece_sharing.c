/* SPDX-License-Identifier: MIT */
#include "model/strategies/piece_sharing.h"

#include "model/strategies/piece_kernel.h"
#include "model/strategies/strategy.h"

#include <math.h>

/* How often a kernel reads each byte past the L1 caches, if pieces share. */
#define NEIGHBOUR_READS 1.2
#define SHARED_READS	4.0

/* NAN: not counted. */
static enum xs_sharing sharing_of(double times)
{
	if (times >= SHARED_READS)
		return XS_SHARE_ALL;
	return times >= NEIGHBOUR_READS ? XS_SHARE_NEIGHBOURS
					: XS_SHARE_NOTHING;
}

/* Returns how often each byte copied in is read. */
static double input_read_times(const struct xs_round_work *w)
{
	return w->stages[0].read_bytes / w->in_bytes;
}

enum xs_sharing xs_sharing_of_input(const struct xs_round_work *w, bool shares)
{
	const double times = input_read_times(w);

	if (isnan(times) && shares)
		return w->in_copies > 1 ? XS_SHARE_ALL : XS_SHARE_NEIGHBOURS;
	return sharing_of(times);
}

enum xs_sharing xs_sharing_of_stage(const struct xs_round_work *w, unsigned s)
{
	return sharing_of(w->stages[s].read_bytes /
			  fmax(w->stages[s - 1].written_bytes, w->in_bytes));
}

/* What becomes of copies that move parts of one array. outs: copies out, too.
 */
static void assume_parts(const struct xs_strategy_case *c, bool outs,
			 struct xs_estimate *row)
{
	const struct xs_round_work *w = &c->work;
	const uint64_t arrays = w->in_copies + (outs ? w->out_copies : 0);
	const uint64_t parts = w->in_parts + (outs ? w->out_parts : 0);
	const uint64_t copies =
	    c->phase->h2d_ops + (outs ? c->phase->d2h_ops : 0);

	if (parts > arrays)
		xs_estimate_assume(
		    row, "each stream copies its share of the parts that are "
			 "copied now: they are apart in host memory");
	else if (parts && parts < copies)
		xs_estimate_assume(
		    row, "each stream copies its piece in one call: the parts "
			 "that are copied now are adjacent in memory");
}

void xs_estimate_assume_pieces(const struct xs_strategy_case *c, bool outs,
			       struct xs_estimate *row)
{
	static const char *const needs[] = {
	    [XS_SHARE_NOTHING] =
		"a piece of the kernel needs only its own piece of the input",
	    [XS_SHARE_NEIGHBOURS] =
		"neighbouring pieces share input, as counted: each stream "
		"waits for the copy of the one before",
	    [XS_SHARE_ALL] =
		"all blocks share their input, as counted: only one of several "
		"copies in is cut, the others come first"};
	const enum xs_sharing sharing = xs_sharing_of_input(&c->work, false);
	const bool is_counted =
	    sharing != XS_SHARE_NOTHING || !isnan(input_read_times(&c->work));

	assume_parts(c, outs, row);
	if (c->work.slices)
		xs_estimate_assume(row,
				   "each kernel works on a part of the data: "
				   "none has the time to read half of it");
	if (is_counted)
		xs_estimate_assume(row, needs[sharing]);
	else
		xs_estimate_need(row, "a piece of the kernel needs no later "
				      "piece's input, or copies it along");
	xs_piece_kernel_assume(c, row);
}
