/* SPDX-License-Identifier: MIT */
/* GPUs that one thread drives in turn: it waits for one before it issues to the
 * next. */
#include "report/build/build.h"

/* GPUs that are told apart. */
#define GPUS_MAX 64

/* They work in turn if so little of all their work is at one time. */
#define AT_ONCE_PERCENT 5

struct gpus {
	uint64_t busy_ns[GPUS_MAX], end_ns[GPUS_MAX];
	uint64_t any_ns, any_end_ns; /* at least one is busy */
	uint32_t thread;
	bool alone; /* one thread issues all, and no GPU copies to another */
};

/* Adds what [start, end) has behind *until to *sum. Starts are in order. */
static void add_span(uint64_t start_ns, uint64_t end_ns, uint64_t *until_ns,
		     uint64_t *sum_ns)
{
	if (start_ns < *until_ns)
		start_ns = *until_ns;
	if (end_ns <= start_ns)
		return;
	*sum_ns += end_ns - start_ns;
	*until_ns = end_ns;
}

static void add_op(const struct xs_trace *trace, const struct xs_op *op,
		   struct gpus *gpus)
{
	const uint16_t gpu = trace->queues[op->queue].device;
	const uint32_t thread =
	    op->call == XS_NONE ? XS_NONE : trace->calls[op->call].thread;

	if (gpus->thread == XS_NONE)
		gpus->thread = thread;
	if (gpu >= GPUS_MAX || thread == XS_NONE || thread != gpus->thread ||
	    op->kind == XS_OP_P2P) {
		gpus->alone = false;
		return;
	}
	add_span(op->start_ns, op->end_ns, &gpus->end_ns[gpu],
		 &gpus->busy_ns[gpu]);
	add_span(op->start_ns, op->end_ns, &gpus->any_end_ns, &gpus->any_ns);
}

/* Whether a stream waits for an event, which may be of another GPU. */
static bool streams_wait(const struct xs_trace *trace,
			 const struct xs_run_span *steady)
{
	for (size_t i = 0; i < trace->call_count; i++)
		if (trace->calls[i].call_class == XS_CALL_STREAM_WAIT &&
		    trace->calls[i].start_ns >= steady->from_ns &&
		    trace->calls[i].start_ns < steady->to_ns)
			return true;
	return false;
}

void xs_build_gpu_turns(struct xs_result *result, const struct xs_trace *trace,
			const struct xs_run_span *steady)
{
	struct xs_result_verdict *out = &result->verdict;
	struct gpus gpus = {.thread = XS_NONE, .alone = true};
	uint64_t all_ns = 0, most_ns = 0;

	if (result->run.device_count < 2 || !out->repeats)
		return;
	for (size_t i = 0; gpus.alone && i < trace->op_count; i++)
		if (trace->ops[i].start_ns >= steady->from_ns &&
		    trace->ops[i].start_ns < steady->to_ns)
			add_op(trace, &trace->ops[i], &gpus);
	for (size_t i = 0; i < GPUS_MAX; i++) {
		out->gpus_in_turn += gpus.busy_ns[i] > 0;
		all_ns += gpus.busy_ns[i];
		if (gpus.busy_ns[i] > most_ns)
			most_ns = gpus.busy_ns[i];
	}
	if (out->recorded_ns > 0)
		out->turns_save_ns = xs_number_round(
		    (double)(gpus.any_ns - most_ns) * (double)out->steady_ns /
		    (double)out->recorded_ns);
	if (!gpus.alone || streams_wait(trace, steady) ||
	    all_ns - gpus.any_ns > all_ns / 100 * AT_ONCE_PERCENT ||
	    out->turns_save_ns <= out->steady_ns / XS_RESULT_LEAST_PART)
		out->gpus_in_turn = 0;
}
