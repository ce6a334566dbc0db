/* SPDX-License-Identifier: MIT */
/*
 * One answer on the traces of a job: the input of its renderers. Times are in
 * ns, of processes without tracing; XS_UNKNOWN and NULL mean unknown. Figures
 * are of the processes of one program, that of the most traces.
 */
#pragma once

#include "report/result/arena.h"
#include "report/result/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a figure of each process; the median is exact, or within 1/64. */
struct xs_job_spread {
	int64_t least, median, most;
};

/* What the steady parts were spent on, of all processes. */
struct xs_job_part {
	const char *what, *words; /* as in xs_result_part */
	int64_t ns, traces;	  /* of so many processes */
	int64_t median_ns;	  /* of these */
};

/* A change at lines of the source, whichever phases it reaches. */
struct xs_job_step {
	const char *strategy, *places, *effort; /* effort may be "" */
	const char *text, *code;    /* of the process that it saves most */
	const char *condition;	    /* that no trace shows; NULL: none */
	const char *assumes;	    /* by the prediction; NULL: nothing */
	bool at_most;		    /* a process may save less */
	int64_t traces;		    /* whose plans have it */
	int64_t order;		    /* its mean place in these: 1, 2, ... */
	struct xs_job_spread saves; /* beside the steps before it in its plan */
	int64_t sum_ns;		    /* that all processes save */
	int64_t low_ns, high_ns;    /* its interval, if all err alike */
	int64_t job_ns;		    /* of the job, if each process saves that */
	bool at_least;		    /* job_ns may be more */
	bool is_question;	    /* may save nothing: on a condition, or
				     * low_ns is below 0 */
};

/* Processes of a host, or with GPUs, links and NUMA nodes of one kind. */
struct xs_job_group {
	const char *name;
	int64_t traces, mean_ns, slowest_ns; /* runs */
	int64_t h2d_bytes, h2d_ns, d2h_bytes, d2h_ns, kernel_ns;
};

struct xs_job_process {
	const char *name, *host, *kind;
	int64_t by_ns;	 /* the run; without the host's own code */
	const char *why; /* it takes more than others; NULL: it does not */
};

struct xs_job_phase {
	const char *kernel, *places;
	int64_t traces, rounds, total_ns;
	struct xs_job_spread round;
};

/* Processes whose run takes from_ns to to_ns. */
struct xs_job_bar {
	int64_t from_ns, to_ns, traces;
};

struct xs_job_problem {
	const char *what; /* "unreadable", "damaged", ... */
	int64_t traces;
	bool partial;	   /* figures are not of all processes, each once */
	const char *names; /* of some */
	const char *text;  /* all of this as a sentence */
};

struct xs_job {
	const char *program;
	int64_t traces;	     /* of the program */
	int64_t incomplete;  /* of the program, in figures or not */
	const char *cut;     /* why one of them is; NULL: none is */
	int64_t ranks, seen; /* of the launcher; with a trace */
	const char *missing; /* ranks without one: "3, 64-71"; NULL: none */
	const char *missing_text; /* as a sentence */
	const char *machines;	  /* the profiles of the predictions */
	const char *models;	  /* of the GPUs */
	struct xs_job_spread wall;
	int64_t recorded_ns; /* the sum of all parts */
	int64_t outside_ns;  /* outside of them, of all processes */
	/* the slowest process with the plan, and its interval */
	int64_t after_ns, low_ns, high_ns;
	int64_t saves_ns;	  /* of the job, as far as the slowest does */
	int64_t saves_most_ns;	  /* of the process that saves most */
	int64_t at_most_saves_ns; /* of a process, whatever is changed */
	const char *verdict;
	struct xs_job_part *parts; /* longest first */
	size_t part_count;
	struct xs_job_step *steps; /* first in plans, then most gain first */
	size_t step_count;
	/* as in xs_result, of the process that a change of data movement may
	 * save most; no_step: only if there are no steps */
	const char *no_step, *question, *question_code;
	struct xs_job_phase *phases; /* longest first */
	size_t phase_count;
	struct xs_job_group *kinds, *hosts; /* slowest mean first */
	size_t kind_count, host_count;
	bool more_hosts;	 /* than are counted */
	struct xs_job_bar *bars; /* shortest runs first, to the longest */
	size_t bar_count;
	/* by their runs; if none of these is slow, those that others may wait
	 * for, by their steady parts without the host's own code; the mean of
	 * the latter */
	struct xs_job_process *slowest, *busiest;
	size_t slowest_count, busiest_count;
	int64_t busy_mean_ns;
	struct xs_job_problem *problems;
	size_t problem_count;
	json_t *trace_ids;     /* keys: the program's traces; NULL: none */
	struct xs_arena arena; /* owns everything above but trace_ids */
};

/* Returns the answer on the group of a digest, which the caller frees with
 * xs_job_free(). */
struct xs_job *xs_job_build(const json_t *digest);
void xs_job_free(struct xs_job *job);
