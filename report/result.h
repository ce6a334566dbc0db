/* SPDX-License-Identifier: MIT */
/*
 * The result: all that xferspy has to say about one trace, and the whole of
 * what a renderer may know. It is the JSON report as a struct.
 *
 * Times are ns, sizes bytes, both of one round of a phase (median) unless the
 * name or a comment says otherwise; XS_UNKNOWN (or NULL, or NAN) is "not
 * known" and is never written as 0. All that pointers reach is owned by the
 * result.
 */
#ifndef XS_REPORT_RESULT_H
#define XS_REPORT_RESULT_H

#include "model/machine/machine.h"
#include "report/arena.h"
#include "report/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_result_device {
	const char *name;
	int64_t index, sm_count, copy_engines, memory_bytes;
	int64_t pcie_gen, pcie_width;
	/* what it did, as in xs_result_totals; p2p: from or to another device,
	 * in its own streams */
	int64_t h2d_bytes, d2h_bytes, p2p_bytes;
	int64_t h2d_ops, d2h_ops, p2p_ops, kernels;
	int64_t h2d_ns, d2h_ns, p2p_ns, kernel_ns;
	int64_t busy_ns, overlap_ns;
};

struct xs_result_run {
	const char *path; /* of the trace file */
	const char *app, *host;
	int64_t pid;
	const char *started_utc; /* ISO 8601 */
	int64_t wall_ns;
	struct xs_result_device *devices;
	size_t device_count;
	const char *cupti_version, *driver_version;
	/* CUDA_DEVICE_... of the program's environment; XS_UNKNOWN: not set */
	int64_t max_connections, max_copy_connections;
};

/* A span of the run from which records of the GPU are missing. */
struct xs_result_gap {
	const char *kind;	/* "copies", "sets", "kernels" */
	int64_t from_ns, to_ns; /* since the run began */
	int64_t calls;		/* that should have had records */
};

/* Calls of a class, or ops of a kind; matched: with an op, or with a call. */
struct xs_result_seen {
	const char *name;
	int64_t count, matched;
};

/* An object of the process with a CUDA runtime: that itself, or one that has
 * it linked in. */
struct xs_result_cudart {
	const char *path;
	bool shared;
};

/* What was and was not seen. */
struct xs_result_coverage {
	int64_t api_calls_seen, gpu_ops_seen;
	int64_t calls_counted; /* of calls seen: and not recorded */
	int64_t matched;       /* ops whose call is known */
	int64_t lost;	       /* records, of all kinds */
	int64_t lost_calls, lost_ops, lost_cupti;
	int64_t graphs_as_one;	/* graph launches without records of their nodes
				 */
	int64_t graphs_by_node; /* launches of the same graphs that have them */
	int64_t graphs_unknown; /* of graphs_as_one: nothing known of the nodes
				 */
	int64_t untimed; /* calls without CUPTI whose GPU work has no times */
	int64_t failed;	 /* of calls seen: that returned an error */
	const char *mode;
	const char *rung; /* of the ladder; NULL: an older trace */
	struct xs_result_seen *classes, *kinds; /* of calls, of ops */
	size_t class_count, kind_count;
	int64_t driver_calls; /* of calls seen: of the driver's API */
	int64_t early_ops;    /* without a call: begun before the first one */
	struct xs_result_cudart *cudarts;
	size_t cudart_count;
	struct xs_result_gap *gaps;
	size_t gap_count;
	const char **remarks; /* in words: what of it was seen in part alone */
	size_t remark_count;
	const char **notes; /* in words, the gravest first */
	size_t note_count;
};

/* Where the time of the run went. */
struct xs_result_totals {
	int64_t h2d_bytes, d2h_bytes;
	int64_t h2d_ops, d2h_ops, kernels;
	int64_t h2d_ns, d2h_ns, kernel_ns;  /* at least one such op ran */
	int64_t d2d_bytes, d2d_ops, d2d_ns; /* on one device */
	int64_t p2p_bytes, p2p_ops, p2p_ns; /* from one to another */
	int64_t gpu_busy_ns, overlap_ns, host_blocked_ns, pinned_alloc_ns;
	/* of managed memory; in none of the above */
	int64_t migrated_h2d_bytes, migrated_d2h_bytes;
	int64_t migrated_h2d_ns, migrated_d2h_ns;
	int64_t init_ns;   /* CUDA's own start, in none of these */
	bool init_at_most; /* in a call that was not recorded */
	int64_t pageable_async_ops;
};

#define XS_CALLERS_MAX 8u

/* Who called the function that a place is in; or what that is inlined into. */
struct xs_result_caller {
	const char *function, *file; /* function NULL: not known */
	int64_t line, calls;
};

/* A place in the user's source that asks for the work of a phase. */
struct xs_result_site {
	const char *function, *file; /* the user's, NULL: not known */
	int64_t line;
	const char *text;   /* of the line; NULL: the file is not there */
	const char *call;   /* the CUDA function called */
	const char *module; /* and where, when no line is known */
	int64_t offset;
	const char *step;     /* what it does: "h2d", "d2h", "kernel", ... */
	int64_t calls, bytes; /* over all rounds */
	struct xs_result_caller *callers; /* the most calls first */
	size_t caller_count;		  /* XS_CALLERS_MAX at most */
};

/*
 * How long the host waited at one place, and for what; over all calls. The
 * parts together are waited_ns.
 */
struct xs_result_wait {
	struct xs_result_site site;
	const char *kind;  /* of call: "copy", "free-device", ... */
	bool hidden;	   /* nobody asks such a call to wait */
	bool pageable;	   /* copies, of pageable memory */
	int64_t gpu_calls; /* that waited for work that is not their own */
	int64_t waited_ns;
	int64_t own_ns;				     /* its own copy */
	int64_t h2d_ns, kernel_ns, d2h_ns, other_ns; /* other work, by kind */
	int64_t latency_ns;		    /* until the first of it began */
	int64_t host_ns;		    /* the call's own work */
	int64_t minor_faults, major_faults; /* XS_UNKNOWN: none recorded */
	int64_t touched_bytes;		    /* at least: what these brought */
	int64_t touched_ns; /* what that took: a part of the wait */
	const char *text;   /* all this as a sentence */
};

struct xs_result_estimate {
	const char *strategy, *model;
	int64_t n_streams; /* XS_UNKNOWN: not a matter of streams */
	const char *order; /* "depth", "breadth" or NULL */
	int64_t round_ns, low_ns, high_ns;
	double speedup;		  /* of the round */
	int64_t app_wall_ns;	  /* of the whole run under this strategy */
	int64_t saves_ns;	  /* of the whole run; negative: it loses */
	int64_t setup_ns;	  /* once */
	int64_t breakeven_rounds; /* after which the setup has paid */
	const char *effort;
	bool applies;
	bool assumes_once; /* each byte crosses the bus once: not counted */
	bool quiet;	   /* why is not worth a line: nothing to change */
	const char *bound; /* at best: only if this holds; NULL: a prediction */
	int64_t otherwise_ns;	/* a round, if it does not hold */
	int64_t least_saves_ns; /* what the bound saves even then; XS_UNKNOWN:
				 * that is not known, or no bound */
	const char *why;
	const char **assumes;
	size_t assume_count;
};

/* The phase on ATGPU (Carroll and Wong 2017), one round;
 * model/formulas/atgpu_phase.h says what each figure is. */
struct xs_result_atgpu {
	int64_t rounds; /* R */
	int64_t in_words, out_words, in_transactions, out_transactions;
	int64_t global_words, shared_words; /* at the peak; of a block */
	int64_t thread_blocks, blocks_per_sm;
	int64_t operations, memory_blocks; /* t_i, q_i */
	int64_t in_ns, out_ns;
	int64_t cost_ns, gpu_cost_ns, swgpu_cost_ns;
	double transfer_share, transfer_share_observed; /* of 1 */
	const char *why; /* why there is no cost, or NULL */
};

/* What the kernels of a round do, as counted. Sectors of 32 bytes and requests
 * are from the SMs to the L2; bytes is all of the sectors. */
struct xs_result_counters {
	bool counted; /* if not, the rest is not known */
	int64_t sectors_read, sectors_written;
	int64_t requests_read, requests_written;
	int64_t bytes, host_bytes; /* all; of them in the host's memory */
	int64_t instructions;	   /* of warps */
};

struct xs_result_phase {
	int64_t id, rounds;
	const char *signature;
	uint64_t signature_hash;
	int64_t device;	   /* its number */
	int64_t total_ns;  /* of all rounds */
	int64_t beside_ns; /* of that: while other rounds ran, too */
	int64_t first_start_ns;
	int64_t h2d_bytes, d2h_bytes, h2d_ops, d2h_ops, kernels;
	int64_t round_ns, round_low_ns, round_high_ns;
	int64_t h2d_ns, kernel_ns, d2h_ns;
	int64_t host_ns, host_blocked_ns, overlap_ns;
	int64_t streams;   /* that its ops ran on */
	const char *order; /* of issue over these: "depth", "breadth", NULL */
	const char *src_memory, *dst_memory;
	const char **kernel_names; /* demangled, each once, in issue order */
	size_t kernel_name_count;
	struct xs_result_site *sites;
	size_t site_count;
	struct xs_result_counters counters;
	struct xs_result_atgpu atgpu;
	struct xs_result_estimate *estimates;
	size_t estimate_count;
};

/* The whole run on another machine, unchanged: not known unless all phases
 * are. */
struct xs_result_elsewhere {
	const char *strategy; /* "machine:<name>" */
	int64_t app_wall_ns, low_ns, high_ns;
	int64_t phases; /* predicted */
};

struct xs_result_advice {
	int64_t rank;
	const struct xs_result_phase *phase;
	const struct xs_result_estimate *estimate;
	double saves_percent;
	const char *text;
	const struct xs_result_site **sites;
	size_t site_count;
};

struct xs_result {
	struct xs_result_run run;
	struct xs_result_coverage coverage;
	struct xs_machine machine;
	struct xs_result_totals totals;
	int64_t streams_asked;		/* n asked for, or XS_UNKNOWN */
	bool atgpu_asked;		/* text shows ATGPU's figures too */
	struct xs_result_phase *phases; /* the most time first */
	size_t phase_count;
	struct xs_result_wait *waits; /* the longest first */
	size_t wait_count;
	struct xs_result_advice *advice; /* the largest saving first */
	size_t advice_count;
	struct xs_result_elsewhere *elsewhere;
	size_t elsewhere_count;
	struct xs_arena arena; /* what all of the above points to */
};

struct xs_other_machine;

struct xs_trace;

struct xs_result_options {
	const struct xs_machine *machine; /* NULL: fit one from the trace */
	/* machines to replay the run on unchanged; they may go afterwards */
	const struct xs_other_machine *elsewhere;
	size_t elsewhere_count;
	const struct xs_trace *counted; /* what kernels do; NULL: the trace */
	unsigned streams; /* also exactly this n; 0: the usual ones */
	bool atgpu;	  /* ATGPU's figures in text too */
};

/*
 * Reads and works out a trace. 0 or -errno; then *error (static text, NULL
 * where errno says it all) says what is wrong and what to do.
 */
int xs_result_read(const char *path, const struct xs_result_options *options,
		   struct xs_result **result, const char **error);
void xs_result_free(struct xs_result *result);

/* The ranked advice for a result whose phases are complete. 0 or -ENOMEM. */
int xs_result_advise(struct xs_result *result);

/*
 * The row to take of those of one strategy: of the replay's that apply, the
 * fastest round, or the fewest streams that come within 1 % of it. Of bounds,
 * the one that loses least against the fastest, whether they hold or not. NULL
 * when none applies. sure: only rows that are faster than the phase is now even
 * at the slow end of their interval; or, of a bound, even where it does not
 * hold, if that time is known.
 */
const struct xs_result_estimate *
xs_result_best(const struct xs_result_phase *phase, const char *strategy,
	       bool sure);

/*
 * Where a site is, as short as it is clear: "main.cu:88", else "cudaMemcpy in
 * upload (app+0x1f3c)", without the function where it is not known. Of the
 * arena; NULL without memory.
 */
const char *xs_result_site_label(struct xs_arena *arena,
				 const struct xs_result_site *site);

/* A function's name, "ns::upload" of "ns::upload<float>(float*)", for a line of
 * text. As above. */
const char *xs_result_function_name(struct xs_arena *arena,
				    const char *function);

/* Adds a caller to those of a place, or its calls to the same one's. */
void xs_result_add_caller(struct xs_arena *arena, struct xs_result_site *site,
			  const struct xs_result_caller *caller);

/* When all are added: the most calls first, and only so many. */
void xs_result_order_callers(struct xs_result_site *site);

#endif
