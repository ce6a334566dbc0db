/* SPDX-License-Identifier: MIT */
#include "tests/sim/model.h"

static uint64_t max_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool on_host(enum xs_sim_memory memory)
{
	return memory == XS_SIM_PAGEABLE || memory == XS_SIM_PINNED;
}

/* Few blocks leave space for concurrent kernels. */
static bool is_small(const struct xs_sim_launch *launch)
{
	uint64_t blocks =
	    (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];

	return blocks <= XS_SIM_SM_COUNT / 2;
}

static enum xs_sim_engine_id engine_of(const struct xs_sim_op *op)
{
	bool from_host, to_host;

	if (op->kind == XS_SIM_KERNEL)
		return is_small(&op->launch) ? XS_SIM_ENGINE_NONE
					     : XS_SIM_ENGINE_SM;
	if (op->kind != XS_SIM_COPY)
		return XS_SIM_ENGINE_NONE;
	from_host = on_host(op->copy.src_memory);
	to_host = on_host(op->copy.dst_memory);
	if (from_host == to_host && op->copy.src_device == op->copy.dst_device)
		return XS_SIM_ENGINE_NONE;
	if (from_host || xs_sim_config.copy_engines == 1)
		return XS_SIM_ENGINE_H2D;
	return XS_SIM_ENGINE_D2H;
}

/* Bytes at full speed, or at the lower speed while the other engine is busy.
 * Only the copy that is placed later is slowed: the other's end is known. */
static double link_ns(const struct xs_sim_model *model,
		      enum xs_sim_engine_id engine, uint64_t start_ns,
		      double bytes, double gbs)
{
	const struct xs_sim_engine *other =
	    &model->engines[engine == XS_SIM_ENGINE_H2D ? XS_SIM_ENGINE_D2H
							: XS_SIM_ENGINE_H2D];
	double slow = xs_sim_config.bidir_gbs;
	double before, during;

	if (slow <= 0 || slow >= gbs || other->free_ns <= start_ns)
		return bytes / gbs;
	before = other->busy_from_ns > start_ns
		     ? (double)(other->busy_from_ns - start_ns)
		     : 0;
	if (before * gbs >= bytes)
		return bytes / gbs;
	bytes -= before * gbs;
	during = (double)(other->free_ns - start_ns) - before;
	if (during * slow >= bytes)
		return before + bytes / slow;
	return before + during + (bytes - during * slow) / gbs;
}

static double copy_ns(const struct xs_sim_model *model,
		      const struct xs_sim_copy *copy,
		      enum xs_sim_engine_id engine, uint64_t start_ns)
{
	const struct xs_sim_config *c = &xs_sim_config;
	double bytes =
	    (double)copy->width * (double)copy->height * (double)copy->depth;
	double gbs = on_host(copy->src_memory) ? c->h2d_gbs : c->d2h_gbs;

	if (engine == XS_SIM_ENGINE_NONE)
		return 2 * bytes / c->mem_gbs;
	if (copy->src_memory == XS_SIM_PAGEABLE ||
	    copy->dst_memory == XS_SIM_PAGEABLE)
		gbs = c->pageable_gbs < gbs ? c->pageable_gbs : gbs;
	return link_ns(model, engine, start_ns, bytes, gbs);
}

static uint64_t duration_ns(const struct xs_sim_model *model,
			    const struct xs_sim_op *op,
			    enum xs_sim_engine_id engine, uint64_t start_ns,
			    struct xs_sim_work work)
{
	const struct xs_sim_config *c = &xs_sim_config;
	double by_bytes, by_instructions;

	switch (op->kind) {
	case XS_SIM_COPY:
		return c->copy_ns +
		       (uint64_t)copy_ns(model, &op->copy, engine, start_ns);
	case XS_SIM_SET:
		return c->launch_ns +
		       (uint64_t)((double)op->set.bytes / c->mem_gbs);
	case XS_SIM_KERNEL:
		by_bytes = (double)work.bytes / c->mem_gbs;
		by_instructions = (double)work.instructions / c->gips;
		return c->launch_ns + (uint64_t)(by_bytes > by_instructions
						     ? by_bytes
						     : by_instructions);
	default:
		return 0;
	}
}

/* Returns the end of everything that the operation depends on. */
static uint64_t ready_ns(const struct xs_sim_model *model,
			 const struct xs_sim_op *op,
			 enum xs_sim_engine_id engine)
{
	const struct xs_sim_stream *stream = op->stream;
	uint64_t ready =
	    max_ns(op->issue_ns + xs_sim_config.latency_ns, stream->end_ns);

	if (stream->legacy)
		ready = max_ns(ready, model->blocking_end_ns);
	else if (!(stream->flags & 1)) /* cudaStreamNonBlocking */
		ready = max_ns(ready, model->legacy_end_ns);
	if (engine != XS_SIM_ENGINE_NONE)
		ready = max_ns(ready, model->engines[engine].free_ns);
	/*
	 * A copy out checks whether its kernel is complete, and on these
	 * devices that makes it wait for every kernel issued before, so that
	 * copies out and kernels do not overlap (van Werkhoven et al. 2014,
	 * section IV).
	 */
	if (xs_sim_config.implicit_sync && op->kind == XS_SIM_COPY &&
	    on_host(op->copy.dst_memory))
		ready = max_ns(ready, model->kernel_end_ns);
	return ready;
}

struct xs_sim_span xs_sim_place(struct xs_sim_model *model,
				const struct xs_sim_op *op, uint64_t spent_ns,
				struct xs_sim_work work)
{
	enum xs_sim_engine_id engine = engine_of(op);
	struct xs_sim_stream *stream = op->stream;
	uint64_t start = ready_ns(model, op, engine);
	uint64_t lasts = duration_ns(model, op, engine, start, work);
	struct xs_sim_span span = {start, start + max_ns(lasts, spent_ns)};

	if (engine != XS_SIM_ENGINE_NONE) {
		struct xs_sim_engine *e = &model->engines[engine];

		if (start > e->free_ns)
			e->busy_from_ns = start;
		e->free_ns = span.end_ns;
	}
	if (op->kind == XS_SIM_KERNEL)
		model->kernel_end_ns =
		    max_ns(model->kernel_end_ns, span.end_ns);
	stream->end_ns = span.end_ns;
	model->end_ns = max_ns(model->end_ns, span.end_ns);
	if (stream->legacy)
		model->legacy_end_ns = span.end_ns;
	if (!(stream->flags & 1))
		model->blocking_end_ns =
		    max_ns(model->blocking_end_ns, span.end_ns);
	return span;
}
