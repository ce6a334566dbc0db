/* SPDX-License-Identifier: MIT */
/*
 * The measurements of xferspy calibrate. Each fills the parameters named in
 * its function, and leaves parameters unchanged that it cannot measure;
 * bench->gpu.failure then says why.
 *
 * Every parameter is estimated many times in several passes over all
 * parameters. The profile gets the median of all passes, for host times of
 * calls that of the fastest, and the range of 90 % of all estimates. Host times
 * are from CLOCK_MONOTONIC, GPU times from events.
 */
#pragma once

#include "model/machine/machine.h"
#include "report/calibrate/cuda_device.h"
#include "report/calibrate/stats.h"

#define XS_MIB		    ((size_t)1 << 20)
#define XS_BENCH_BYTES	    (256 * XS_MIB) /* of each buffer */
#define XS_BENCH_EVICTED    (XS_BENCH_BYTES / 2)
#define XS_BENCH_STREAMS    64
#define XS_BENCH_EVENTS	    24
#define XS_BENCH_PASSES	    3
#define XS_BENCH_FLAG_BYTES 16384

enum { XS_BENCH_IN, XS_BENCH_OUT, XS_BENCH_WAYS };

/* Estimates of one parameter over all passes. */
struct xs_pass_medians {
	struct xs_samples all;
	double medians[XS_BENCH_PASSES];
	int passes;
};

struct xs_bench {
	struct xs_cuda_device gpu;
	struct xs_machine *machine; /* what is measured; the caller's */
	unsigned char *pageable;    /* pages touched */
	void *pinned[XS_BENCH_WAYS];
	xs_cuda_address mapped[XS_BENCH_WAYS]; /* GPU addresses of pinned */
	xs_cuda_address device[XS_BENCH_WAYS];
	volatile uint32_t *flag; /* mapped; XS_BENCH_FLAG_BYTES */
	xs_cuda_address flag_address;
	uint32_t flag_value; /* last value written by a kernel */
	xs_cuda_stream stream[XS_BENCH_STREAMS];
	xs_cuda_event event[XS_BENCH_EVENTS];
	xs_cuda_event order[2]; /* without timing */
	double cycles_per_ns;	/* SM clock */
	unsigned sweep_blocks;	/* blocks that fill the GPU */
	/* Largest sizes, powers of two, that a copy or a kernel on mapped
	 * memory moves in some ms. */
	size_t copy_bytes, mapped_bytes;
	struct xs_pass_medians params[XS_PARAM_IDS];
	struct xs_pass_medians curves[XS_BENCH_WAYS][XS_CURVE_POINTS];
};

/* Allocates memory, streams and events; the GPU must be open. Returns 0, or
 * -EIO with bench->gpu.failure set. Call xs_bench_close() in both cases. */
int xs_bench_open(struct xs_bench *bench);
void xs_bench_close(struct xs_bench *bench);

/* Stores the GPU's UUID, as nvidia-smi prints it; "" if it is unknown. */
void xs_bench_read_uuid(const struct xs_bench *bench, char *text, size_t size);

double xs_bench_now_ns(void);

/* A GPU takes seconds for the longest step. */
#define XS_BENCH_ANSWER_SECONDS 120

/* Starts the time in which the GPU must answer anew; SIGALRM ends it. */
void xs_bench_expect_answer(void);

/* Returns the GPU time between the two, in a stream. The second waits. */
void xs_bench_begin(struct xs_bench *bench, xs_cuda_stream stream);
double xs_bench_end_ns(struct xs_bench *bench, xs_cuda_stream stream);

/* Issues one pinned copy in direction `way`; offset applies to both ends. */
void xs_bench_copy_async(struct xs_bench *bench, int way, size_t offset,
			 size_t bytes, xs_cuda_stream stream);

/*
 * passes.c. xs_bench_set adds the samples of one pass to a parameter, which
 * becomes the median of all passes so far, for host times of calls the lowest
 * median of a pass: others on the host only add to these. After a failure it
 * does nothing; without samples it fails. xs_bench_set_point does the same for
 * a point of a pageable curve, the median of all; points are set in order.
 */
void xs_bench_set(struct xs_bench *bench, enum xs_param_id id,
		  const struct xs_samples *samples);
void xs_bench_set_point(struct xs_bench *bench, int way, size_t point,
			size_t bytes, const struct xs_samples *samples);

/* Repeats a measurement in one pass: at least once, then until `most` or until
 * the time is used up. Use: repeats = xs_bench_repeats(most); while
 * (xs_bench_repeat(&repeats)) ... */
struct xs_repeats {
	int done, most;
	double end_ns;
};
struct xs_repeats xs_bench_repeats(int most);
bool xs_bench_repeat(struct xs_repeats *repeats);

/* A time, ns, that grows with a number, such as of bytes; what: as the sweep
 * has it. */
typedef double xs_bench_time(struct xs_bench *bench, const void *what,
			     size_t number);

/* That time of so many numbers, of which each is twice the one before. */
struct xs_sweep {
	xs_bench_time *time_ns;
	const void *what;
	size_t most; /* the last number */
	int sizes;   /* at most XS_FIT_MAX */
};

/* Returns the line of the times over the numbers. */
struct xs_line xs_bench_line(struct xs_bench *bench,
			     const struct xs_sweep *sweep);

/* Returns the slopes of at least one, and of at most so many repeats. */
struct xs_samples xs_bench_slopes(struct xs_bench *bench,
				  const struct xs_sweep *sweep, int most);

/* Sets the parameter to them. */
void xs_bench_set_slope(struct xs_bench *bench, enum xs_param_id id,
			const struct xs_sweep *sweep, int most);

/* A step of a calibration: measures and sets parameters of the machine. */
typedef void xs_bench_step(struct xs_bench *bench);

/* describe.c: properties from driver and system; a test of implicit
 * synchronisation. */
xs_bench_step xs_bench_describe, xs_bench_implicit_sync;

/* copies.c */
xs_bench_step xs_bench_latency, xs_bench_bandwidth, xs_bench_gap,
    xs_bench_pageable;
/* Host time of one blocking copy between host and bench->device, in ns. */
double xs_bench_blocking_ns(struct xs_bench *bench, int way, void *host,
			    size_t bytes);

/* pairs.c: mapped accesses, and two kinds of traffic at the same time. */
xs_bench_step xs_bench_mapped, xs_bench_both_ways, xs_bench_mapped_against;

/* mapped.c: partial lines and sectors, and mapped writes during copies in.
 * xs_bench_mapped_writes needs G and the rate of mapped writes. It leaves its
 * parameters unchanged if writes do not slow copies. */
xs_bench_step xs_bench_mapped_parts, xs_bench_mapped_partial,
    xs_bench_mapped_writes;

/* in_flight.c: dependent reads. xs_bench_evict() fills the L2 cache with the
 * first XS_BENCH_EVICTED bytes of the device's buffer for copies out, so that
 * reads of the others go to the device's memory. */
void xs_bench_evict(struct xs_bench *bench);
xs_bench_step xs_bench_in_flight;

/* pipeline.c: copies and kernels that depend on each other. */
xs_bench_step xs_bench_pipeline, xs_bench_copy_to_kernel;

/* calls.c: host time of calls, and latencies of the GPU. */
xs_bench_step xs_bench_calls, xs_bench_blocking_copy, xs_bench_launch,
    xs_bench_sync, xs_bench_kernel_gap, xs_bench_stream_create;
/* Polls for the flag that the last launch sets to flag_value. Returns when it
 * was seen; fails after a second. */
double xs_bench_flag_seen_ns(struct xs_bench *bench);

/* control.c: flags and messages of kernels and the host, without copies. Each
 * poll has a deadline. */
xs_bench_step xs_bench_polls, xs_bench_mailbox, xs_bench_messages,
    xs_bench_blocks;

/* peers.c: copies between this GPU and another one. Leaves its parameters
 * unchanged without another GPU, those of direct copies also without peer
 * access. */
xs_bench_step xs_bench_peers;

/* check.c: measures rounds of every strategy family and compares them with
 * their replay on this profile. Call it last. */
xs_bench_step xs_bench_check;

/* summary.c: prints how accurate the profile is. */
void xs_bench_summarize(const struct xs_machine *machine, FILE *out);

/* graph.c: graphs of kernels. batch.c: many copies in one call. Both leave
 * their parameters unchanged if the driver lacks the calls. */
xs_bench_step xs_bench_graph, xs_bench_batch;

/* memory.c: host time of pinning and first touch; of allocating and freeing
 * device memory, and the first copy into it. gather.c: of gathering. */
xs_bench_step xs_bench_pin, xs_bench_register, xs_bench_touch,
    xs_bench_allocate, xs_bench_gather;
