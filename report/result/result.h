/* SPDX-License-Identifier: MIT */
/*
 * The result: everything that xferspy reports on one trace, and the only input
 * of the renderers. It is the JSON report as a struct.
 *
 * Times are in ns and sizes in bytes, of the median round of a phase unless
 * the name or a comment says otherwise. XS_UNKNOWN, NULL or NAN means unknown
 * and is never written as 0. The result owns everything that pointers reach.
 */
#pragma once

#include "analyzer/util/each.h"
#include "model/machine/machine.h"
#include "model/strategies/strategies.h"
#include "report/result/advice.h"
#include "report/result/arena.h"
#include "report/result/coverage.h"
#include "report/result/device.h"
#include "report/result/optional.h"
#include "report/result/phase.h"
#include "report/result/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time below 1 / XS_RESULT_LEAST_PART of the steady part, 1 %, is next to
 * nothing: no step saves less. Of what comes outside of the steady part it is
 * 1 % of the run. */
#define XS_RESULT_LEAST_PART 100

/* What is a step, and what a question; as in docs/advice.md. */
#define XS_RESULT_STEP_RULE                                                    \
	"\"1.\" is a step: it saves in its whole range, \"as long as\" the "   \
	"code keeps what stands there. \"1?\" is a question: its range "       \
	"begins below zero, or it saves \"only if\" something holds that the " \
	"trace does not show. \"?.\" is a question whose change would take "   \
	"the place of steps."

/* Median and mean rounds that differ by less than 1 / XS_RESULT_MEAN_PART, 2 %,
 * are told as one. */
#define XS_RESULT_MEAN_PART 50

/* A saving below 1 / XS_RESULT_TOLD_PART of the run is in no line. */
#define XS_RESULT_TOLD_PART 1000

struct xs_result_run {
	const char *path; /* of the trace file */
	const char *app, *host;
	int64_t pid;
	/* of its launcher: number and count of processes; XS_UNKNOWN: none */
	int64_t rank, ranks;
	const char *job;	 /* the same in all ranks; NULL: unknown */
	int64_t numa_node;	 /* that it began on; XS_UNKNOWN */
	const char *recorder;	 /* version of xferspy; NULL: unknown */
	const char *started_utc; /* ISO 8601 */
	int64_t start_us;	 /* the same, since 1970; XS_UNKNOWN */
	int64_t wall_ns;	 /* of the traced part */
	int64_t tracer_ns;	 /* of wall_ns, by all phases' tracing_ns */
	int64_t ignored_ns;	 /* of the run, outside XFERSPY_RANGE */
	const char *range; /* its value; NULL: unknown, or the whole run */
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
	bool python_frames; /* calls have frames of Python */
};

/* Where the time of the run went. */
struct xs_result_totals {
	int64_t h2d_bytes, d2h_bytes;
	int64_t h2d_ops, d2h_ops, kernels;
	int64_t h2d_ns, d2h_ns, kernel_ns;  /* at least one such op runs */
	int64_t d2d_bytes, d2d_ops, d2d_ns; /* on one device */
	int64_t p2p_bytes, p2p_ops, p2p_ns; /* between devices */
	int64_t gpu_busy_ns, overlap_ns, host_blocked_ns;
	int64_t pinned_alloc_ns, pinned_free_ns;
	/* of managed memory, not included above */
	int64_t migrated_h2d_bytes, migrated_d2h_bytes;
	int64_t migrated_h2d_ns, migrated_d2h_ns;
	int64_t init_ns;   /* CUDA start-up, not included above */
	bool init_at_most; /* upper bound: the call was not recorded */
	int64_t pageable_async_ops;
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
	int64_t own_ns, own_out_ns; /* the call's own copy; of it, copies out */
	int64_t h2d_ns, kernel_ns, d2h_ns, other_ns; /* other work, by kind */
	int64_t latency_ns; /* until the first of that work started */
	int64_t host_ns;    /* the call's own host work */
	int64_t minor_faults, major_faults; /* XS_UNKNOWN: not recorded */
	int64_t touched_bytes; /* at least; first touched by these faults */
	/* Of copies that touch half of their bytes: what they copy, their time.
	 */
	int64_t touching_bytes, touching_ns;
	int64_t touched_ns; /* time of the first touches, part of the wait */
	const char *text;   /* the wait as a sentence */
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
	const char *opening; /* the plan in one sentence; NULL: not known */
	struct xs_result_steady steady;
	struct xs_result_step *plan; /* in the order in which to do them */
	size_t plan_count;
	int64_t step_count;  /* of the plan, and of no phase: the last number */
	const char *no_step; /* why none is of the steady part; NULL: one is, or
			      * one is access to another GPU's memory */
	/* the rows that no_step or the question name, without and with a
	 * condition; NULL: none */
	const struct xs_result_estimate *nearest, *nearest_if;
	const char *no_pinning; /* why pinning is no step for a phase without
				 * steps; NULL: there is no such phase */
	const char *question; /* what may save more than the plan, and on which
			       * condition; NULL: nothing */
	const char *asks;     /* its clause, "could data stay on the GPU" */
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

/* Returns whether the phase's round is the mean one: the median is 2 % longer.
 */
bool xs_result_is_mean(const struct xs_result_phase *phase);

/* Returns the part of its rounds' time that counts for the run: 1 if alone. */
double xs_result_share(const struct xs_result_phase *phase);

/* Returns how many of the phase's rounds count: a first one that warms up does
 * not. */
int64_t xs_result_rounds(const struct xs_result_phase *phase);

/* Returns a time per round as a time of all rounds that count, ns. */
double xs_result_of_run(const struct xs_result_phase *phase, double round_ns);

/* Returns the phase's part of the run, untraced, without a round of warm-up. */
int64_t xs_result_repeated_ns(const struct xs_result_phase *phase);

/* Returns what shares of the run are shares of: "the run", or "the traced part"
 * if XFERSPY_RANGE left out some of it. */
const char *xs_result_run_name(const struct xs_result *result);

/* Returns the heading of such shares: "of run" or "of traced". */
const char *xs_result_run_heading(const struct xs_result *result);

/* Returns what verdict.steady_ns is the time of, in words. */
const char *xs_result_steady_name(const struct xs_result *result);

/* Returns its totals, of a run without repeated rounds those of the run. */
const struct xs_result_totals *
xs_result_steady_totals(const struct xs_result *result);

/* Returns what allocates the program's memory: its framework, or CUDA. */
enum xs_language xs_result_language(const struct xs_result_run *run);
