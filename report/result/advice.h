/* SPDX-License-Identifier: MIT */
/* What bounds the run, and the steps that change it. Units and ownership:
 * result.h. */
#pragma once

#include "report/result/phase.h"
#include "report/result/units.h"

/* A part of the run: what it was spent on. */
struct xs_result_part {
	int part;	   /* enum xs_run_part */
	const char *what;  /* "copies", "kernels", "host", ... */
	const char *words; /* the same in a sentence */
	int64_t ns;
};

/* What pins host memory outside of the steady part. */
struct xs_result_pinning {
	int64_t ns;	    /* XS_UNKNOWN: not known */
	const char *calls;  /* "16 calls of cudaMallocHost"; NULL: not known */
	const char *places; /* these, by line; NULL: not known */
	int64_t bytes;
	/* once by cudaHostRegister, of memory in use, with its range by the
	 * profile, and what new memory takes more; XS_UNKNOWN: not known, or
	 * the memory is registered already */
	int64_t registering_ns, registering_low_ns, registering_high_ns;
	int64_t touching_ns;
	/* number of the step that registers it, what it saves, and its lines;
	 * 0 and NULL: none */
	int64_t step, saves_ns, saves_low_ns, saves_high_ns;
	const char *title, *saving, *advice, *condition, *code;
	bool is_question; /* as that of a step */
};

/* What bounds the run, and how much a change of data movement can save. */
struct xs_result_verdict {
	const char *missing; /* what the trace lacks; NULL: nothing */
	int64_t startup_ns;  /* before the steady part */
	int64_t steady_ns;   /* from the first repeated round to the last; of a
			      * run without repeated rounds: all after CUDA's
			      * own start */
	int64_t after_ns;    /* behind it; XS_UNKNOWN: of an unknown run */
	int64_t tracer_ns;   /* in none of steady_ns, recorded_ns, parts */
	bool repeats;	     /* there are repeated rounds */
	int64_t recorded_ns; /* of the steady part; the sum of parts */
	int64_t gpu_ns;	     /* of these: a GPU worked */
	int64_t kernels_ns;  /* of these: at least one kernel ran, without
			      * what a prefetch of managed memory saves */
	struct xs_result_part *parts; /* of the steady part, longest first */
	size_t part_count;
	/* of the whole run, and of these in the steady part: xs_limit_build()
	 */
	int64_t at_most_saves_ns, at_most_steady_ns;
	/* how much longer than by one copy kernels waited for managed memory
	 * to migrate in; 0: 1 % of the steady part or less, or not known */
	int64_t prefetch_saves_ns;
	int64_t order_saves_ns; /* the most by the order of copies and kernels
				 * alone */
	int64_t run_low_ns, run_high_ns; /* 90 % of runs as it is; XS_UNKNOWN
					  * without a step */
	/* GPUs that one thread drives in turn; 0: none. What the run saves at
	 * most if they work at one time. */
	int64_t gpus_in_turn, turns_save_ns;
	const char *host_place; /* the call before which the host spends the
				 * most time in its own code; NULL: none */
	const char *host_line;	/* the line of Python, if that has none, before
				 * which it spends the most; NULL: little */
	struct xs_result_pinning pinning;
	bool host_is_limit; /* its own code is the limit */
	const char *text;
	bool tells_pinning; /* text has what pinning outside of it takes */
};

/* What a step saves of a further phase, ns of the whole run. */
struct xs_result_more {
	const struct xs_result_phase *phase;
	int64_t adds_saves_ns;
};

/* A step of the plan: one change, after the steps before it. */
struct xs_result_step {
	int64_t step; /* 1, 2, ... */
	const struct xs_result_phase *phase;
	/* further phases with lines near to its own, whose savings count */
	struct xs_result_more *more_phases;
	size_t more_count;
	int64_t more_setup_ns; /* of all of them */
	const struct xs_result_estimate *estimate;
	int64_t adds_saves_ns;		     /* of the whole run */
	int64_t saves_low_ns, saves_high_ns; /* its interval, by the rounds */
	int64_t adds_steady_ns;		     /* of these in the steady part */
	int64_t side_by_side; /* rounds of threads or GPUs at a time, on
			       * average; if several, saves at most */
	int64_t round_before_ns, round_ns;   /* before and with this step, after
					      * the earlier ones of the phase */
	int64_t round_low_ns, round_high_ns; /* its interval in this run */
	int64_t app_wall_ns, low_ns, high_ns; /* with all steps so far */
	int64_t pays_rounds;   /* from so many rounds on, with its buffers in
				* new memory; XS_UNKNOWN: in this run */
	bool may_be_slower;    /* the steps so far may lengthen the run */
	bool is_question;      /* it may save nothing: its range crosses 0, or
				* the trace does not show its condition */
	const char *condition; /* not shown by the trace; NULL: none */
	int64_t if_not_ns;     /* what the run loses if that does not hold;
				* XS_UNKNOWN: not known */
	const struct xs_result_step *same; /* an earlier step, the same change
					    * at other lines; NULL: none */
	const struct xs_result_estimate *instead; /* saves more in its place;
						   * NULL: none does */
	int64_t instead_rounds; /* of a step for longer runs, from so many
				 * rounds on not more; else XS_UNKNOWN */
	const char *along;	/* the other places that it is made for, as a
				 * sentence; NULL: none */
	const char *text;
	const char *code; /* lines to write there; NULL: none */
	const struct xs_result_site **sites;
	size_t site_count;
};
