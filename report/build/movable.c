/* SPDX-License-Identifier: MIT */
/* The times of a round that bound what a change of data movement saves. */
#include "analyzer/util/memory.h"
#include "report/build/build.h"

#include "model/replay/round_work.h"
#include "model/replay/staging.h"

#include <stdlib.h>

/* A span of a round, ns after its start. */
struct span {
	uint64_t start_ns, end_ns;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int by_start(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Whether the host copies or waits in the call. */
static bool moves_or_waits(const struct xs_step *step)
{
	switch (step->kind) {
	case XS_STEP_D2D:
	case XS_STEP_SET:
	case XS_STEP_KERNEL:
	case XS_STEP_EVENT_RECORD:
	case XS_STEP_STREAM_WAIT:
	case XS_STEP_HOST:
	case XS_STEP_ALLOCATE:
	case XS_STEP_FREE:
		return step->blocking;
	default:
		return true;
	}
}

/* Returns the length of the union of the spans, which it sorts. */
static int64_t union_ns(struct span *spans, size_t count)
{
	uint64_t end_ns = 0, all_ns = 0;

	qsort(spans, count, sizeof(*spans), by_start);
	for (size_t i = 0; i < count; i++) {
		if (spans[i].start_ns > end_ns)
			end_ns = spans[i].start_ns;
		if (spans[i].end_ns <= end_ns)
			continue;
		all_ns += spans[i].end_ns - end_ns;
		end_ns = spans[i].end_ns;
	}
	return xs_number_bounded(all_ns);
}

static bool moves_or_may_wait(const struct xs_step *step)
{
	return moves_or_waits(step) || xs_step_is_long_launch(step);
}

static bool holds_host(const struct xs_step *step)
{
	return moves_or_waits(step) || xs_step_is_allocation(step);
}

static bool may_hold_host(const struct xs_step *step)
{
	return holds_host(step) || xs_step_is_long_launch(step);
}

/* The time in which the host was in a call or staged a copy, or the GPU ran an
 * op, for which the function is true; NULL: none. spans: room for two of each
 * step. */
static int64_t time_of(const struct xs_phase *phase, struct span *spans,
		       bool (*in_call)(const struct xs_step *step),
		       bool (*runs)(const struct xs_step *step))
{
	size_t count = 0;

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		if (in_call && in_call(step))
			spans[count++] = (struct span){
			    step->call_ns -
				(uint64_t)xs_step_staging_ns(phase, i),
			    step->return_ns};
		if (runs && runs(step))
			spans[count++] =
			    (struct span){step->start_ns, step->end_ns};
	}
	return count ? union_ns(spans, count) : XS_UNKNOWN;
}

/* The time of the round's copies in one direction with their calls: from the
 * call, or the end of the ops before, to the return or the end of the copy. */
static int64_t copies_ns(const struct xs_phase *phase, uint8_t kind,
			 struct span *spans)
{
	uint64_t busy_until_ns = 0;
	size_t count = 0;

	XS_EACH(step, phase->steps, phase->step_count) {
		struct span *span = &spans[count];

		if (step->kind == kind) {
			span->start_ns = later(step->call_ns, busy_until_ns);
			span->end_ns = later(step->return_ns, step->end_ns);
			count++;
		}
		busy_until_ns = later(busy_until_ns, step->end_ns);
	}
	return count ? union_ns(spans, count) : XS_UNKNOWN;
}

void xs_build_movable(const struct xs_phase *phase, struct xs_result_phase *out)
{
	struct span *spans =
	    xs_calloc(2 * phase->step_count + 1, sizeof(*spans));
	const bool may_wait = xs_launches_await_staging(phase) > 0;

	out->transfer_ns =
	    time_of(phase, spans, may_wait ? moves_or_may_wait : moves_or_waits,
		    xs_step_is_copy);
	out->movable_ns =
	    time_of(phase, spans, may_wait ? may_hold_host : holds_host,
		    xs_step_is_copy);
	out->issue_ns =
	    xs_number_bounded(phase->host_ns.median_ns + phase->beside_ns) +
	    xs_number_or_zero(time_of(phase, spans, xs_step_has_call, NULL)) -
	    xs_number_or_zero(time_of(phase, spans, holds_host, NULL));
	out->kernel_busy_ns = time_of(phase, spans, NULL, xs_step_is_kernel);
	out->h2d_call_ns = copies_ns(phase, XS_STEP_H2D, spans);
	out->d2h_call_ns = copies_ns(phase, XS_STEP_D2H, spans);
	for (size_t i = 0; i < phase->step_count; i++)
		out->staged |= xs_step_staging_ns(phase, i) > 0;
	free(spans);
}
