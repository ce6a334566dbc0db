/* SPDX-License-Identifier: MIT */
#include "model/machine/fit_evidence.h"

#include <math.h>

static bool has_call(const struct xs_step *step)
{
	return step->return_ns > 0;
}

static bool has_op(const struct xs_step *step)
{
	return step->kind < XS_STEP_SYNC_DEVICE && step->end_ns > 0;
}

static double less(uint64_t a, uint64_t b)
{
	return (double)a - (double)b;
}

/* Returns the share of a copy during which the other direction was busy. */
static double shared_part(const struct xs_phase *phase,
			  const struct xs_step *copy)
{
	const uint8_t other =
	    copy->kind == XS_STEP_H2D ? XS_STEP_D2H : XS_STEP_H2D;
	double shared = 0;
	size_t i;

	for (i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		if (step->kind == other && has_op(step))
			shared += fmax(
			    fmin((double)copy->end_ns, (double)step->end_ns) -
				fmax((double)copy->start_ns,
				     (double)step->start_ns),
			    0);
	}
	return shared / fmax(less(copy->end_ns, copy->start_ns), 1);
}

/* Returns the end of the last op that was issued before step i. */
static uint64_t busy_until(const struct xs_phase *phase, size_t i)
{
	uint64_t until = 0;

	while (i-- > 0)
		if (has_op(&phase->steps[i]) && phase->steps[i].end_ns > until)
			until = phase->steps[i].end_ns;
	return until;
}

static void see_pinned(struct xs_fit_evidence *e, const struct xs_phase *phase,
		       size_t i, enum xs_fit_direction way)
{
	const struct xs_step *step = &phase->steps[i];
	const double ns = less(step->end_ns, step->start_ns);
	const double shared = shared_part(phase, step);

	if (shared < 0.05)
		xs_points_add(&e->alone[way], (double)step->bytes, ns);
	else if (shared > 0.9 && (double)step->bytes >= XS_FIT_LEAST_BYTES)
		xs_points_add(&e->both[way], 0, ns / (double)step->bytes);
	if (!has_call(step))
		return;
	if (busy_until(phase, i) < step->call_ns &&
	    step->start_ns > step->call_ns)
		xs_points_add(&e->idle[way], 0,
			      less(step->start_ns, step->call_ns));
	if (step->blocking && step->return_ns > step->end_ns)
		xs_points_add(&e->copy_sync, 0,
			      less(step->return_ns, step->end_ns));
	else if (step->async)
		xs_points_add(&e->copy_async, 0,
			      less(step->return_ns, step->call_ns));
}

static void see_copy(struct xs_fit_evidence *e, const struct xs_phase *phase,
		     size_t i)
{
	const struct xs_step *step = &phase->steps[i];
	const enum xs_fit_direction way =
	    step->kind == XS_STEP_H2D ? XS_FIT_IN : XS_FIT_OUT;
	const uint8_t memory =
	    way == XS_FIT_IN ? step->src_memory : step->dst_memory;

	if (memory == XS_MEM_PINNED)
		see_pinned(e, phase, i, way);
	else if (memory == XS_MEM_PAGEABLE && has_call(step) && step->blocking)
		xs_points_add(
		    &e->pageable[way], (double)step->bytes,
		    less(step->return_ns, busy_until(phase, i) < step->call_ns
					      ? step->call_ns
					      : step->start_ns));
}

static void see_kernel(struct xs_fit_evidence *e, const struct xs_phase *phase,
		       size_t i)
{
	const struct xs_step *step = &phase->steps[i];
	const uint64_t before = busy_until(phase, i);

	if (!has_call(step))
		return;
	xs_points_add(&e->launch, 0, less(step->return_ns, step->call_ns));
	if (before < step->call_ns)
		xs_points_add(&e->launch_latency, 0,
			      fmax(less(step->start_ns, step->return_ns), 0));
	else if (before > step->return_ns && step->start_ns >= before)
		xs_points_add(&e->kernel_gap, 0, less(step->start_ns, before));
}

static void see_sync(struct xs_fit_evidence *e, const struct xs_phase *phase,
		     size_t i)
{
	const struct xs_step *step = &phase->steps[i];
	const uint64_t before = busy_until(phase, i);

	if (has_call(step) && before > step->call_ns &&
	    before < step->return_ns)
		xs_points_add(&e->sync, 0, less(step->return_ns, before));
}

static void see_step(struct xs_fit_evidence *e, const struct xs_phase *phase,
		     size_t i)
{
	const struct xs_step *step = &phase->steps[i];

	switch (step->kind) {
	case XS_STEP_H2D:
	case XS_STEP_D2H:
		if (has_op(step))
			see_copy(e, phase, i);
		break;
	case XS_STEP_KERNEL:
		if (has_op(step))
			see_kernel(e, phase, i);
		break;
	case XS_STEP_SYNC_DEVICE:
	case XS_STEP_SYNC_STREAM:
		see_sync(e, phase, i);
		break;
	case XS_STEP_EVENT_RECORD:
	case XS_STEP_STREAM_WAIT:
		if (has_call(step))
			xs_points_add(&e->event, 0,
				      less(step->return_ns, step->call_ns));
		break;
	default:
		break;
	}
}

/* The work of a step grows with the length of its round, so only the first
 * steps of a long round are read. */
#define MOST_STEPS 2000u

void xs_fit_evidence_collect(struct xs_fit_evidence *e,
			     const struct xs_phases *phases)
{
	size_t p, i;

	for (p = 0; p < phases->count; p++)
		for (i = 0; i < phases->items[p].step_count && i < MOST_STEPS;
		     i++)
			see_step(e, &phases->items[p], i);
}
