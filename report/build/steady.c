/* SPDX-License-Identifier: MIT */
#include "report/build/steady.h"

#include "model/formulas/estimates.h"

#include <math.h>

/* Rounds from which a phase counts as repeated, or calls of one site in its
 * only round: a loop without a synchronisation is one round. */
#define REPEATED_ROUNDS 2
#define REPEATED_CALLS	3

/* A phase of so few rounds, and less than LEAST_PERCENT of the GPU's time of
 * all repeated phases, is done once, such as tuning. */
#define FEW_ROUNDS 3

/* One with less than this percentage of the time of the others does not move
 * the ends of the steady part. */
#define LEAST_PERCENT 5

/* Tuning tries several kernels: none takes 1 / MOST_TRIED of the time of all,
 * nor MOST_TUNING times as long as the program runs those that it repeats then.
 * The figures are 1 / 7 and 3 in a JAX program of ten steps. */
#define MOST_TRIED  2
#define MOST_TUNING 5

/* A first round that takes this many times as long as the median one warms up.
 */
#define WARM_UP 2

/* Rounds go on if counting begins within so many of the longest after the last
 * one: a round is still at work when counting begins. */
#define GOES_ON_ROUNDS 2

/* Counted calls of a range: few next to 1 / COUNTED_PART of those recorded. */
#define COUNTED_PART 100

/* So many times the phases that are estimated at least are looked at. */
#define FARTHEST 10

/* All other phases together are at most 1 / OTHERS_PART of the only one. */
#define OTHERS_PART 20

/* Whether kernels, or else copies, of one site repeat in a single round. */
static bool repeats_inside(const struct xs_phase *phase)
{
	XS_EACH(site, phase->sites, phase->site_count) {
		if (site->calls >= REPEATED_CALLS &&
		    (site->step_kind == XS_STEP_KERNEL ||
		     (!phase->kernel_ops && (site->step_kind == XS_STEP_H2D ||
					     site->step_kind == XS_STEP_D2H))))
			return true;
	}
	return false;
}

/* Ops of a round that count for the steady part: kernels, if wanted. */
static double ops_of(const struct xs_phase *phase, bool kernels)
{
	return (double)(kernels ? phase->kernel_ops
				: phase->h2d_ops + phase->d2h_ops);
}

/* Ops in phases of several rounds. */
static double repeated_ops(const struct xs_phases *phases, bool kernels)
{
	double ops = 0;

	for (size_t i = 0; i < phases->count; i++)
		if (phases->items[i].rounds >= REPEATED_ROUNDS)
			ops += ops_of(&phases->items[i], kernels) *
			       (double)phases->items[i].rounds;
	return ops;
}

static bool is_beside(const struct xs_phase *phase, const struct xs_phase *once)
{
	return once && once != phase &&
	       once->first_start_ns <= phase->first_start_ns &&
	       once->last_end_ns >= phase->last_end_ns;
}

static double kernels_ns_of(const struct xs_phase *phase)
{
	return (double)phase->rounds * (double)phase->kernel_ns.median_ns;
}

/* Whether a single round leaves the GPU idle, as compiling does, and rounds
 * beside it try kernels of those that repeat elsewhere. */
static bool is_tuning(const struct xs_phases *phases,
		      const struct xs_phase *once)
{
	double most_ns = 0, beside_ns = 0, others_ns = 0;

	XS_EACH(phase, phases->items, phases->count) {
		const double ns =
		    phase->rounds > FEW_ROUNDS ? kernels_ns_of(phase) : 0;

		if (!is_beside(phase, once)) {
			others_ns += ns;
			continue;
		}
		beside_ns += ns;
		most_ns = fmax(most_ns, ns);
	}
	return kernels_ns_of(once) <
		   (double)once->total_ns * LEAST_PERCENT / 100 &&
	       most_ns * MOST_TRIED < beside_ns &&
	       most_ns < others_ns * MOST_TUNING;
}

/* Returns the longest phase of a single round that ends before the last
 * repeated phase begins, if rounds beside it are tuning, or NULL. Phases are
 * sorted by decreasing time. */
static const struct xs_phase *longest_compiling(const struct xs_phases *phases)
{
	uint64_t last_ns = 0;

	XS_EACH(phase, phases->items, phases->count)
		if (phase->rounds > FEW_ROUNDS &&
		    phase->first_start_ns > last_ns)
			last_ns = phase->first_start_ns;
	XS_EACH(phase, phases->items, phases->count)
		if (phase->rounds < REPEATED_ROUNDS &&
		    phase->last_end_ns <= last_ns)
			return is_tuning(phases, phase) ? phase : NULL;
	return NULL;
}

/* A single round is a loop without synchronisations if it has at least as many
 * ops as all repeated rounds; otherwise it warms them up. Rounds beside `once`
 * are done once, too: other threads tune kernels while the program compiles
 * them. */
static bool is_repeated(const struct xs_phase *phase,
			const struct xs_phase *once, bool kernels,
			double others_ops)
{
	if ((kernels && !phase->kernel_ops) || is_beside(phase, once))
		return false;
	return phase->rounds >= REPEATED_ROUNDS ||
	       (repeats_inside(phase) && ops_of(phase, kernels) >= others_ops);
}

uint64_t xs_steady_warm_up_ns(const struct xs_phase *phase)
{
	const uint64_t first_ns = phase->first_end_ns - phase->first_start_ns;

	return phase->rounds >= REPEATED_ROUNDS &&
		       first_ns / WARM_UP > phase->round_ns.median_ns
		   ? first_ns
		   : 0;
}

/* Where the phase's rounds become steady: behind the first one, if it warms up.
 */
static uint64_t begin_of(const struct xs_phase *phase)
{
	return phase->first_start_ns + xs_steady_warm_up_ns(phase);
}

static double gpu_ns_of(const struct xs_phase *phase)
{
	return (double)phase->rounds *
	       (double)(phase->h2d_ns.median_ns + phase->kernel_ns.median_ns +
			phase->d2h_ns.median_ns);
}

/* Whether the phase is repeated, and not done once. repeated_gpu_ns: of all
 * repeated phases. */
static bool is_steady(const struct xs_phase *phase, const struct xs_phase *once,
		      bool kernels, double others_ops, double repeated_gpu_ns)
{
	return is_repeated(phase, once, kernels, others_ops) &&
	       (phase->rounds > FEW_ROUNDS ||
		gpu_ns_of(phase) >= repeated_gpu_ns * LEAST_PERCENT / 100);
}

static void cover(const struct xs_phase *phase, struct xs_steady *out)
{
	if (!out->repeats || begin_of(phase) < out->span.from_ns)
		out->span.from_ns = begin_of(phase);
	if (!out->repeats || phase->last_end_ns > out->span.to_ns)
		out->span.to_ns = phase->last_end_ns;
	if (phase->round_ns.median_ns > out->longest_ns)
		out->longest_ns = phase->round_ns.median_ns;
	out->repeats = true;
}

/* Widens the span to the steady phases: those with kernels, if wanted. */
static void cover_steady(const struct xs_phases *phases, bool kernels,
			 struct xs_steady *out)
{
	const struct xs_phase *once = longest_compiling(phases);
	const double ops = repeated_ops(phases, kernels);
	double gpu_ns = 0, all_ns = 0, longest_ns = 0, least_ns;

	XS_EACH(phase, phases->items, phases->count)
		if (is_repeated(phase, once, kernels, ops))
			gpu_ns += gpu_ns_of(phase);
	XS_EACH(phase, phases->items, phases->count) {
		if (!is_steady(phase, once, kernels, ops, gpu_ns))
			continue;
		all_ns += (double)phase->total_ns;
		longest_ns = fmax(longest_ns, (double)phase->total_ns);
	}
	least_ns = all_ns * LEAST_PERCENT / 100;
	/* of many phases, such as of sequences of many lengths, each is short
	 */
	if (longest_ns < least_ns)
		least_ns = 0;
	XS_EACH(phase, phases->items, phases->count)
		if (is_steady(phase, once, kernels, ops, gpu_ns) &&
		    (double)phase->total_ns >= least_ns)
			cover(phase, out);
}

/*
 * If calls were only counted after the last recorded ones, and rounds repeated
 * until then, they are taken to go on until counting ended.
 */
static void follow_counting(const struct xs_trace *trace, struct xs_steady *out)
{
	uint64_t end_ns;

	if (!out->repeats || !trace->counted_ns || !trace->window_count)
		return;
	end_ns = trace->windows[trace->window_count - 1].end_ns;
	if (end_ns <= out->span.to_ns + GOES_ON_ROUNDS * out->longest_ns)
		out->span.to_ns = end_ns + trace->counted_ns;
}

bool xs_steady_has(const struct xs_steady *steady, const struct xs_phase *phase)
{
	return !steady->repeats || (phase->last_end_ns > steady->span.from_ns &&
				    phase->first_start_ns < steady->span.to_ns);
}

size_t xs_steady_reach(const struct xs_steady *steady,
		       const struct xs_phases *phases, size_t least)
{
	for (size_t i = 0; i < phases->count && i < least * FARTHEST; i++)
		if (xs_steady_has(steady, &phases->items[i]))
			return i < least ? least : i + 1;
	return least;
}

/* The phase's rounds, but those that the range cuts. */
static uint64_t whole_rounds(const struct xs_steady *steady,
			     const struct xs_phase *phase)
{
	return steady->is_cut ? phase->recorded_rounds : phase->rounds;
}

double xs_steady_outside(const struct xs_steady *steady,
			 const struct xs_phase *phase)
{
	const struct xs_run_span all = {begin_of(phase), phase->last_end_ns};
	const struct xs_run_span in = {
	    all.from_ns > steady->span.from_ns ? all.from_ns
					       : steady->span.from_ns,
	    all.to_ns < steady->span.to_ns ? all.to_ns : steady->span.to_ns};

	if (!steady->repeats || in.to_ns <= in.from_ns)
		return 0;
	return 1 - (double)(in.to_ns - in.from_ns) /
		       (double)(all.to_ns - all.from_ns) *
		       (double)whole_rounds(steady, phase) /
		       (double)phase->rounds;
}

/* Rounds of the phase in the steady part; 0 if it has others, too, or if they
 * ran side by side, so that the time of one is no part of the steady part. */
static uint64_t rounds_of(const struct xs_steady *steady,
			  const struct xs_phase *phase)
{
	const uint64_t begin_ns = begin_of(phase);

	if (begin_ns < steady->span.from_ns ||
	    phase->last_end_ns > steady->span.to_ns ||
	    xs_rounds_are_concurrent((double)phase->concurrent_ns,
				     (double)phase->total_ns))
		return 0;
	return whole_rounds(steady, phase) - (begin_ns > phase->first_start_ns);
}

static void find_phase(const struct xs_phases *phases, struct xs_steady *out)
{
	double others_ns = 0;

	for (size_t i = 0; i < phases->count; i++) {
		const struct xs_phase *phase = &phases->items[i];

		if (!xs_steady_has(out, phase))
			continue;
		if (!out->phase && phase->rounds >= REPEATED_ROUNDS)
			out->phase = phase;
		else
			others_ns += (double)phase->wall_ns;
	}
	if (out->phase &&
	    (!out->phase->wall_ns ||
	     others_ns * OTHERS_PART > (double)out->phase->wall_ns))
		out->phase = NULL;
	if (out->phase)
		out->rounds = rounds_of(out, out->phase);
}

/* Whether the range alone left calls out: hardly any was counted. */
static bool is_cut(const struct xs_trace *trace)
{
	uint64_t counted = 0;

	for (size_t i = 0; i < trace->tally_count; i++)
		counted += trace->tallies[i].calls;
	return trace->ignored_ns && !trace->skipped &&
	       counted <= trace->call_count / COUNTED_PART;
}

/* Loading data is often repeated, too, but has no kernels. */
void xs_steady_find(const struct xs_trace *trace,
		    const struct xs_phases *phases, struct xs_steady *out)
{
	*out = (struct xs_steady){.is_cut = is_cut(trace)};
	cover_steady(phases, true, out);
	if (!out->repeats && trace->header.state != XS_FILE_RUNNING)
		cover_steady(phases, false, out);
	follow_counting(trace, out);
	if (!out->repeats)
		out->span = (struct xs_run_span){
		    trace->startup.ns ? trace->startup.end_ns : trace->begin_ns,
		    trace->end_ns};
	else
		find_phase(phases, out);
}
