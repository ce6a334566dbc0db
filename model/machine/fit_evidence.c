/* SPDX-License-Identifier: MIT */
#include "model/machine/fit_evidence.h"

#include <math.h>

static bool has_op(const struct xs_step *step)
{
	return step->kind < XS_STEP_SYNC_DEVICE && step->end_ns > 0;
}

static double less(uint64_t a, uint64_t b)
{
	return (double)a - (double)b;
}

/* The phase that is being read. */
struct reader {
	struct xs_fit_evidence *evidence;
	const struct xs_phase *phase;
	uint64_t busy_until; /* end of the last op issued before this step */
	bool after_kernel;   /* that op is a kernel */
	unsigned calls;	     /* of the thread since it waited */
	uint32_t thread;
};

/* The first calls after a wait are slower, as the caches are cold. */
#define COLD_CALLS 4u

static double is_warm(const struct reader *r, const struct xs_step *step)
{
	return r->calls >= COLD_CALLS && r->thread == step->thread;
}

/* Counts the calls of one thread since it last waited or staged a copy. */
static void count_call(struct reader *r, const struct xs_step *step)
{
	const bool waits =
	    !(step->kind == XS_STEP_KERNEL ||
	      step->kind == XS_STEP_EVENT_RECORD ||
	      step->kind == XS_STEP_STREAM_WAIT ||
	      (xs_step_is_copy(step) && step->async && !step->blocking));

	r->calls = waits ? 0 : r->thread == step->thread ? r->calls + 1 : 1;
	r->thread = step->thread;
}

static enum xs_fit_direction way_of(const struct xs_step *copy)
{
	return copy->kind == XS_STEP_H2D ? XS_FIT_IN : XS_FIT_OUT;
}

/* Steps on either side in which copies beside a copy are looked for. */
#define NEAR_STEPS 64u

/* Returns the share of copy i during which the other direction was busy. */
static double shared_part(const struct reader *r, size_t i)
{
	const struct xs_step *copy = &r->phase->steps[i];
	const size_t count = r->phase->step_count;
	double shared_ns = 0;

	for (size_t j = i > NEAR_STEPS ? i - NEAR_STEPS : 0;
	     j < count && j <= i + NEAR_STEPS; j++) {
		const struct xs_step *other = &r->phase->steps[j];

		if (xs_step_is_copy(other) && other->kind != copy->kind)
			shared_ns += fmax(
			    fmin((double)copy->end_ns, (double)other->end_ns) -
				fmax((double)copy->start_ns,
				     (double)other->start_ns),
			    0);
	}
	return shared_ns / fmax(less(copy->end_ns, copy->start_ns), 1);
}

static void see_pinned(struct reader *r, size_t i, enum xs_fit_direction way)
{
	struct xs_fit_evidence *e = r->evidence;
	const struct xs_step *step = &r->phase->steps[i];
	const double ns = less(step->end_ns, step->start_ns);
	const double shared = shared_part(r, i);

	if (shared < 0.05)
		xs_points_add(&e->alone[way], (double)step->bytes, ns);
	else if (shared > 0.9 && (double)step->bytes >= XS_FIT_LEAST_BYTES)
		xs_points_add(&e->both[way], 0, ns / (double)step->bytes);
	if (!xs_step_has_call(step))
		return;
	if (r->busy_until <= step->call_ns && step->start_ns > step->call_ns)
		xs_points_add(&e->idle[way], 0,
			      less(step->start_ns, step->call_ns));
	if (step->blocking && step->return_ns > step->end_ns)
		xs_points_add(&e->copy_sync, 0,
			      less(step->return_ns, step->end_ns));
	else if (step->async)
		xs_points_add(&e->copy_async, is_warm(r, step),
			      less(step->return_ns, step->call_ns));
}

static void see_copy(struct reader *r, size_t i)
{
	struct xs_fit_evidence *e = r->evidence;
	const struct xs_step *step = &r->phase->steps[i];
	const enum xs_fit_direction way = way_of(step);
	const uint8_t memory =
	    way == XS_FIT_IN ? step->src_memory : step->dst_memory;

	if (memory == XS_MEM_PINNED)
		see_pinned(r, i, way);
	else if (memory == XS_MEM_PAGEABLE && xs_step_has_call(step) &&
		 (step->blocking || !step->async))
		xs_points_add(
		    &e->pageable[way], (double)step->bytes,
		    less(step->return_ns > step->end_ns ? step->return_ns
							: step->end_ns,
			 r->busy_until <= step->call_ns ? step->call_ns
							: step->start_ns));
}

static void see_kernel(struct reader *r, size_t i)
{
	struct xs_fit_evidence *e = r->evidence;
	const struct xs_step *step = &r->phase->steps[i];
	const uint64_t before = r->busy_until;

	if (!xs_step_has_call(step))
		return;
	xs_points_add(&e->launch, is_warm(r, step),
		      less(step->return_ns, step->call_ns));
	if (before <= step->call_ns)
		xs_points_add(&e->launch_latency, 0,
			      fmax(less(step->start_ns, step->return_ns), 0));
	else if (r->after_kernel && before > step->return_ns &&
		 step->start_ns >= before)
		xs_points_add(&e->kernel_gap, 0, less(step->start_ns, before));
}

static void see_sync(struct reader *r, size_t i)
{
	struct xs_fit_evidence *e = r->evidence;
	const struct xs_step *step = &r->phase->steps[i];
	const uint64_t before = r->busy_until;

	if (xs_step_has_call(step) && before > step->call_ns &&
	    before < step->return_ns)
		xs_points_add(&e->sync, 0, less(step->return_ns, before));
}

static void see_step(struct reader *r, size_t i)
{
	struct xs_fit_evidence *e = r->evidence;
	const struct xs_step *step = &r->phase->steps[i];

	switch (step->kind) {
	case XS_STEP_H2D:
	case XS_STEP_D2H:
		if (has_op(step))
			see_copy(r, i);
		break;
	case XS_STEP_KERNEL:
		if (has_op(step))
			see_kernel(r, i);
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
		see_sync(r, i);
		break;
	case XS_STEP_EVENT_RECORD:
	case XS_STEP_STREAM_WAIT:
		if (xs_step_has_call(step))
			xs_points_add(&e->event, 0,
				      less(step->return_ns, step->call_ns));
		break;
	default:
		break;
	}
}

/* The first steps of a long round are evidence enough. */
#define MOST_STEPS 2000u

static void read_phase(struct xs_fit_evidence *e, const struct xs_phase *phase)
{
	struct reader r = {.evidence = e, .phase = phase};

	for (size_t i = 0; i < phase->step_count && i < MOST_STEPS; i++) {
		const struct xs_step *step = &phase->steps[i];

		see_step(&r, i);
		if (xs_step_has_call(step))
			count_call(&r, step);
		if (!has_op(step) || step->end_ns <= r.busy_until)
			continue;
		r.busy_until = step->end_ns;
		r.after_kernel = step->kind == XS_STEP_KERNEL;
	}
}

void xs_fit_evidence_collect(struct xs_fit_evidence *e,
			     const struct xs_phases *phases)
{
	for (size_t p = 0; p < phases->count; p++)
		read_phase(e, &phases->items[p]);
}
