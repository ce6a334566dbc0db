/* SPDX-License-Identifier: MIT */
#include "model/strategies/copy_stages.h"

#include "analyzer/util/memory.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Kernels that begin a stage; from each step on, the next kernel and the last
 * one before. */
struct kernels {
	uint32_t *next, *last; /* one entry more than steps */
	bool *begins;
	uint32_t first;
};

static bool is(const struct xs_phase *phase, size_t i, enum xs_step_kind kind)
{
	return phase->steps[i].kind == kind;
}

/* Returns the first kernel that needs the copy in; NONE: no kernel does. */
static uint32_t needed_by(const struct xs_phase *phase,
			  const struct kernels *kernels, size_t i)
{
	const uint32_t by = phase->steps[i].partner;

	if (!phase->flow_known)
		return kernels->next[i];
	return by == XS_NONE ? NONE : kernels->next[by];
}

static void find_kernels(const struct xs_phase *phase, struct kernels *kernels)
{
	const size_t count = phase->step_count;
	uint32_t last = NONE;

	kernels->next = xs_malloc((count + 1) * sizeof(*kernels->next));
	kernels->last = xs_malloc((count + 1) * sizeof(*kernels->last));
	kernels->begins = xs_calloc(count + 1, sizeof(*kernels->begins));
	kernels->next[count] = NONE;
	for (size_t i = count; i-- > 0;)
		kernels->next[i] = is(phase, i, XS_STEP_KERNEL)
				       ? (uint32_t)i
				       : kernels->next[i + 1];
	for (size_t i = 0; i < count; i++)
		kernels->last[i] = last =
		    is(phase, i, XS_STEP_KERNEL) ? (uint32_t)i : last;
	kernels->first = kernels->next[0];
	for (size_t i = 0; i < count; i++) {
		const uint32_t by = is(phase, i, XS_STEP_H2D)
					? needed_by(phase, kernels, i)
					: NONE;

		if (by != NONE && by != kernels->first)
			kernels->begins[by] = true;
	}
}

static void number_stages(const struct xs_phase *phase,
			  const struct kernels *kernels,
			  struct xs_copy_stages *stages)
{
	uint32_t stage = 0;

	for (size_t i = 0; i < phase->step_count; i++) {
		stage += kernels->begins[i];
		stages->of[i] = stage;
	}
	stages->count = stage + 1;
}

static void place_copy_in(const struct xs_phase *phase,
			  const struct kernels *kernels, size_t i,
			  struct xs_copy_stages *stages)
{
	const uint32_t by = needed_by(phase, kernels, i);

	stages->of[i] = by == NONE ? stages->count - 1 : stages->of[by];
	stages->ahead += stages->of[i] > 0;
}

static void place_copy_out(const struct xs_phase *phase,
			   const struct kernels *kernels, size_t i,
			   struct xs_copy_stages *stages)
{
	const uint32_t needed =
	    phase->flow_known ? phase->steps[i].partner : (uint32_t)i;
	const uint32_t kernel =
	    needed == XS_NONE ? NONE : kernels->last[needed];

	stages->of[i] = kernel == NONE ? 0 : stages->of[kernel];
	if (needed != XS_NONE && is(phase, needed, XS_STEP_H2D) &&
	    stages->of[needed] > stages->of[i])
		stages->of[i] = stages->of[needed];
	stages->early += stages->of[i] + 1 < stages->count;
}

static void place_copies(const struct xs_phase *phase,
			 const struct kernels *kernels,
			 struct xs_copy_stages *stages)
{
	for (size_t i = 0; i < phase->step_count; i++) {
		if (is(phase, i, XS_STEP_H2D))
			place_copy_in(phase, kernels, i, stages);
		else if (is(phase, i, XS_STEP_D2H))
			place_copy_out(phase, kernels, i, stages);
	}
}

/* The device's end of a copy. */
struct range {
	uint64_t begin, end;
	uint32_t stage;
};

static int by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Adds to bytes, by stage, the ranges that overlap those of other stages. */
static void add_shared(const struct range *ranges, size_t count, double *bytes)
{
	for (size_t first = 0, end; first < count; first = end) {
		uint64_t end_at = ranges[first].end;
		bool shared = false;

		for (end = first + 1; end < count && ranges[end].begin < end_at;
		     end++) {
			shared |= ranges[end].stage != ranges[first].stage;
			if (ranges[end].end > end_at)
				end_at = ranges[end].end;
		}
		for (size_t i = first; shared && i < end; i++)
			bytes[ranges[i].stage] +=
			    (double)(ranges[i].end - ranges[i].begin);
	}
}

/* Copies of unknown addresses are taken for one buffer. */
static void measure_buffers(const struct xs_phase *phase,
			    struct xs_copy_stages *stages)
{
	struct range *ranges =
	    xs_malloc((phase->step_count + 1) * sizeof(*ranges));
	double *bytes = xs_calloc(stages->count, sizeof(*bytes));

	for (int out = 0; out < 2; out++) {
		size_t count = 0;

		for (size_t i = 0; i < phase->step_count; i++) {
			const struct xs_step *step = &phase->steps[i];
			const uint64_t at = out ? step->src : step->dst;

			if (step->kind == (out ? XS_STEP_D2H : XS_STEP_H2D))
				ranges[count++] = (struct range){
				    at, at + step->bytes, stages->of[i]};
		}
		qsort(ranges, count, sizeof(*ranges), by_begin);
		add_shared(ranges, count, bytes);
	}
	for (uint32_t s = 0; s < stages->count; s++)
		stages->more_bytes = fmax(stages->more_bytes, bytes[s]);
	free(ranges);
	free(bytes);
}

void xs_copy_stages_build_one(const struct xs_phase *phase,
			      struct xs_copy_stages *stages)
{
	*stages = (struct xs_copy_stages){
	    .of = xs_calloc(phase->step_count + 1, sizeof(*stages->of)),
	    .count = 1};
	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_is_copy(&phase->steps[i]))
			stages->more_bytes += (double)phase->steps[i].bytes;
}

void xs_copy_stages_build(const struct xs_phase *phase,
			  struct xs_copy_stages *stages)
{
	struct kernels kernels = {0};

	find_kernels(phase, &kernels);
	*stages = (struct xs_copy_stages){
	    .of = xs_malloc((phase->step_count + 1) * sizeof(*stages->of))};
	number_stages(phase, &kernels, stages);
	place_copies(phase, &kernels, stages);
	if (stages->count > 1)
		measure_buffers(phase, stages);
	free(kernels.next);
	free(kernels.last);
	free(kernels.begins);
}

void xs_copy_stages_free(struct xs_copy_stages *stages)
{
	free(stages->of);
	*stages = (struct xs_copy_stages){0};
}
