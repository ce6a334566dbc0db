/* SPDX-License-Identifier: MIT */
/* Chooses between copies, streams, mapped memory and hybrid. */
#include "report/formulas/choice.h"

#include "model/formulas/closed_form.h"
#include "report/result/number.h"

#include <math.h>
#include <string.h>

static bool is_of(const struct xs_estimate *row, const char *strategy,
		  const char *paper)
{
	return row->applies && strcmp(row->strategy, strategy) == 0 &&
	       strncmp(row->model, paper, strlen(paper)) == 0;
}

/* Returns the fastest row of a strategy from one paper, or NULL. */
static const struct xs_estimate *fastest(const struct xs_estimates *list,
					 const char *strategy,
					 const char *paper)
{
	const struct xs_estimate *best = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (is_of(&list->items[i], strategy, paper) &&
		    (!best || list->items[i].round_ns < best->round_ns))
			best = &list->items[i];
	return best;
}

/* Returns the row of the first of these that applies: equation 5 with what was
 * measured of copies both ways, van Werkhoven's equations, Gomez-Luna's. */
static const struct xs_estimate *streams_row(const struct xs_estimates *list)
{
	static const char *const models[] = {
	    "vanwerkhoven2014-eq5-both-Gg", "vanwerkhoven2014-eq5-both-G",
	    "vanwerkhoven2014", "gomezluna2011"};
	const struct xs_estimate *row = NULL;

	for (size_t i = 0; !row && i < sizeof(models) / sizeof(models[0]); i++)
		row = fastest(list, "streams", models[i]);
	return row;
}

/* The load for equation 6, each byte as often as given, else once: at mapped
 * rates if the profile has them, otherwise at copy rates. */
static struct xs_vw_load mapped_load(const struct xs_workload *work,
				     const struct xs_machine *m, bool *measured)
{
	const bool both = work->h2d_bytes > 0 && work->d2h_bytes > 0;
	const double in_times = xs_vw_or_once(work->h2d_crossings);
	const double out_times = xs_vw_or_once(work->d2h_crossings);
	const double in = xs_vw_transfer_ns(NAN, in_times * work->h2d_bytes,
					    both ? m->mapped_both_read.value
						 : m->mapped_read.value);
	const double out = xs_vw_transfer_ns(NAN, out_times * work->d2h_bytes,
					     both ? m->mapped_both_write.value
						  : m->mapped_write.value);

	*measured = isnan(work->h2d_ns) && isnan(work->d2h_ns) &&
		    isfinite(in + out) && in + out > 0;
	if (*measured)
		return (struct xs_vw_load){in, out, work->kernel_ns};
	return (struct xs_vw_load){
	    in_times * xs_vw_transfer_ns(work->h2d_ns, work->h2d_bytes,
					 m->G_h2d.value),
	    out_times * xs_vw_transfer_ns(work->d2h_ns, work->d2h_bytes,
					  m->G_d2h.value),
	    work->kernel_ns};
}

/* Evaluates equation 6, and how often each byte may cross the link before
 * mapped memory takes as long as best_ns. */
static void choose_mapped(const struct xs_workload *work,
			  const struct xs_machine *m,
			  struct xs_formulas_choice *out)
{
	const struct xs_vw_params params = {.lo_in_ns = m->lo_h2d_ns.value,
					    .lo_out_ns = m->lo_d2h_ns.value};
	const struct xs_vw_load load =
	    mapped_load(work, m, &out->mapped_measured);
	const double latency = params.lo_in_ns + params.lo_out_ns;

	if (isnan(load.in_ns + load.out_ns)) /* fmax ignores NAN */
		return;
	out->mapped_ns = xs_number_round(xs_vw_eq6_ns(&params, &load));
	out->crossings_given =
	    work->h2d_crossings > 0 || work->d2h_crossings > 0;
	if (out->best_ns != XS_UNKNOWN && !out->crossings_given)
		out->crossings = ((double)out->best_ns - latency) /
				 fmax(load.in_ns, load.out_ns);
}

static struct xs_formulas_choice choose(const struct xs_workload *work,
					const struct xs_machine *machine,
					const struct xs_estimates *list)
{
	const struct xs_estimate *copies =
	    fastest(list, "pinned", "vanwerkhoven2014");
	const struct xs_estimate *streams = streams_row(list);
	const struct xs_estimate *hybrid =
	    fastest(list, "hybrid", "vanwerkhoven2014");
	const struct xs_estimate *best = copies;
	struct xs_formulas_choice out = XS_FORMULAS_NO_CHOICE;

	if (streams && (!copies || streams->round_ns < copies->round_ns))
		best = streams;
	if (copies)
		out.explicit_ns = xs_number_round(copies->round_ns);
	if (hybrid)
		out.hybrid_ns = xs_number_round(hybrid->round_ns);
	if (best) {
		out.best_ns = xs_number_round(best->round_ns);
		out.model = best->model;
		if (best->n_streams > 1)
			out.streams = best->n_streams;
	}
	choose_mapped(work, machine, &out);
	return out;
}

int xs_formulas_choose(const struct xs_workload *work,
		       const struct xs_machine *machine, unsigned n,
		       struct xs_formulas_choice *out)
{
	const struct xs_model_options how = {.streams = n};
	struct xs_estimates list = {0};
	int err = xs_model_workload(work, machine, &how, &list);

	*out = choose(work, machine, &list);
	xs_estimates_free(&list);
	return err;
}

static struct xs_machine with_faster_link(const struct xs_machine *machine)
{
	struct xs_machine out = *machine;
	struct xs_param *const rates[] = {&out.G_h2d,
					  &out.G_d2h,
					  &out.G_both_h2d,
					  &out.G_both_d2h,
					  &out.mapped_write_vs_h2d,
					  &out.h2d_vs_mapped_write};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		rates[i]->value /= 2;
	return out;
}

int xs_formulas_try_faster(const struct xs_workload *work,
			   struct xs_formulas_result *out)
{
	const struct xs_machine link = with_faster_link(&out->machine);
	struct xs_workload less = *work;
	struct xs_formulas_choice choice = XS_FORMULAS_NO_CHOICE;
	int err;

	less.h2d_ns /= 2;
	less.d2h_ns /= 2;
	err = xs_formulas_choose(&less, &link, 0, &choice);
	out->faster_link_ns = choice.best_ns;
	less = *work;
	less.kernel_ns /= 2;
	if (!err)
		err = xs_formulas_choose(&less, &out->machine, 0, &choice);
	out->faster_gpu_ns = choice.best_ns;
	out->few_streams = out->choice.streams;
	for (unsigned n = 2; !err && n < out->choice.streams; n++) {
		err = xs_formulas_choose(work, &out->machine, n, &choice);
		if (choice.streams != n ||
		    choice.best_ns > out->choice.best_ns / 100.0 * 101)
			continue;
		out->few_streams = n;
		break;
	}
	return err;
}
