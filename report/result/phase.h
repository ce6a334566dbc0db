/* SPDX-License-Identifier: MIT */
/* A phase, its call sites and its estimates. Units and ownership: result.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_CALLERS_MAX 8u

/* A caller of the function at a call site, or the function it is inlined into.
 */
struct xs_result_caller {
	const char *function, *file; /* function NULL: unknown */
	int64_t line, calls;
};

/* A call site in the user's source that issues work of a phase. */
struct xs_result_site {
	const char *function, *file; /* of the user's code; NULL: unknown */
	int64_t line;
	const char *near;   /* "a.py:3", where the line is unknown; NULL */
	const char *text;   /* source line; NULL: file not found */
	const char *call;   /* the CUDA function called */
	const char *module; /* module and offset, if the line is unknown */
	int64_t offset;
	const char *step;		  /* "h2d", "d2h", "kernel", ... */
	int64_t calls, bytes;		  /* over all rounds */
	struct xs_result_caller *callers; /* most calls first */
	size_t caller_count;		  /* at most XS_CALLERS_MAX */
};

struct xs_result_estimate {
	const char *strategy, *model;
	int64_t n_streams; /* XS_UNKNOWN: strategy without streams */
	const char *order; /* "depth", "breadth" or NULL */
	int64_t round_ns, low_ns, high_ns;
	int64_t known_low_ns, known_high_ns; /* by known causes alone */
	/* by the host's own time, which moves the unchanged round as well */
	int64_t shared_low_ns, shared_high_ns;
	double speedup;	     /* of the round, and of the host's time between
			      * rounds if a row of the phase uses it */
	int64_t app_wall_ns; /* of the whole run under this strategy */
	int64_t app_wall_low_ns, app_wall_high_ns; /* its 90 % interval */
	int64_t saves_ns; /* of the whole run; negative: slower */
	int64_t saves_low_ns, saves_high_ns; /* between two other runs */
	int64_t between_ns; /* host time between rounds that copies use; 0 */
	int64_t setup_ns;   /* once per run */
	/* by which it may be less, or more, by the profile's ranges */
	int64_t setup_less_ns, setup_more_ns;
	int64_t loop_ns;       /* part of setup_ns: within the loop */
	int64_t new_memory_ns; /* part of setup_ns: first touch of further
				* buffers; 0 */
	int64_t calls_ns;      /* what a round saves of calls that stay */
	int64_t more_bytes;    /* of the device's memory, for further buffers */
	int64_t breakeven_rounds; /* rounds after which the setup pays off */
	const char *effort;
	int64_t effort_level; /* enum xs_effort: 0 none, 1 the least */
	bool applies;
	bool chosen;	      /* of the strategy's rows, the one to use */
	bool assumes_once;    /* assumes that each byte crosses the bus once */
	bool pins_new;	      /* by cudaMallocHost, and not cudaHostRegister */
	bool quiet;	      /* nothing to change: why is not printed */
	bool unmeasured;      /* why: the profile lacks a value */
	const char *bound;    /* NULL: prediction; else upper bound if */
	const char *only_if;  /* the first of assumes that the trace does not
			       * show, or bound; NULL: none */
	bool other_advice;    /* its advice is the strategy's other_advice */
	bool doubtful;	      /* the trace speaks against that condition */
	bool returning;	      /* so it does: a round's input is what the one
			       * before copied out */
	int64_t otherwise_ns; /* time of a round without the condition */
	const char *why;
	const char **assumes;
	size_t assume_count;
};

/* The phase in the ATGPU model (Carroll and Wong 2017), one round; figures as
 * in model/atgpu_phase.h. */
struct xs_result_atgpu {
	int64_t rounds; /* R */
	int64_t in_words, out_words, in_transactions, out_transactions;
	int64_t global_words, shared_words; /* peak; of a block */
	int64_t thread_blocks, blocks_per_sm;
	int64_t operations, memory_blocks; /* t_i, q_i */
	int64_t in_ns, out_ns;
	int64_t cost_ns, gpu_cost_ns, swgpu_cost_ns;
	double transfer_share, transfer_share_observed; /* as fractions of 1 */
	const char *why; /* why the cost is unknown, or NULL */
};

/* Hardware counters of a round's kernels. Sectors of 32 bytes and requests go
 * from the SMs to the L2; bytes counts all sectors. */
struct xs_result_counters {
	bool counted; /* if false, the rest is unknown */
	int64_t sectors_read, sectors_written;
	int64_t requests_read, requests_written;
	int64_t bytes, host_bytes; /* all; of these, in host memory */
	int64_t instructions;	   /* warp instructions */
	int64_t l1_fills;	   /* sectors that reads bring into the L1 */
};

struct xs_result_phase {
	int64_t id, rounds;
	bool all_asked; /* its texts name all of its places */
	const char *signature;
	uint64_t signature_hash;
	int64_t device;	       /* device number */
	int64_t total_ns;      /* over all rounds */
	int64_t concurrent_ns; /* of total_ns: while other rounds ran */
	int64_t wall_ns; /* of the run: while k rounds ran, each has 1/k of the
			  * time */
	int64_t queue;	 /* of all its ops, as in the trace; unknown: several */
	int64_t blocking_queue; /* of its copies in and out, if all block the
				 * host; unknown: several, or others */
	/* the least time of a round beside others, by what all of them move
	 * over their GPU's link, by their kernels, and by the copies and
	 * kernels of all rounds in its queue; 0: it has none beside it */
	int64_t beside_link_ns, beside_kernels_ns, beside_queue_ns;
	double blocking_at_once; /* rounds that share its blocking_queue, on
				  * average; 0 or 1: no others */
	int64_t first_start_ns;
	bool apart;  /* of the start-up, or after the steady part */
	bool before; /* of the start-up */
	/* part of the rounds that are outside of the steady part, 0 to 1, of
	 * those that do not warm up; 0 if all are apart */
	double outside;
	int64_t warm_up_ns; /* of the first round, if it warms up; 0 */
	/* of a round: a copy ran, or the host copied or waited. It is the most
	 * that a change of copies can save. movable_ns: or allocated or freed
	 */
	int64_t transfer_ns, movable_ns;
	int64_t issue_ns; /* of a round: the host's own code, and its calls that
			   * neither copy nor wait nor allocate */
	int64_t kernel_busy_ns; /* of a round: at least one kernel ran */
	const char *task_class; /* of Li et al. 2016, or "unknown" */
	const char *task_class_why;
	const char *independent; /* by it: "yes", "perhaps" or "no, ..." */
	bool task_class_known;
	int64_t least_ns;   /* of a round, if only data orders its copies and
			     * kernels; XS_UNKNOWN: unknown */
	int64_t free_bytes; /* of the device's memory, at least: by the calls
			     * that allocate it */
	int64_t h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, kernels;
	/* round_ns: the median, or the mean if that is less: rounds save no
	 * more than they take */
	int64_t round_ns, median_ns, round_low_ns, round_high_ns;
	int64_t tracer_ns;  /* part of round_ns that tracing takes; 0: little */
	int64_t tracing_ns; /* part of the run, by recorded rounds */
	/* the host's time until the next round, which round_ns does not
	 * contain; 0: none. between_ns: that of round_ns */
	int64_t between_ns, median_between_ns, mean_between_ns;
	int64_t h2d_ns, kernel_ns, d2h_ns;
	int64_t host_ns, host_blocked_ns, overlap_ns;
	int64_t h2d_call_ns, d2h_call_ns; /* with the calls that copy */
	int64_t kernel_waits;		  /* of the host, between two kernels */
	const char *kernel_wait_places;	  /* their calls; NULL: unknown */
	int64_t streams;		  /* streams that its ops ran on */
	int64_t in_sets; /* of device memory that its rounds fill in turn; 0 */
	const char *order; /* issue order: "depth", "breadth" */
	const char *src_memory, *dst_memory;
	bool staged;   /* the host copies to pinned memory before a copy in */
	bool offloads; /* a runtime of OpenMP or OpenACC makes calls, and owns
			* the device's memory and streams */
	const char **kernel_names; /* demangled, each once, in issue order */
	size_t kernel_name_count;
	const char *kernel_label; /* the first one without its namespaces and
				   * arguments; NULL: none */
	struct xs_result_site *sites;
	size_t site_count;
	struct xs_result_counters counters;
	struct xs_result_atgpu atgpu;
	struct xs_result_estimate *estimates;
	size_t estimate_count;
};
