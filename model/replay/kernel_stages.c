/* SPDX-License-Identifier: MIT */
/*
 * Finds which kernels of a round depend on which. A kernel that follows a copy
 * begins a piece, at stage 0. One that follows a kernel may use its results
 * and is one stage later. A kernel follows what precedes it on its queue, or
 * what the queue waited for through an event. A copy out that the host waited
 * for is no piece's end, and a copy of arguments no piece's begin: what comes
 * next works on the same data.
 */
#include "analyzer/util/memory.h"
#include "model/replay/numbering.h"
#include "model/replay/round_work.h"
#include "model/replay/split_arrays.h"

#include <math.h>
#include <stdlib.h>

#define SECTOR_BYTES 32.0
#define NO_STEP	     SIZE_MAX

/* What a kernel that comes next on a queue depends on. */
struct queue {
	size_t last; /* its last copy or kernel, or NO_STEP */
	/* waits since then: */
	bool for_copy;	/* some waited for a copy in */
	unsigned stage; /* later than the kernels that they waited for */
};

struct finder {
	const struct xs_step *steps;
	struct xs_numbering queues, events;
	struct queue *by_queue;
	size_t *event_op; /* by event: the op that it marks, or NO_STEP */
	unsigned *stages; /* by step */
	bool copies_data; /* copies in have more than arguments */
};

/* Returns whether the copy does not separate what follows from the kernels
 * before it. */
static bool is_within_piece(const struct finder *f, const struct xs_step *step)
{
	if (step->kind == XS_STEP_D2H)
		return step->blocking;
	return step->kind == XS_STEP_H2D && f->copies_data &&
	       step->bytes <= XS_ARGUMENT_BYTES;
}

static struct queue *queue_of(const struct finder *f,
			      const struct xs_step *step)
{
	return &f->by_queue[xs_numbering_find(&f->queues, step->queue)];
}

static size_t *op_of_event(const struct finder *f, const struct xs_step *step)
{
	return &f->event_op[xs_numbering_find(&f->events, step->event)];
}

static void take_wait(const struct finder *f, const struct xs_step *step,
		      struct queue *queue)
{
	const size_t op = *op_of_event(f, step);

	if (op == NO_STEP || f->steps[op].kind == XS_STEP_D2H)
		return;
	if (xs_step_is_copy(&f->steps[op]))
		queue->for_copy = true;
	else if (queue->stage <= f->stages[op])
		queue->stage = f->stages[op] + 1;
}

static unsigned stage_of(const struct finder *f, const struct queue *queue)
{
	if (queue->for_copy)
		return 0;
	if (queue->last == NO_STEP)
		return queue->stage;
	if (xs_step_is_copy(&f->steps[queue->last]))
		return 0;
	return f->stages[queue->last] >= queue->stage
		   ? f->stages[queue->last] + 1
		   : queue->stage;
}

static void take_step(struct finder *f, size_t i)
{
	const struct xs_step *step = &f->steps[i];
	struct queue *queue = queue_of(f, step);

	if (is_within_piece(f, step) && queue->last != NO_STEP)
		return;
	if (step->kind == XS_STEP_STREAM_WAIT) {
		take_wait(f, step, queue);
	} else if (step->kind == XS_STEP_EVENT_RECORD &&
		   step->queue != XS_NONE) {
		*op_of_event(f, step) = queue->last;
	} else if (xs_step_is_copy(step) || xs_step_is_kernel(step)) {
		if (xs_step_is_kernel(step))
			f->stages[i] = stage_of(f, queue);
		*queue = (struct queue){.last = i};
	}
}

static void finder_init(struct finder *f, const struct xs_phase *phase)
{
	const size_t count = phase->step_count;

	f->steps = phase->steps;
	f->by_queue = xs_calloc(count + 1, sizeof(*f->by_queue));
	f->event_op = xs_calloc(count + 1, sizeof(*f->event_op));
	f->stages = xs_calloc(count + 1, sizeof(*f->stages));
	xs_numbering_init(&f->queues, count);
	xs_numbering_init(&f->events, count);
	for (size_t i = 0; i < count; i++) {
		xs_numbering_add(&f->queues, f->steps[i].queue);
		xs_numbering_add(&f->events, f->steps[i].event);
		f->event_op[i] = f->by_queue[i].last = NO_STEP;
	}
	xs_numbering_sort(&f->queues);
	xs_numbering_sort(&f->events);
}

static void finder_free(struct finder *f)
{
	free(f->by_queue);
	free(f->event_op);
	free(f->stages);
	xs_numbering_free(&f->queues);
	xs_numbering_free(&f->events);
}

/* Adds the reads. What the L2 reads and fills no L1 is not read by the SMs: it
 * is of what threads store to memory of their own. */
static void add_reads(struct xs_kernel_stage *stage,
		      const struct xs_counts *counts)
{
	double share = 1;

	if (counts && counts->l1_fills > 0)
		share = fmin(counts->l1_fills / counts->sectors_read, 1);
	stage->read_bytes +=
	    counts ? counts->sectors_read * share * SECTOR_BYTES : NAN;
	stage->read_requests += counts ? counts->requests_read * share : NAN;
}

static void add_kernel(struct xs_kernel_stage *stage,
		       const struct xs_step *step)
{
	const struct xs_counts *counts = step->counts;

	stage->kernels++;
	stage->kernel_ns += (double)(step->end_ns - step->start_ns);
	stage->blocks += (double)step->blocks;
	stage->block_threads = step->block_threads;
	stage->registers = step->registers;
	stage->shared_bytes = step->shared_bytes;
	add_reads(stage, counts);
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

static unsigned share(unsigned ops, unsigned pieces)
{
	return (ops + pieces - 1) / pieces;
}

/* Adds the kernels to their stages; chain is the number of stages. */
static void add_stages(const struct xs_phase *phase, const unsigned *stages,
		       unsigned chain, struct xs_round_work *work)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (xs_step_is_kernel(&phase->steps[i]))
			add_kernel(&work->stages[place(stages[i], chain)],
				   &phase->steps[i]);
	work->stage_count = chain < XS_STAGES_MAX ? chain : XS_STAGES_MAX;
}

/* Returns the time of the longest kernel, or 0 if kernels differ in shape. */
static double longest_alike(const struct xs_phase *phase)
{
	const struct xs_step *first = NULL;
	double longest_ns = 0;

	XS_EACH(step, phase->steps, phase->step_count) {
		if (!xs_step_is_kernel(step))
			continue;
		first = first ? first : step;
		if (step->shape != first->shape)
			return 0;
		longest_ns =
		    fmax(longest_ns, (double)(step->end_ns - step->start_ns));
	}
	return longest_ns;
}

void xs_kernel_stages_join_slices(const struct xs_machine *machine,
				  struct xs_round_work *work)
{
	const double read_bytes =
	    2 * machine->memory_bandwidth * work->alike_ns / 1e9;
	struct xs_kernel_stage *all = &work->stages[0];

	if (work->stage_count < 2 || read_bytes <= 0 ||
	    read_bytes > work->in_bytes / 2)
		return;
	for (unsigned s = 1; s < work->stage_count; s++) {
		all->kernel_ns += work->stages[s].kernel_ns;
		all->kernels += work->stages[s].kernels;
		all->blocks += work->stages[s].blocks;
		all->read_bytes += work->stages[s].read_bytes;
		all->read_requests += work->stages[s].read_requests;
		all->written_bytes += work->stages[s].written_bytes;
	}
	work->stage_count = 1;
	work->slices = true;
}

/* Keeps the copies and kernels of one of the round's pieces. */
static void take_piece(unsigned pieces, struct xs_round_work *work)
{
	work->in_copies = share(work->in_copies, pieces);
	work->out_copies = share(work->out_copies, pieces);
	for (unsigned s = 0; s < work->stage_count; s++)
		work->stages[s].kernels =
		    share(work->stages[s].kernels, pieces);
}

/* Counts a copy for each array, which a piece is cut from. */
static void set_copies(const struct xs_phase *phase, struct xs_round_work *work)
{
	struct xs_split_arrays in = {0, 0}, out = {0, 0};

	xs_split_arrays_count(phase, XS_STEP_H2D, &in);
	xs_split_arrays_count(phase, XS_STEP_D2H, &out);
	work->in_copies = in.arrays;
	work->in_parts = in.parts;
	work->out_copies = out.arrays;
	work->out_parts = out.parts;
}

void xs_kernel_stages_add(const struct xs_phase *phase,
			  struct xs_round_work *work)
{
	struct finder f = {.steps = NULL};
	unsigned chain = 0, pieces = 0;
	bool apart = false;

	finder_init(&f, phase);
	f.copies_data = work->in_bytes > XS_ARGUMENT_BYTES * work->in_copies;
	for (size_t i = 0; i < phase->step_count; i++) {
		take_step(&f, i);
		if (!xs_step_is_kernel(&phase->steps[i]))
			continue;
		pieces += !f.stages[i];
		if (f.stages[i] >= chain)
			chain = f.stages[i] + 1;
	}
	add_stages(phase, f.stages, chain, work);
	finder_free(&f);
	work->alike_ns = pieces == 1 ? longest_alike(phase) : 0;
	xs_split_arrays_apart(phase, &apart);
	work->in_pieces =
	    pieces > 1 && work->kernels == pieces * chain && !apart;
	if (work->in_pieces)
		take_piece(pieces, work);
	else
		set_copies(phase, work);
}
