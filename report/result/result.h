/* SPDX-License-Identifier: MIT */
/*
 * The result: everything that xferspy reports on one trace, and the only input
 * of the renderers. It is the JSON report as a struct.
 *
 * Times are in ns and sizes in bytes, of the median round of a phase unless
 * the name or a comment says otherwise. XS_UNKNOWN, NULL or NAN means unknown
 * and is never written as 0. The result owns everything that pointers reach.
 */
#ifndef XS_REPORT_RESULT_RESULT_H
#define XS_REPORT_RESULT_RESULT_H

#include "model/machine/machine.h"
#include "model/strategies/strategies.h"
#include "report/result/arena.h"
#include "report/result/coverage.h"
#include "report/result/dataflow.h"
#include "report/result/device.h"
#include "report/result/gpu_link.h"
#include "report/result/nvtx.h"
#include "report/result/pinned_budget.h"
#include "report/result/runs.h"
#include "report/result/timeline.h"
#include "report/result/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time below 1 / XS_RESULT_LEAST_PART of the steady part, 1 %, is next to
 * nothing: no step saves less. Of what comes outside of the steady part it is
 * 1 % of the run. */
#define XS_RESULT_LEAST_PART 100

struct xs_result_run {
	const char *path; /* of the trace file */
	const char *app, *host;
	int64_t pid;
	/* of its launcher: number and count of processes; XS_UNKNOWN: none */
	int64_t rank, ranks;
	int64_t numa_node;	 /* that it began on; XS_UNKNOWN */
	const char *recorder;	 /* version of xferspy; NULL: unknown */
	const char *started_utc; /* ISO 8601 */
	int64_t wall_ns;	 /* of the traced part */
	int64_t tracer_ns;	 /* of wall_ns, by all phases' tracing_ns */
	int64_t ignored_ns;	 /* of the run, outside XFERSPY_RANGE */
	struct xs_result_device *devices;
	size_t device_count;
	struct xs_result_gpu_link *links; /* with copies */
	size_t link_count;
	int64_t unlisted_copies; /* between further pairs of GPUs */
	const char *cupti_version, *driver_version;
	/* CUDA_DEVICE_MAX_... in the program's environment; XS_UNKNOWN: not
	 * set */
	int64_t max_connections, max_copy_connections;
	/* framework of the Python code; XS_LANGUAGES: not known */
	enum xs_language python;
};

/* Where the time of the run went. */
struct xs_result_totals {
	int64_t h2d_bytes, d2h_bytes;
	int64_t h2d_ops, d2h_ops, kernels;
	int64_t h2d_ns, d2h_ns, kernel_ns;  /* at least one such op runs */
	int64_t d2d_bytes, d2d_ops, d2d_ns; /* on one device */
	int64_t p2p_bytes, p2p_ops, p2p_ns; /* between devices */
	int64_t gpu_busy_ns, overlap_ns, host_blocked_ns, pinned_alloc_ns;
	/* of managed memory, not included above */
	int64_t migrated_h2d_bytes, migrated_d2h_bytes;
	int64_t migrated_h2d_ns, migrated_d2h_ns;
	int64_t init_ns;   /* CUDA start-up, not included above */
	bool init_at_most; /* upper bound: the call was not recorded */
	int64_t pageable_async_ops;
};

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
	const char *text;   /* source line; NULL: file not found */
	const char *call;   /* the CUDA function called */
	const char *module; /* module and offset, if the line is unknown */
	int64_t offset;
	const char *step;		  /* "h2d", "d2h", "kernel", ... */
	int64_t calls, bytes;		  /* over all rounds */
	struct xs_result_caller *callers; /* most calls first */
	size_t caller_count;		  /* at most XS_CALLERS_MAX */
};

/*
 * How long the host waited at one call site, over all calls. The parts add up
 * to waited_ns.
 */
struct xs_result_wait {
	struct xs_result_site site;
	const char *kind;  /* kind of call: "copy", "free-device", ... */
	bool hidden;	   /* the call synchronises implicitly */
	bool pageable;	   /* copies of pageable memory */
	int64_t gpu_calls; /* calls that waited for other GPU work */
	int64_t waited_ns;
	int64_t own_ns;				     /* the call's own copy */
	int64_t h2d_ns, kernel_ns, d2h_ns, other_ns; /* other work, by kind */
	int64_t latency_ns; /* until the first of that work started */
	int64_t host_ns;    /* the call's own host work */
	int64_t minor_faults, major_faults; /* XS_UNKNOWN: not recorded */
	int64_t touched_bytes; /* at least; first touched by these faults */
	int64_t touched_ns;    /* time of the first touches, part of the wait */
	const char *text;      /* the wait as a sentence */
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
	int64_t saves_ns;      /* of the whole run; negative: slower */
	int64_t between_ns;    /* host time between rounds that copies use; 0 */
	int64_t setup_ns;      /* once per run */
	int64_t loop_ns;       /* part of setup_ns: within the loop */
	int64_t new_memory_ns; /* by which setup_ns is longer if further buffers
				* are new memory; 0 */
	int64_t more_bytes;    /* of the device's memory, for further buffers */
	int64_t breakeven_rounds; /* rounds after which the setup pays off */
	const char *effort;
	int64_t effort_level; /* enum xs_effort: 0 none, 1 the least */
	bool applies;
	bool chosen;	      /* of the strategy's rows, the one to use */
	bool assumes_once;    /* assumes that each byte crosses the bus once */
	bool quiet;	      /* nothing to change: why is not printed */
	bool unmeasured;      /* why: the profile lacks a value */
	const char *bound;    /* NULL: prediction; else upper bound if */
	const char *needs;    /* the first of assumes that the trace does not
			       * show, or bound; NULL: none */
	bool doubtful;	      /* the trace speaks against that condition */
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
	const char *signature;
	uint64_t signature_hash;
	int64_t device;	       /* device number */
	int64_t total_ns;      /* over all rounds */
	int64_t concurrent_ns; /* of total_ns: while other rounds ran */
	int64_t wall_ns; /* of the run: while k rounds ran, each has 1/k of the
			  * time */
	/* the least time of a round beside others, by what all of them move
	 * over their GPU's link and by their kernels; 0: it has none beside it
	 */
	int64_t beside_link_ns, beside_kernels_ns;
	int64_t first_start_ns;
	bool apart; /* of the start-up, or after the steady part */
	/* part of the rounds that are outside of the steady part, 0 to 1; 0
	 * if all are apart */
	double outside;
	int64_t warm_up_ns; /* of the first round, if it warms up; 0 */
	/* of a round: a copy ran, or the host copied or waited. It is the most
	 * that a change of copies can save. movable_ns: or allocated or freed
	 */
	int64_t transfer_ns, movable_ns;
	int64_t kernel_busy_ns; /* of a round: at least one kernel ran */
	const char *task_class; /* of Li et al. 2016, or "unknown" */
	const char *task_class_why;
	bool task_class_known;
	int64_t free_bytes; /* of the device's memory, at least: by the calls
			     * that allocate it */
	int64_t h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, kernels;
	int64_t round_ns, round_low_ns, round_high_ns;
	int64_t tracer_ns;  /* part of round_ns that tracing takes; 0: little */
	int64_t tracing_ns; /* part of the run, by recorded rounds */
	int64_t between_ns; /* the host's time until the next round, which
			     * round_ns does not contain; 0: none */
	int64_t h2d_ns, kernel_ns, d2h_ns;
	int64_t host_ns, host_blocked_ns, overlap_ns;
	int64_t h2d_call_ns, d2h_call_ns; /* with the calls that copy */
	int64_t kernel_waits;		  /* of the host, between two kernels */
	const char *kernel_wait_places;	  /* their calls; NULL: unknown */
	int64_t streams;		  /* streams that its ops ran on */
	const char *order;		  /* issue order: "depth", "breadth" */
	const char *src_memory, *dst_memory;
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

/* The phases that are too short to be among the result's phases. */
struct xs_result_rest {
	int64_t phases, rounds;
	int64_t total_ns, largest_ns; /* of all; of the longest one */
};

/* The unchanged run on another machine; unknown unless all phases are
 * predicted. A rest of at most 5 % of their time counts as unchanged. */
struct xs_result_other_machine {
	const char *strategy; /* "machine:<name>" */
	int64_t app_wall_ns, low_ns, high_ns;
	int64_t phases; /* predicted phases */
};

/* Why the result has its machine profile. */
struct xs_result_machine_choice {
	const char *origin; /* "given", "calibrated", "shipped" or "fitted" */
	const char *reason;
	const char *calibrating; /* what it would improve; NULL: nothing */
	bool other_gpu;		 /* of another GPU than the trace: predictions
				  * are not compared with the recorded times */
};

/* A part of the run: what it was spent on. */
struct xs_result_part {
	int part;	   /* enum xs_run_part */
	const char *what;  /* "copies", "kernels", "host", ... */
	const char *words; /* the same in a sentence */
	int64_t ns;
};

/* What bounds the run, and how much a change of data movement can save. */
struct xs_result_verdict {
	const char *missing; /* what the trace lacks; NULL: nothing */
	int64_t startup_ns;  /* before the steady part */
	int64_t steady_ns;   /* from the first repeated round to the last; of a
			      * run without repeated rounds: all after CUDA's
			      * own start */
	int64_t tracer_ns;   /* in none of steady_ns, recorded_ns, parts */
	bool repeats;	     /* there are repeated rounds */
	int64_t recorded_ns; /* of the steady part; the sum of parts */
	int64_t gpu_ns;	     /* of these: a GPU worked */
	struct xs_result_part *parts; /* of the steady part, longest first */
	size_t part_count;
	/* of the whole run, and of these in the steady part: xs_limit_build()
	 */
	int64_t at_most_saves_ns, at_most_steady_ns;
	const char *host_place; /* the call before which the host spends the
				 * most time in its own code; NULL: none */
	const char *text;
	bool tells_pinning; /* text has what pinning outside of it takes */
};

/* The steady part; empty if no round repeats. */
struct xs_result_steady {
	const struct xs_result_phase *phase; /* nearly all of its rounds; NULL:
					      * there is none */
	int64_t rounds; /* of that phase in it; XS_UNKNOWN: not known */
	struct xs_result_totals totals;
	struct xs_result_wait *waits; /* the longest first; their texts are of
				       * one round if `rounds` is known */
	size_t wait_count;
};

/* A step of the plan: one change, after the steps before it. */
struct xs_result_step {
	int64_t step; /* 1, 2, ... */
	const struct xs_result_phase *phase;
	const struct xs_result_estimate *estimate;
	int64_t adds_saves_ns;		     /* of the whole run */
	int64_t saves_low_ns, saves_high_ns; /* its interval, by the rounds */
	int64_t adds_steady_ns;		     /* of these in the steady part */
	int64_t side_by_side; /* rounds of threads or GPUs at a time, on
			       * average; if several, saves at most */
	int64_t round_before_ns, round_ns; /* before and with this step, after
					    * the earlier ones of the phase */
	int64_t app_wall_ns, low_ns, high_ns; /* with all steps so far */
	int64_t pays_rounds;   /* from so many rounds on, with its buffers in
				* new memory; XS_UNKNOWN: in this run */
	bool may_be_slower;    /* the steps so far may lengthen the run */
	const char *condition; /* not shown by the trace; NULL: none */
	const struct xs_result_step *same; /* an earlier step, the same change
					    * at other lines; NULL: none */
	const char *text;
	const char *code; /* lines to write there; NULL: none */
	const struct xs_result_site **sites;
	size_t site_count;
};

struct xs_result {
	struct xs_result_run run;
	struct xs_result_coverage coverage;
	struct xs_machine machine;
	struct xs_result_machine_choice machine_choice;
	struct xs_result_totals totals;
	int64_t streams_asked;		/* requested n, or XS_UNKNOWN */
	bool atgpu_asked;		/* text prints ATGPU metrics too */
	bool dataflow_asked;		/* text prints the dataflow too */
	bool all_asked;			/* text prints all of it */
	struct xs_result_phase *phases; /* longest total time first */
	size_t phase_count;
	struct xs_result_rest rest;   /* the phases after these */
	struct xs_result_wait *waits; /* the longest first */
	size_t wait_count;
	struct xs_result_verdict verdict;
	struct xs_result_steady steady;
	struct xs_result_step *plan; /* in the order in which to do them */
	size_t plan_count;
	const char *no_step; /* why none is of the steady part; NULL: one is, or
			      * one is access to another GPU's memory */
	const char *no_pinning; /* why pinning is no step for a phase without
				 * steps; NULL: there is no such phase */
	const char *question; /* what may save more than the plan, and on which
			       * condition; NULL: nothing */
	const char *question_code; /* lines to write for that, or for what
				    * no_step says; NULL: none */
	struct xs_result_other_machine *other_machines;
	size_t other_machine_count;
	struct xs_result_dataflow *dataflow;	       /* NULL: not known */
	struct xs_result_pinned_budget *pinned_budget; /* NULL: not asked */
	struct xs_result_nvtx *nvtx;		       /* NULL: not asked for */
	struct xs_result_runs *runs;	     /* NULL: of this run alone */
	struct xs_result_timeline *timeline; /* NULL: not asked for */
	struct xs_arena arena;		     /* owns everything above */
};

void xs_result_free(struct xs_result *result);

/* Returns the time of a part (enum xs_run_part) of the recorded time; 0: none.
 */
int64_t xs_result_part_ns(const struct xs_result_verdict *verdict, int part);

/* Returns the part of a time of all rounds that is in the steady part. */
int64_t xs_result_in_steady(const struct xs_result_phase *phase, int64_t ns);

/* Return the time of a round, and of the run (or XS_UNKNOWN), without tracing:
 * savings are counted from these. */
int64_t xs_result_untraced_ns(const struct xs_result_phase *phase);
int64_t xs_result_untraced_wall_ns(const struct xs_result *result);

/* Returns the part of its rounds' time that counts for the run: 1 if alone. */
double xs_result_share(const struct xs_result_phase *phase);

/* Returns a time per round as a time of the whole run, ns. */
double xs_result_of_run(const struct xs_result_phase *phase, double round_ns);

/* Returns the phase's part of the run, untraced, without a round of warm-up. */
int64_t xs_result_repeated_ns(const struct xs_result_phase *phase);

/* Returns what verdict.steady_ns is the time of, in words. */
const char *xs_result_steady_name(const struct xs_result *result);

/* Returns what allocates the program's memory: its framework, or CUDA. */
enum xs_language xs_result_language(const struct xs_result_run *run);

#endif
