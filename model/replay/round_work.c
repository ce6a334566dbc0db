/* SPDX-License-Identifier: MIT */
#include "model/replay/round_work.h"

#include "model/replay/recorded_plan.h"
#include "model/replay/tracer_overhead.h"

#include <math.h>
#include <string.h>

/* Share of an SM's threads that saturates it: with fewer threads, blocks do not
 * run faster. */
#define ENOUGH_THREADS 0.25

static bool is_seen(const struct xs_step *step)
{
	return step->end_ns > 0;
}

static uint8_t host_memory(const struct xs_step *step)
{
	return step->kind == XS_STEP_H2D ? step->src_memory : step->dst_memory;
}

static double call_time(const struct xs_step *step)
{
	return (double)(step->return_ns - step->call_ns);
}

static double op_time(const struct xs_step *step)
{
	return (double)(step->end_ns - step->start_ns);
}

static void add_copy(struct xs_round_work *work, const struct xs_step *step)
{
	const uint8_t memory = host_memory(step);

	if (step->kind == XS_STEP_H2D) {
		work->in_bytes += (double)step->bytes;
		work->in_copies++;
	} else {
		work->out_bytes += (double)step->bytes;
		work->out_copies++;
	}
	work->managed |= memory == XS_MEM_MANAGED;
	work->pageable |= memory == XS_MEM_PAGEABLE;
}

/* Without the counters of one kernel, the sum is unknown. */
static void add_counts(struct xs_round_work *work,
		       const struct xs_counts *counts)
{
	work->read_sectors += counts ? counts->sectors_read : NAN;
	work->read_requests += counts ? counts->requests_read : NAN;
	work->write_sectors += counts ? counts->sectors_written : NAN;
	work->write_requests += counts ? counts->requests_written : NAN;
	work->l1_fills += counts ? counts->l1_fills : NAN;
	work->waiting_cycles += counts ? counts->waiting_cycles : NAN;
	work->warp_cycles += counts ? counts->warp_cycles : NAN;
	work->stores += counts ? counts->stores : NAN;
	work->store_sectors += counts ? counts->store_sectors : NAN;
	work->instructions += counts ? counts->instructions : NAN;
}

static void add_kernel(struct xs_round_work *work, const struct xs_step *step)
{
	add_counts(work, step->counts);
	work->kernels++;
	work->kernel_ns += op_time(step);
	work->blocks += (double)step->blocks;
	work->block_threads = step->block_threads;
	work->registers = step->registers;
	work->shared_bytes = step->shared_bytes;
}

/* Returns the time of a free without its wait for the device, whose ops before
 * it ended at ops_end_ns. */
static double free_time(const struct xs_step *step, uint64_t ops_end_ns)
{
	if (ops_end_ns <= step->call_ns || !step->blocking)
		return call_time(step);
	return fmax((double)step->return_ns - (double)ops_end_ns, 0);
}

/* Returns the part within the round. */
static double hash_time(const struct xs_step *step)
{
	return fmin((double)step->hash_ns, (double)step->call_ns);
}

static void add_allocation(struct xs_round_work *work,
			   const struct xs_step *step, double ns)
{
	work->allocation_ns += ns;
	if (step->dst_memory != XS_MEM_DEVICE)
		work->kept_allocation_ns += ns;
}

static void add_step(struct xs_round_work *work, const struct xs_step *step,
		     uint64_t ops_end_ns)
{
	switch (step->kind) {
	case XS_STEP_H2D:
	case XS_STEP_D2H:
		add_copy(work, step);
		work->unseen |= !is_seen(step);
		break;
	case XS_STEP_KERNEL:
		add_kernel(work, step);
		work->unseen |= !is_seen(step);
		break;
	case XS_STEP_D2D:
	case XS_STEP_H2H:
	case XS_STEP_SET:
		work->other_ns += op_time(step);
		break;
	case XS_STEP_FREE:
		add_allocation(work, step, free_time(step, ops_end_ns));
		break;
	case XS_STEP_ALLOCATE:
		add_allocation(work, step, call_time(step));
		if (work->in_copies && !work->kernels)
			work->between_ns += call_time(step);
		break;
	case XS_STEP_HOST:
		work->other_ns += call_time(step);
		break;
	default:
		break;
	}
}

double xs_step_staging_ns(const struct xs_phase *phase, size_t i)
{
	const struct xs_step *step = &phase->steps[i];
	const uint64_t since_ns =
	    i && step[-1].thread == step->thread ? step[-1].return_ns : 0;
	const double gap_ns =
	    step->call_ns > since_ns ? (double)(step->call_ns - since_ns) : 0;
	const double ns = fmax(gap_ns - hash_time(step), 0);

	return step->staged && xs_is_host_copy((double)step->bytes, ns) ? ns
									: 0;
}

/* Takes off what is not the host's own work: what was beside GPU work last. */
static void take_off_host(struct xs_round_work *work, double ns)
{
	work->beside_ns =
	    fmax(work->beside_ns - fmax(ns - work->host_ns, 0), 0);
	work->host_ns = fmax(work->host_ns - ns, 0);
}

/* One direction's copies of a round, and the host memory of all rounds. */
struct direction {
	uint64_t bytes, ops, all_bytes, all_buffers;
	double most_sets; /* that rounds may use in turn, if it is unknown */
};

/* Adds what all rounds use, to be pinned, and what of it is of one round. Of
 * unknown addresses that is all, with what these may be more. */
static void add_buffers(struct xs_round_work *work,
			const struct direction *from, double rounds)
{
	const double all = (double)from->all_buffers;
	const double more = all > 0 ? 0 : fmin(rounds, from->most_sets) - 1;

	work->pinned_bytes += (double)from->all_bytes;
	work->pinned_buffers += fmax(all, 1);
	work->set_bytes += (double)from->bytes;
	work->set_buffers += all > 0 ? fmin((double)from->ops, all) : 1;
	work->more_buffers += more;
	work->more_bytes += more * (double)from->all_bytes;
}

static void add_pinning(struct xs_round_work *work,
			const struct xs_phase *phase)
{
	const struct direction ins = {phase->h2d_bytes, phase->h2d_ops,
				      phase->h2d_buffer_bytes,
				      phase->h2d_buffers, XS_MOST_SETS_IN};
	const struct direction outs = {phase->d2h_bytes, phase->d2h_ops,
				       phase->d2h_buffer_bytes,
				       phase->d2h_buffers, XS_MOST_SETS_OUT};
	bool in = false, out = false;

	for (size_t i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];
		const double staging_ns = xs_step_staging_ns(phase, i);

		work->staging_ns += staging_ns;
		if (!xs_step_is_pageable(step) && staging_ns <= 0)
			continue;
		in |= step->kind == XS_STEP_H2D;
		out |= step->kind == XS_STEP_D2H;
	}
	if (in)
		add_buffers(work, &ins, (double)phase->rounds);
	work->filled_bytes = work->pinned_bytes;
	work->set_filled_bytes = work->set_bytes;
	work->more_filled_bytes = work->more_bytes;
	if (out)
		add_buffers(work, &outs, (double)phase->rounds);
	if (in && out) { /* some go both ways */
		work->pinned_bytes =
		    fmin(work->pinned_bytes, (double)phase->buffer_bytes);
		work->pinned_buffers =
		    fmin(work->pinned_buffers, (double)phase->buffers);
	}
	work->set_bytes = fmin(work->set_bytes, work->pinned_bytes);
	work->set_buffers = fmin(work->set_buffers, work->pinned_buffers);
	take_off_host(work, work->staging_ns);
	work->fresh_bytes = fmin((double)phase->touched_bytes, work->set_bytes);
}

static bool copies_in_to(const struct xs_phase *phase, uint64_t device)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == XS_STEP_H2D &&
		    phase->steps[i].dst == device)
			return true;
	return false;
}

static bool is_in_place(const struct xs_phase *phase)
{
	for (size_t i = 0; i < phase->step_count; i++)
		if (phase->steps[i].kind == XS_STEP_D2H &&
		    (!phase->steps[i].src ||
		     !copies_in_to(phase, phase->steps[i].src)))
			return false;
	return true;
}

void xs_round_work_build(const struct xs_phase *phase,
			 struct xs_round_work *work)
{
	uint64_t ops_end_ns = 0, since_ns = 0;
	double traced_ns = 0;
	size_t i;

	memset(work, 0, sizeof(*work));
	work->other_bytes = NAN;
	work->host_ns = (double)phase->host_ns.median_ns;
	work->beside_ns = (double)phase->beside_ns;
	work->kernel_hw_queues = phase->kernel_hw_queues;
	work->copy_hw_queues = phase->copy_hw_queues;
	for (i = 0; i < phase->step_count; i++) {
		const struct xs_step *step = &phase->steps[i];

		add_step(work, step, ops_end_ns);
		traced_ns +=
		    hash_time(step) +
		    xs_tracer_gap_ns(phase, i,
				     (double)step->call_ns - (double)since_ns);
		since_ns = step->return_ns;
		if (step->end_ns > ops_end_ns)
			ops_end_ns = step->end_ns;
	}
	take_off_host(work, traced_ns);
	work->in_place = is_in_place(phase);
	work->other_ns += work->allocation_ns;
	if (!work->kernels)
		add_counts(work, NULL);
	add_pinning(work, phase);
	xs_kernel_stages_add(phase, work);
}

struct xs_round_work xs_round_work_of_kernel(const struct xs_step *step)
{
	const double in = (double)step->given_in_bytes;
	const double out = (double)step->given_out_bytes;
	struct xs_round_work of = {.in_bytes = in > 0 ? in : out,
				   .out_bytes = out > 0 ? out : in,
				   .other_bytes =
				       (double)step->given_other_bytes};

	add_kernel(&of, step);
	return of;
}

static double blocks_per_sm(const struct xs_machine *machine, uint32_t threads,
			    uint32_t registers, uint32_t shared_bytes)
{
	double fit = machine->max_blocks_per_sm;

	if (!machine->max_threads_per_sm || !threads)
		return 0;
	if (!machine->max_blocks_per_sm)
		fit = INFINITY;
	fit = fmin(fit, floor((double)machine->max_threads_per_sm / threads));
	if (machine->registers_per_sm && registers)
		fit = fmin(fit, floor((double)machine->registers_per_sm /
				      ((double)registers * threads)));
	if (machine->shared_per_sm_bytes && shared_bytes)
		fit = fmin(fit, floor((double)machine->shared_per_sm_bytes /
				      shared_bytes));
	return fmax(fit, 1);
}

double xs_round_work_blocks_per_sm(const struct xs_round_work *work,
				   const struct xs_machine *machine)
{
	return blocks_per_sm(machine, work->block_threads, work->registers,
			     work->shared_bytes);
}

double xs_step_blocks_per_sm(const struct xs_step *step,
			     const struct xs_machine *machine)
{
	return blocks_per_sm(machine, step->block_threads, step->registers,
			     step->shared_bytes);
}

double xs_kernel_stage_min_share(const struct xs_kernel_stage *stage,
				 const struct xs_machine *machine)
{
	const double blocks =
	    blocks_per_sm(machine, stage->block_threads, stage->registers,
			  stage->shared_bytes);
	const double at_once = blocks * machine->sm_count;
	const double waves = at_once > 0 ? ceil(stage->blocks / at_once) : 0;
	const double threads = blocks * stage->block_threads;

	if (waves < 2)
		return 0;
	return fmin(1, ENOUGH_THREADS * machine->max_threads_per_sm / threads) /
	       waves;
}

/* What of a kernel decides on its share of the SMs. */
struct shape {
	double blocks;
	uint32_t threads, registers, shared_bytes;
};

/* Returns the share of the blocks that the SMs have room for; 0: unknown. */
static double share_of_room(const struct xs_machine *machine,
			    const struct shape *shape)
{
	const double room =
	    machine->sm_count * blocks_per_sm(machine, shape->threads,
					      shape->registers,
					      shape->shared_bytes);

	return room > 0 ? fmin(1, shape->blocks / room) : 0;
}

static double sm_share(const struct xs_machine *machine,
		       const struct shape *shape)
{
	const double enough =
	    ENOUGH_THREADS * machine->max_threads_per_sm * machine->sm_count;
	const double threads = shape->blocks * shape->threads;

	if (!(threads > 0) || !(enough > 0))
		return 1;
	return fmin(1, fmax(threads / enough, share_of_room(machine, shape)));
}

double xs_step_sm_share(const struct xs_step *step,
			const struct xs_machine *machine)
{
	const double share = share_of_room(
	    machine, &(struct shape){(double)step->blocks, step->block_threads,
				     step->registers, step->shared_bytes});

	return share > 0 ? share : 1;
}

double xs_kernel_stage_sm_share(const struct xs_kernel_stage *stage,
				const struct xs_machine *machine)
{
	const struct shape shape = {stage->blocks / fmax(stage->kernels, 1),
				    stage->block_threads, stage->registers,
				    stage->shared_bytes};

	return sm_share(machine, &shape);
}
