/* SPDX-License-Identifier: MIT */
/*
 * The advice of a strategy as a sentence: the text of its descriptor, with the
 * figures of the phase and of the estimate filled in.
 */
#include "report/plan/advice_text.h"

#include "model/replay/recorded_plan.h"
#include "model/strategies/strategies.h"
#include "report/plan/phase_estimate.h"
#include "report/result/best.h"
#include "report/result/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_step(const struct xs_result_site *site, const char *step)
{
	return strcmp(site->step, step) == 0;
}

/* Returns whether the site copies, and at least so many copies of a round go
 * its way. */
static bool is_copy(const struct xs_result_phase *phase,
		    const struct xs_result_site *site, int64_t least)
{
	return (is_step(site, "h2d") && phase->h2d_ops >= least) ||
	       (is_step(site, "d2h") && phase->d2h_ops >= least);
}

static bool is_small(const struct xs_result_phase *phase,
		     const struct xs_result_site *site)
{
	const double bytes = (double)(phase->h2d_bytes + phase->d2h_bytes) *
			     (double)phase->rounds;

	return site->bytes / XS_SMALL_COPY_BYTES < site->calls &&
	       (double)site->bytes < bytes / XS_SMALL_COPY_PART;
}

/* Whether only the copies in of the next round go ahead: kernels stay in order.
 */
static bool copies_ahead(const struct xs_strategy *strategy,
			 const struct xs_result_estimate *estimate)
{
	const unsigned changes = XS_CHANGES_ORDER | XS_CHANGES_HOST;

	return estimate->other_advice &&
	       (strategy->changes & changes) == changes;
}

bool xs_advice_is_about(const struct xs_result_phase *phase,
			const struct xs_result_estimate *estimate,
			const struct xs_result_site *site)
{
	const struct xs_strategy *strategy =
	    xs_strategy_find(estimate->strategy);

	if (strategy && strategy->changes_allocations)
		return is_step(site, "allocate") || is_step(site, "free");
	if (strategy &&
	    (strategy->changes_inputs || copies_ahead(strategy, estimate)))
		return is_step(site, "h2d");
	if (strategy && strategy->changes_launches && is_step(site, "kernel"))
		return true;
	/* launches alone: copies are left as they are */
	if (strategy && strategy->changes == XS_CHANGES_LAUNCHES)
		return false;
	if (strategy && strategy->changes == XS_CHANGES_PINNING &&
	    is_small(phase, site))
		return false;
	return is_copy(phase, site, strategy ? strategy->least_copies : 0);
}

/* By the line, or by the call, its function and its address. */
static int by_place(const void *a, const void *b)
{
	const struct xs_result_site *left = *(struct xs_result_site *const *)a;
	const struct xs_result_site *right = *(struct xs_result_site *const *)b;
	int order = strcmp(left->file ? left->file : "",
			   right->file ? right->file : "");

	if (!order)
		order = (left->line > right->line) - (left->line < right->line);
	if (!order && left->line == XS_UNKNOWN)
		order = strcmp(left->call ? left->call : "",
			       right->call ? right->call : "");
	if (!order && left->line == XS_UNKNOWN)
		order = strcmp(left->function ? left->function : "",
			       right->function ? right->function : "");
	return order ? order
		     : (left->offset > right->offset) -
			   (left->offset < right->offset);
}

/* Sets *count sites that the estimate's strategy changes, in the order of their
 * places. */
static const struct xs_result_site **
ordered(struct xs_arena *arena, const struct xs_result_phase *phase,
	const struct xs_result_estimate *estimate, size_t *count)
{
	const struct xs_result_site **sites =
	    xs_arena_alloc(arena, phase->site_count, sizeof(*sites));

	*count = 0;
	XS_EACH(site, phase->sites, phase->site_count)
		if (xs_advice_is_about(phase, estimate, site))
			sites[(*count)++] = site;
	if (*count)
		qsort(sites, *count, sizeof(*sites), by_place);
	return sites;
}

/* Returns " without its copy" if the line of launches that change has a copy
 * that stays as it is; else "". */
static const char *without_copy(const struct xs_result_phase *phase,
				const struct xs_result_estimate *estimate,
				const struct xs_result_site *site)
{
	for (size_t i = 0; is_step(site, "kernel") && i < phase->site_count;
	     i++)
		if (is_copy(phase, &phase->sites[i], 0) &&
		    xs_result_same_line(&phase->sites[i], site) &&
		    !xs_advice_is_about(phase, estimate, &phase->sites[i]))
			return " without its copy";
	return "";
}

const char *xs_advice_places(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate)
{
	size_t count;
	const struct xs_result_site **sites =
	    ordered(arena, phase, estimate, &count);
	const char *list = NULL, *function = NULL, *last = "";
	bool differ = false; /* places are in several functions */

	for (size_t i = 0; i < count; i++) {
		const char *label = xs_result_site_label(arena, sites[i]);
		const char *before = function;

		if (!label || strcmp(label, last) == 0)
			continue;
		last = label;
		list = xs_print(arena, "%s%s",
				xs_result_add_label(arena, list, label),
				without_copy(phase, estimate, sites[i]));
		/* a label without a line contains the function */
		if (!sites[i]->function || sites[i]->line == XS_UNKNOWN)
			continue;
		function = xs_result_function_name(arena, sites[i]->function);
		differ |= before && function && strcmp(before, function) != 0;
	}
	if (list && function && !differ)
		list = xs_print(arena, "%s (in %s)", list, function);
	return list ? list : "this phase";
}

static const char *pin_first(const struct xs_result_phase *phase)
{
	return xs_result_is_pageable(phase) ? " from pinned buffers" : "";
}

/* " It takes 64 MiB more of the device's memory; at most 76 GiB are free." */
static const char *buffers(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate)
{
	const char *of = "";

	if (phase->free_bytes != XS_UNKNOWN)
		of = xs_print(arena, "; at most %s are free",
			      xs_units_bytes(phase->free_bytes).s);
	return estimate->more_bytes <= 0
		   ? ""
		   : xs_print(arena,
			      " It takes %s more of the device's memory%s.",
			      xs_units_bytes(estimate->more_bytes).s, of);
}

/* "Leave out the host's waits between kernels, ... " or "" */
static const char *no_waits(struct xs_arena *arena,
			    const struct xs_result_phase *phase)
{
	const char *places = phase->kernel_wait_places;

	if (!phase->kernel_waits)
		return "";
	return xs_print(
	    arena,
	    "Leave out the host's waits between a round's kernels (%" PRId64
	    " call%s%s%s): a stream runs them in order. ",
	    phase->kernel_waits, phase->kernel_waits == 1 ? "" : "s",
	    places ? ": " : "", places ? places : "");
}

/* " and the host's work between rounds, 1.6 ms" or "" */
static const char *between(struct xs_arena *arena,
			   const struct xs_result_phase *phase)
{
	const int64_t ns = xs_result_used_between_ns(phase);

	return ns ? xs_print(arena, " and the host's work between rounds, %s",
			     xs_units_ns(ns).s)
		  : "";
}

static const char *issue_of(const struct xs_result_estimate *estimate)
{
	if (!estimate->order)
		return "";
	return strcmp(estimate->order, "depth") == 0
		   ? ", issued piece by piece"
		   : ", issued stage by stage";
}

/* Size of one piece of the estimate, in the direction that copies more. */
static const char *piece_bytes(struct xs_arena *arena,
			       const struct xs_result_phase *phase,
			       const struct xs_result_estimate *estimate)
{
	const int64_t bytes = phase->h2d_bytes > phase->d2h_bytes
				  ? phase->h2d_bytes
				  : phase->d2h_bytes;

	return xs_arena_copy(arena,
			     xs_units_bytes(estimate->n_streams > 0
						? bytes / estimate->n_streams
						: XS_UNKNOWN)
				 .s);
}

static const char *too(const struct xs_result_phase *phase,
		       const struct xs_result_estimate *estimate)
{
	return phase->kernels > estimate->n_streams
		   ? "too small for the cost of their calls"
		   : "too large to overlap each other";
}

static const char *allocated_once(const struct xs_result_phase *phase)
{
	return phase->movable_ns > phase->transfer_ns
		   ? ", allocated once before the loop"
		   : "";
}

static bool is_pageable_copy(const struct xs_result_phase *phase,
			     const struct xs_result_site *site)
{
	return is_copy(phase, site, 0) &&
	       !xs_result_same_text(is_step(site, "h2d") ? phase->src_memory
							 : phase->dst_memory,
				    "pinned");
}

/* "; buffers of small copies (4 calls) may stay pageable", which are no places;
 * or "" */
static const char *small(struct xs_arena *arena,
			 const struct xs_result_phase *phase)
{
	int calls = 0;

	for (size_t i = 0; i < phase->site_count; i++)
		calls += is_pageable_copy(phase, &phase->sites[i]) &&
			 is_small(phase, &phase->sites[i]);
	return !calls ? ""
		      : xs_print(arena,
				 "; buffers of small copies (%d call%s) may "
				 "stay pageable",
				 calls, calls == 1 ? "" : "s");
}

/* The text that stands for {name} in the advice of a strategy; NULL: there is
 * no such name. */
static const char *value_of(const char *name, struct xs_arena *arena,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *estimate)
{
	if (strcmp(name, "places") == 0) /* call sites to change */
		return xs_advice_places(arena, phase, estimate);
	if (strcmp(name, "n") == 0) /* streams */
		return xs_print(arena, "%" PRId64,
				estimate->n_streams == XS_UNKNOWN
				    ? 1
				    : estimate->n_streams);
	if (strcmp(name, "pieces") == 0) /* that the round works in now */
		return xs_print(arena, "%" PRId64, phase->kernels);
	if (strcmp(name, "piece_bytes") == 0)
		return piece_bytes(arena, phase, estimate);
	if (strcmp(name, "too") == 0)
		return too(phase, estimate);
	if (strcmp(name, "order") == 0) /* of issue: ", issued ..." or "" */
		return issue_of(estimate);
	if (strcmp(name, "pinned") == 0) /* " from pinned buffers" or "" */
		return pin_first(phase);
	if (strcmp(name, "mapped") == 0) /* by what; pinned memory is */
		return !*pin_first(phase)   ? ""
		       : estimate->pins_new ? " (cudaHostAllocMapped)"
					    : " (cudaHostRegisterMapped)";
	if (strcmp(name, "buffers") == 0) /* memory for more of them, or "" */
		return buffers(arena, phase, estimate);
	if (strcmp(name, "between") == 0) /* rounds, or "" */
		return between(arena, phase);
	if (strcmp(name, "no_waits") == 0) /* between kernels, or "" */
		return no_waits(arena, phase);
	if (strcmp(name, "once") == 0) /* allocated before the loop, or "" */
		return allocated_once(phase);
	if (strcmp(name, "small") == 0) /* calls left out, or "" */
		return small(arena, phase);
	if (strcmp(name, "gathered") == 0) /* how they become one copy */
		return estimate->setup_ns
			   ? ", gathered in one pinned buffer"
			   : ", since they follow each other in both memories";
	if (strcmp(name, "host_time") == 0) /* between calls, of a round */
		return xs_arena_copy(arena, xs_units_ns(phase->host_ns).s);
	if (strcmp(name, "why") == 0) /* the estimate's reason */
		return estimate->why ? estimate->why : "";
	return NULL;
}

/* Replaces each {name} of a template. */
static const char *expand(const char *text, struct xs_arena *arena,
			  const struct xs_result_phase *phase,
			  const struct xs_result_estimate *estimate)
{
	const char *out = "", *open, *value;
	char name[32];
	int length;

	for (; (open = strchr(text, '{')); text = open + length) {
		length = 0;
		if (sscanf(open, "{%31[a-z_]}%n", name, &length) != 1 ||
		    length == 0)
			break;
		value = value_of(name, arena, phase, estimate);
		if (!value)
			value = xs_print(arena, "{%s}", name);
		out = xs_print(arena, "%s%.*s%s", out, (int)(open - text), text,
			       value);
	}
	return xs_print(arena, "%s%s", out, text);
}

const char *xs_advice_text(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate)
{
	const struct xs_strategy *strategy =
	    xs_strategy_find(estimate->strategy);

	if (!strategy)
		return xs_print(arena, "Use %s for %s.", estimate->strategy,
				xs_advice_places(arena, phase, estimate));
	if (strategy->advice_if_in_pieces &&
	    xs_phase_estimate_is_in_pieces(phase, estimate))
		return expand(strategy->advice_if_in_pieces, arena, phase,
			      estimate);
	return expand(estimate->other_advice ? strategy->other_advice
					     : strategy->advice,
		      arena, phase, estimate);
}

const char *xs_advice_first(struct xs_arena *arena,
			    const struct xs_result_phase *phase,
			    const struct xs_result_estimate *estimate,
			    const char *places)
{
	static const char name[] = "{places}";
	const struct xs_strategy *strategy =
	    xs_strategy_find(estimate->strategy);
	const char *text =
	    strategy && strategy->first ? strategy->first : "change {places}";
	const char *open;

	if (strategy && strategy->advice_if_in_pieces &&
	    xs_phase_estimate_is_in_pieces(phase, estimate))
		text = "use {n} pieces instead of {pieces} in the round of "
		       "{places}";
	else if (strategy && strategy->other_first && estimate->other_advice)
		text = strategy->other_first;
	open = places ? strstr(text, name) : NULL;
	if (open)
		text = xs_print(arena, "%.*s%s%s", (int)(open - text), text,
				places, open + sizeof(name) - 1);
	return expand(text, arena, phase, estimate);
}
