/* SPDX-License-Identifier: MIT */
/*
 * What the measurements of xferspy calibrate share, and the measurements:
 * each fills the parameters of the profile that it is named for, and leaves
 * those alone that it could not measure (bench->gpu.failure says why).
 *
 * Every parameter is estimated many times over, in several passes that each
 * go through all of them; the profile gets the median and the range of 90 % of
 * all estimates, and the names of those on which the passes disagree. The
 * host's times are by CLOCK_MONOTONIC, the GPU's by events.
 */
#ifndef XS_REPORT_CALIBRATE_BENCH_H
#define XS_REPORT_CALIBRATE_BENCH_H

#include "model/machine.h"
#include "report/calibrate/cuda_device.h"
#include "report/calibrate/stats.h"

#define XS_MIB		 ((size_t)1 << 20)
#define XS_BENCH_BYTES	 (256 * XS_MIB) /* of each buffer */
#define XS_BENCH_STREAMS 64
#define XS_BENCH_EVENTS	 24
#define XS_BENCH_PASSES	 3

enum { XS_BENCH_IN, XS_BENCH_OUT, XS_BENCH_WAYS };

/* What the passes have found of one quantity. */
struct xs_pass_medians {
	struct xs_samples all;
	double medians[XS_BENCH_PASSES];
	int passes;
};

struct xs_bench {
	struct xs_cuda_device gpu;
	unsigned char *pageable; /* touched */
	void *pinned[XS_BENCH_WAYS];
	xs_cuda_address mapped[XS_BENCH_WAYS]; /* pinned, as the GPU sees it */
	xs_cuda_address device[XS_BENCH_WAYS];
	volatile uint32_t *flag; /* mapped, too */
	xs_cuda_address flag_address;
	uint32_t flag_value; /* the last that a kernel was to write */
	xs_cuda_stream stream[XS_BENCH_STREAMS];
	xs_cuda_event event[XS_BENCH_EVENTS];
	xs_cuda_event order[2]; /* without times */
	double cycles_per_ns;	/* of the SM's clock */
	unsigned sweep_blocks;	/* that fill the GPU */
	/* The most to move at once, so that it takes some ms at most: by a
	 * copy, by a kernel on mapped memory. Powers of two. */
	size_t copy_bytes, mapped_bytes;
	struct xs_pass_medians params[XS_PARAM_IDS];
	struct xs_pass_medians curves[XS_BENCH_WAYS][XS_CURVE_POINTS];
};

/* Takes the memory, streams and events; the GPU must be open. 0, or -EIO with
 * bench->gpu.failure set; close it either way. */
int xs_bench_open(struct xs_bench *bench);
void xs_bench_close(struct xs_bench *bench);

double xs_bench_now_ns(void);

/* One copy of pinned memory, its way by enum; offset from both ends' start. */
void xs_bench_copy_async(struct xs_bench *bench, int way, size_t offset,
			 size_t bytes, xs_cuda_stream stream);

/*
 * calibrate_passes.c. xs_bench_set: one pass has these samples of a parameter;
 * it becomes the median of all so far. Does nothing where anything has failed,
 * and fails where there are none. xs_bench_set_point: the same for a point of
 * a pageable curve, whose points come in order.
 */
void xs_bench_set(struct xs_bench *bench, struct xs_machine *machine,
		  enum xs_param_id id, const struct xs_samples *samples);
void xs_bench_set_point(struct xs_bench *bench, struct xs_machine *machine,
			int way, size_t point, size_t bytes,
			const struct xs_samples *samples);

/* Names what the passes disagree about: their medians are further apart than
 * 2 % of the value for what crosses the link, 10 % for the rest. */
void xs_bench_compare(const struct xs_bench *bench, struct xs_machine *machine);

/* Repeats of a measurement in one pass: once, and then until `most` or until
 * its time is up. for (turns = xs_bench_repeats(most);
 * xs_bench_repeat(&repeats);) */
struct xs_repeats {
	int done, most;
	double end_ns;
};
struct xs_repeats xs_bench_repeats(int most);
bool xs_bench_repeat(struct xs_repeats *repeats);

/* calibrate_device.c: what the driver and the system say; then a test. */
void xs_bench_describe(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_implicit_sync(struct xs_bench *bench, struct xs_machine *machine);

/* calibrate_copies.c */
void xs_bench_latency(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_bandwidth(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_gap(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_pageable(struct xs_bench *bench, struct xs_machine *machine);

/* calibrate_pairs.c: mapped accesses, and two kinds of traffic at once. */
void xs_bench_mapped(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_both_ways(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_mapped_against(struct xs_bench *bench,
			     struct xs_machine *machine);

/* calibrate_mapped.c: parts of lines and of sectors; writes under copies in,
 * which need G and the rate of mapped writes. What happens first, and to
 * copies that start later, is left alone where writes do not hold up copies. */
void xs_bench_mapped_parts(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_mapped_partial(struct xs_bench *bench,
			     struct xs_machine *machine);
void xs_bench_mapped_writes(struct xs_bench *bench, struct xs_machine *machine);

/* calibrate_pipeline.c: copies and kernels that wait for each other. */
void xs_bench_pipeline(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_copy_to_kernel(struct xs_bench *bench,
			     struct xs_machine *machine);

/* calibrate_calls.c: what calls cost the host, and how soon the GPU acts. */
void xs_bench_calls(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_blocking_copy(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_launch(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_sync(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_kernel_gap(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_stream_create(struct xs_bench *bench, struct xs_machine *machine);

/* calibrate_check.c: rounds of every family, measured against their replay on
 * the machine as far as it is known. Comes last. */
void xs_bench_check(struct xs_bench *bench, struct xs_machine *machine);

/* calibrate_summary.c: in words, how far to trust the profile. */
void xs_bench_summarize(const struct xs_machine *machine, FILE *out);

/* calibrate_memory.c: what host memory costs. */
void xs_bench_pin(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_register(struct xs_bench *bench, struct xs_machine *machine);
void xs_bench_touch(struct xs_bench *bench, struct xs_machine *machine);

#endif
