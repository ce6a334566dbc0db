/* SPDX-License-Identifier: MIT */
/* A small phase on a machine with round numbers, and its estimates. */
#pragma once

#include "tests/model/model_test.h"

static struct xs_machine machine;
static struct xs_phase phase;
static struct xs_step steps[16];
static struct xs_estimates list;
static struct xs_model_options options;

static inline void set_range(struct xs_param *param, double value)
{
	*param = (struct xs_param){value, value * 0.9, value * 1.2};
}

static inline void set_machine(void)
{
	xs_machine_init(&machine);
	machine.copy_engines = 2;
	machine.implicit_sync = 0;
	set_range(&machine.lo_h2d_ns, 5000);
	set_range(&machine.lo_d2h_ns, 6000);
	set_range(&machine.G_h2d, 0.02);
	set_range(&machine.G_d2h, 0.02);
	set_range(&machine.g_h2d_ns, 2500);
	set_range(&machine.g_d2h_ns, 2500);
	set_range(&machine.G_both_h2d, 0.022);
	set_range(&machine.G_both_d2h, 0.022);
	set_range(&machine.mapped_read, 0.0195);
	set_range(&machine.mapped_write, 0.019);
	set_range(&machine.mapped_both_read, 0.024);
	set_range(&machine.mapped_both_write, 0.024);
	set_range(&machine.mapped_write_vs_h2d, 0.03);
	set_range(&machine.h2d_vs_mapped_write, 0.028);
	set_range(&machine.call_copy_async_ns, 2500);
	set_range(&machine.call_copy_sync_ns, 3000);
	set_range(&machine.call_launch_ns, 3000);
	set_range(&machine.launch_latency_ns, 2000);
	set_range(&machine.kernel_gap_ns, 1000);
	set_range(&machine.sync_ns, 4000);
	set_range(&machine.stream_create_ns, 4000);
	set_range(&machine.graph_launch_ns, 4000);
	set_range(&machine.graph_launch_node_ns, 100);
	set_range(&machine.graph_instantiate_ns, 20000);
	set_range(&machine.graph_instantiate_node_ns, 500);
	set_range(&machine.graph_latency_ns, 1500);
	set_range(&machine.graph_gap_ns, 600);
	set_range(&machine.pin_fixed_ns, 10000);
	set_range(&machine.pin_byte_ns, 0.5);
}

static inline struct xs_step step_of(uint8_t kind, uint64_t call_ns,
				     uint64_t return_ns, uint64_t start_ns,
				     uint64_t end_ns)
{
	return (struct xs_step){
	    .kind = kind,
	    .src_memory = kind == XS_STEP_H2D ? XS_MEM_PAGEABLE : XS_MEM_DEVICE,
	    .dst_memory = kind == XS_STEP_D2H ? XS_MEM_PAGEABLE : XS_MEM_DEVICE,
	    .blocking = kind != XS_STEP_KERNEL,
	    .queue = 7,
	    .thread = 1,
	    .bytes = kind == XS_STEP_KERNEL ? 0 : 1000000,
	    .call_ns = call_ns,
	    .return_ns = return_ns,
	    .start_ns = start_ns,
	    .end_ns = end_ns};
}

static inline struct xs_step allocation(uint64_t call_ns, uint64_t return_ns)
{
	return (struct xs_step){.kind = XS_STEP_ALLOCATE,
				.thread = 1,
				.call_ns = call_ns,
				.return_ns = return_ns};
}

/* Returns the counts of a kernel that reads so many sectors, four at once, and
 * writes 1 MB. */
static inline struct xs_counts reads(double sectors)
{
	return (struct xs_counts){
	    sectors, 31250, round(sectors / 4), 7813, 0, 0, 1, NAN, NAN, NAN,
	    NAN,     NAN};
}

/* 1 MB in, a kernel of 100 us, 1 MB out; pageable and blocking. */
static inline int set_up(void **unused)
{
	(void)unused;
	set_machine();
	steps[0] = step_of(XS_STEP_H2D, 0, 200000, 5000, 195000);
	steps[1] = step_of(XS_STEP_KERNEL, 201000, 204000, 206000, 306000);
	steps[2] = step_of(XS_STEP_D2H, 205000, 510000, 307000, 500000);
	phase = (struct xs_phase){.rounds = 10,
				  .h2d_bytes = 1000000,
				  .d2h_bytes = 1000000,
				  .h2d_ops = 1,
				  .d2h_ops = 1,
				  .kernel_ops = 1,
				  .round_ns = {510000, 500000, 530000},
				  .kernel_ns = {100000, 99000, 103000},
				  .host_ns = {2000, 2000, 2000},
				  .h2d_buffers = 1,
				  .d2h_buffers = 1,
				  .h2d_buffer_bytes = 1000000,
				  .d2h_buffer_bytes = 1000000,
				  .buffers = 2,
				  .buffer_bytes = 2000000,
				  .steps = steps,
				  .step_count = 3};
	options = (struct xs_model_options){0};
	return 0;
}

static inline int tear_down(void **unused)
{
	(void)unused;
	xs_estimates_free(&list);
	return 0;
}

static inline void estimate(void)
{
	xs_estimates_free(&list);
	xs_model_phase(&phase, &machine, &options, &list);
}

/* Returns the row of a strategy by a model; n 0 and order NONE match any. */
static inline const struct xs_estimate *
find(const char *strategy, const char *model, unsigned n, enum xs_order order)
{
	for (size_t i = 0; i < list.count; i++) {
		const struct xs_estimate *row = &list.items[i];

		if (!strcmp(row->strategy, strategy) &&
		    !strcmp(row->model, model) && (!n || row->n_streams == n) &&
		    (!order || row->order == order))
			return row;
	}
	fail_msg("no row %s by %s, n = %u", strategy, model, n);
	return NULL;
}

static inline const struct xs_estimate *replayed(const char *strategy)
{
	return find(strategy, "replay", 0, XS_ORDER_NONE);
}

/* The same of a new estimate, which ends all rows before. */
static inline const struct xs_estimate *estimated(const char *strategy)
{
	estimate();
	return replayed(strategy);
}

/* Return the row of a strategy in n pieces, piece by piece; the second one of a
 * new estimate. */
static inline const struct xs_estimate *pieces(const char *strategy, unsigned n)
{
	return find(strategy, "replay", n, XS_ORDER_DEPTH);
}

static inline const struct xs_estimate *new_pieces(const char *strategy,
						   unsigned n)
{
	estimate();
	return pieces(strategy, n);
}
