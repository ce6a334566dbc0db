/* SPDX-License-Identifier: MIT */
/* What rows assume and need, and the reason that they give without it. */
#include "model/strategies/strategy.h"

#include <math.h>
#include <stdarg.h>

void xs_estimate_assume(struct xs_estimate *row, const char *text)
{
	for (size_t i = 0; i + 1 < XS_ASSUMES_MAX; i++) {
		if (!row->assumes[i]) {
			row->assumes[i] = text;
			return;
		}
	}
}

void xs_estimate_need(struct xs_estimate *row, const char *text)
{
	if (!row->needs)
		row->needs = text;
	xs_estimate_assume(row, text);
}

bool xs_abstain_if(bool when, struct xs_estimate *row, struct xs_estimates *out,
		   const char *why, ...)
{
	va_list args;

	if (!when)
		return false;
	va_start(args, why);
	vsnprintf(row->why, sizeof(row->why), why, args);
	va_end(args);
	row->setup_ns = 0;
	xs_estimates_add(out, row);
	return true;
}

#define TEXT(number)	TEXT_OF(number)
#define TEXT_OF(number) #number

/* The first need that the phase does not meet, in words; NULL: all are met. */
static const char *unmet(const struct xs_strategy_case *c)
{
	const struct xs_round_work *w = &c->work;
	const unsigned needs = c->strategy->needs;

	if ((needs & (XS_NEEDS_STEPS | XS_NEEDS_COPIES)) &&
	    !c->phase->step_count)
		return "its rounds have no GPU work, or more than " TEXT(
		    XS_STEPS_MOST) " ops and calls without an op";
	if ((needs & XS_NEEDS_COPIES) && !w->in_copies && !w->out_copies)
		return "nothing is copied between host and device";
	if ((needs & XS_NEEDS_GPU_TIMES) &&
	    (!c->phase->step_count || w->unseen))
		return "the GPU's own times are not in the trace";
	if ((needs & XS_NEEDS_UNMANAGED) && w->managed)
		return "managed memory moves by page, not by copy";
	if ((needs & XS_NEEDS_KERNEL) && !w->kernels)
		return "no kernel to overlap with";
	return NULL;
}

bool xs_abstain_if_chain(bool when, const struct xs_strategy_case *c,
			 struct xs_estimate *row, struct xs_estimates *out)
{
	return xs_abstain_if(
	    when, row, out,
	    "%u kernels use each other's results: the trace does not show "
	    "which of them reads or writes what",
	    c->work.kernels);
}

bool xs_abstain_without_needs(const struct xs_strategy_case *c,
			      struct xs_estimate *row, struct xs_estimates *out)
{
	const char *why = unmet(c);
	const bool one_stage = c->strategy->needs & XS_NEEDS_ONE_STAGE;

	return xs_abstain_if(why, row, out, "%s", why) ||
	       xs_abstain_if_chain(one_stage && c->work.stage_count != 1, c,
				   row, out);
}

bool xs_abstain_if_unknown(struct xs_estimate *row, const char *name,
			   double value, struct xs_estimates *out)
{
	row->unmeasured |= isnan(value);
	return xs_abstain_if(
	    isnan(value), row, out,
	    "the profile lacks %s; `xferspy calibrate` measures it", name);
}

bool xs_abstain_without_copy_rates(const struct xs_strategy_case *c,
				   struct xs_estimate *row,
				   struct xs_estimates *out)
{
	const struct xs_machine *m = c->machine;

	if (!(c->strategy->needs & XS_NEEDS_COPY_RATES))
		return false;
	return xs_abstain_if_unknown(row, XS_NAME_LO, m->lo_h2d_ns.value,
				     out) ||
	       xs_abstain_if_unknown(row, XS_NAME_LO, m->lo_d2h_ns.value,
				     out) ||
	       xs_abstain_if_unknown(row, XS_NAME_G, m->G_h2d.value, out) ||
	       xs_abstain_if_unknown(row, XS_NAME_G, m->G_d2h.value, out);
}
