/* SPDX-License-Identifier: MIT */
/*
 * Finds which kernels of a round depend on which. A kernel that follows a copy
 * in begins a piece, at stage 0. One that follows a kernel may use its results
 * and is one stage later. A kernel follows what precedes it on its queue, or
 * what the queue waited for through an event.
 */
#include "model/replay/round_work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SECTOR_BYTES 32.0
#define NO_STEP	     SIZE_MAX

static bool is_copy(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D || step->kind == XS_STEP_D2H;
}

static bool is_kernel(const struct xs_step *step)
{
	return step->kind == XS_STEP_KERNEL;
}

/* Returns the last copy or kernel before step i on the queue, or NO_STEP. */
static size_t last_op(const struct xs_step *steps, size_t i, uint32_t queue)
{
	while (i-- > 0)
		if (steps[i].queue == queue &&
		    (is_copy(&steps[i]) || is_kernel(&steps[i])))
			return i;
	return NO_STEP;
}

/* Returns the step that the event of wait i marks, or NO_STEP if unknown. */
static size_t waited_for(const struct xs_step *steps, size_t i)
{
	const uint64_t event = steps[i].event;
	size_t j = i;

	while (j-- > 0)
		if (steps[j].kind == XS_STEP_EVENT_RECORD &&
		    steps[j].event == event && steps[j].queue != XS_NONE)
			return last_op(steps, j, steps[j].queue);
	return NO_STEP;
}

/* The queue of a wait is known from copies on its stream. A stream without
 * copies is assumed to be that of the kernels. */
static bool may_hold_up(const struct xs_step *step, uint32_t queue)
{
	return step->kind == XS_STEP_STREAM_WAIT &&
	       (step->queue == queue || step->queue == XS_NONE);
}

/* Returns the stage of kernel i. `stages` has those of the kernels before it.
 */
static unsigned stage_of(const struct xs_step *steps, size_t i,
			 const unsigned *stages)
{
	const uint32_t queue = steps[i].queue;
	unsigned stage = 0;
	size_t j = i, op;

	while (j-- > 0) {
		op = NO_STEP;
		if (may_hold_up(&steps[j], queue)) {
			op = waited_for(steps, j);
			if (op == NO_STEP || steps[op].kind == XS_STEP_D2H)
				continue;
		} else if (steps[j].queue == queue) {
			op = j;
		}
		if (op == NO_STEP)
			continue;
		if (is_copy(&steps[op]))
			return 0;
		if (is_kernel(&steps[op]) && stages[op] >= stage)
			stage = stages[op] + 1;
		if (op == j && is_kernel(&steps[j]))
			return stage;
	}
	return stage;
}

static void add_kernel(struct xs_kernel_stage *stage,
		       const struct xs_step *step)
{
	const struct xs_counts *counts = step->counts;

	stage->kernel_ns += (double)(step->end_ns - step->start_ns);
	stage->blocks += (double)step->blocks;
	stage->block_threads = step->block_threads;
	stage->registers = step->registers;
	stage->shared_bytes = step->shared_bytes;
	stage->read_bytes += counts ? counts->sectors_read * SECTOR_BYTES : NAN;
	stage->written_bytes +=
	    counts ? counts->sectors_written * SECTOR_BYTES : NAN;
}

/* Scales the stages of a long chain to XS_STAGES_MAX. */
static unsigned place(unsigned stage, unsigned chain)
{
	return chain <= XS_STAGES_MAX
		   ? stage
		   : (unsigned)((uint64_t)stage * XS_STAGES_MAX / chain);
}

static unsigned share(unsigned copies, unsigned pieces)
{
	return (copies + pieces - 1) / pieces;
}

int xs_kernel_stages_add(const struct xs_phase *phase,
			 struct xs_round_work *work)
{
	const struct xs_step *steps = phase->steps;
	unsigned *stages = calloc(phase->step_count + 1, sizeof(*stages));
	unsigned chain = 0, pieces = 0, s;
	size_t i;

	if (!stages)
		return -ENOMEM;
	for (i = 0; i < phase->step_count; i++) {
		if (!is_kernel(&steps[i]))
			continue;
		stages[i] = stage_of(steps, i, stages);
		pieces += !stages[i];
		if (stages[i] >= chain)
			chain = stages[i] + 1;
	}
	for (i = 0; i < phase->step_count; i++)
		if (is_kernel(&steps[i]))
			add_kernel(&work->stages[place(stages[i], chain)],
				   &steps[i]);
	for (s = 0; s < chain; s++)
		work->stages[place(s, chain)].kernels++;
	work->stage_count = chain < XS_STAGES_MAX ? chain : XS_STAGES_MAX;
	work->in_pieces = pieces > 1 && work->kernels == pieces * chain;
	/* With a kernel for each chunk: the copies of one chunk, not of the
	 * round. */
	if (pieces > 1) {
		work->in_copies = share(work->in_copies, pieces);
		work->out_copies = share(work->out_copies, pieces);
	}
	free(stages);
	return 0;
}
