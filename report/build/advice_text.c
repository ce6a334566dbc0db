/* SPDX-License-Identifier: MIT */
/*
 * The sentence that tells how to apply a strategy. A new strategy is one row
 * in the table.
 */
#include "report/build/advice_text.h"

#include "report/result/site.h"

#include <inttypes.h>
#include <string.h>

/* Call sites named in a sentence; further ones are counted. */
#define SITES_NAMED 3

typedef const char *sentence(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate);

static bool is_step(const struct xs_result_site *site, const char *step)
{
	return strcmp(site->step, step) == 0;
}

static bool is_copy(const struct xs_result_site *site)
{
	return is_step(site, "h2d") || is_step(site, "d2h");
}

/* "a.cu:8, a.cu:9 and 2 more (step)": the call sites of copies. */
static const char *copy_places(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	const char *list = NULL, *function = NULL;
	size_t named = 0, more = 0;

	for (size_t i = 0; i < phase->site_count; i++) {
		const struct xs_result_site *site = &phase->sites[i];
		const char *label;

		if (!is_copy(site))
			continue;
		label = xs_result_site_label(arena, site);
		if (!label || (list && strstr(list, label)))
			continue;
		/* a label without a line contains the function */
		if (!function && site->function && site->line != XS_UNKNOWN)
			function =
			    xs_result_function_name(arena, site->function);
		if (named++ < SITES_NAMED)
			list =
			    list ? xs_arena_print(arena, "%s, %s", list, label)
				 : label;
		else
			more++;
	}
	if (more)
		list = xs_arena_print(arena, "%s and %zu more", list, more);
	if (list && function)
		list = xs_arena_print(arena, "%s (%s)", list, function);
	return list ? list : "this phase";
}

static bool is_pageable(const char *memory)
{
	return memory && strcmp(memory, "pageable") == 0;
}

/* "64 MiB in from pageable memory at 9.5 GB/s" */
static const char *copy_rate(struct xs_arena *arena, int64_t bytes, int64_t ns,
			     const char *way, const char *memory)
{
	if (bytes <= 0)
		return NULL;
	return xs_arena_print(
	    arena, "%s %s %s memory at %s", xs_units_bytes(bytes).s, way,
	    memory ? memory : "mixed", xs_units_rate(bytes, ns).s);
}

static const char *copy_rates(struct xs_arena *arena,
			      const struct xs_result_phase *phase)
{
	const char *in = copy_rate(arena, phase->h2d_bytes, phase->h2d_ns,
				   "in from", phase->src_memory);
	const char *out = copy_rate(arena, phase->d2h_bytes, phase->d2h_ns,
				    "out to", phase->dst_memory);

	if (in && out)
		return xs_arena_print(arena, "%s, %s", in, out);
	return in ? in : out ? out : "nothing";
}

static const char *say_pinned(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Allocate the host buffers of %s with cudaMallocHost, or pin "
	    "them once with cudaHostRegister: a round now moves %s.",
	    copy_places(arena, phase), copy_rates(arena, phase));
}

static const char *pin_first(const struct xs_result_phase *phase)
{
	return is_pageable(phase->src_memory) || is_pageable(phase->dst_memory)
		   ? " from pinned buffers (cudaHostRegister)"
		   : "";
}

/* How far the round overlaps today. */
static const char *overlap_now(struct xs_arena *arena,
			       const struct xs_result_phase *phase)
{
	if (phase->overlap_ns <= 0)
		return "now they do not overlap";
	return xs_arena_print(arena, "now they overlap for %s of %s",
			      xs_units_ns(phase->overlap_ns).s,
			      xs_units_ns(phase->round_ns).s);
}

/* What would overlap in this phase. */
static const char *overlap_of(const struct xs_result_phase *phase)
{
	return phase->h2d_bytes > 0 && phase->d2h_bytes > 0
		   ? "copies in, kernels and copies out overlap"
		   : "copies and kernels overlap";
}

static const char *issue_of(const struct xs_result_estimate *estimate)
{
	if (!estimate->order)
		return "";
	return strcmp(estimate->order, "depth") == 0
		   ? ", issued chunk by chunk"
		   : ", issued stage by stage";
}

static const char *say_streams(struct xs_arena *arena,
			       const struct xs_result_phase *phase,
			       const struct xs_result_estimate *estimate)
{
	return xs_arena_print(arena,
			      "Split the round of %s into %" PRId64
			      " chunks, one stream each%s, with "
			      "cudaMemcpyAsync%s, so that %s: %s.",
			      copy_places(arena, phase), estimate->n_streams,
			      issue_of(estimate), pin_first(phase),
			      overlap_of(phase), overlap_now(arena, phase));
}

static const char *say_mapped(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Map the host buffers of %s (cudaHostAllocMapped) and let the "
	    "kernels use them without copies.",
	    copy_places(arena, phase));
}

static const char *say_hybrid(struct xs_arena *arena,
			      const struct xs_result_phase *phase,
			      const struct xs_result_estimate *estimate)
{
	return xs_arena_print(
	    arena,
	    "Copy in over %" PRId64 " streams at %s and let the kernels "
	    "write their results to mapped host memory.",
	    estimate->n_streams == XS_UNKNOWN ? 1 : estimate->n_streams,
	    copy_places(arena, phase));
}

/* Alternating whole rounds; kernels are unchanged. */
static const char *say_double_buffer(struct xs_arena *arena,
				     const struct xs_result_phase *phase,
				     const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Alternate the rounds of %s between two streams and two sets of "
	    "buffers, with cudaMemcpyAsync%s, and wait for a round only after "
	    "the next one is issued, so that the next round's copies overlap "
	    "this round's kernels.",
	    copy_places(arena, phase), pin_first(phase));
}

static const char *say_batch(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Gather the small copies of %s in one pinned buffer and copy it "
	    "with one call: a round makes %" PRId64 " copies of %s on average.",
	    copy_places(arena, phase), phase->h2d_ops + phase->d2h_ops,
	    xs_units_bytes((phase->h2d_bytes + phase->d2h_bytes) /
			   (phase->h2d_ops + phase->d2h_ops))
		.s);
}

static const char *say_resident(struct xs_arena *arena,
				const struct xs_result_phase *phase,
				const struct xs_result_estimate *estimate)
{
	if (estimate->why && strncmp(estimate->why, "measured", 8) == 0)
		return xs_arena_print(arena,
				      "Keep the data that %s copies in every "
				      "round on the device: %s.",
				      copy_places(arena, phase), estimate->why);
	return xs_arena_print(
	    arena,
	    "Keep the data that %s copies out and back in from the same host "
	    "memory on the device; a run with XFERSPY_HASH=1 shows whether the "
	    "bytes are the same.",
	    copy_places(arena, phase));
}

static const char *say_async(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate)
{
	(void)estimate;
	return xs_arena_print(
	    arena,
	    "Let the host do its own work of a round, %s, while the GPU "
	    "executes the work issued at %s, not before or after it.",
	    xs_units_ns(phase->host_ns).s, copy_places(arena, phase));
}

static const char *say_other(struct xs_arena *arena,
			     const struct xs_result_phase *phase,
			     const struct xs_result_estimate *estimate)
{
	return xs_arena_print(arena, "Use %s for %s.", estimate->strategy,
			      copy_places(arena, phase));
}

static const struct {
	const char *strategy;
	sentence *say;
} sentences[] = {
    {"pinned", say_pinned},
    {"streams", say_streams},
    {"double-buffer", say_double_buffer},
    {"batch", say_batch},
    {"resident", say_resident},
    {"async", say_async},
    {"mapped", say_mapped},
    {"hybrid", say_hybrid},
    {NULL, say_other},
};

const char *xs_advice_text(struct xs_arena *arena,
			   const struct xs_result_phase *phase,
			   const struct xs_result_estimate *estimate)
{
	size_t i = 0;

	while (sentences[i].strategy &&
	       strcmp(sentences[i].strategy, estimate->strategy) != 0)
		i++;
	return sentences[i].say(arena, phase, estimate);
}
