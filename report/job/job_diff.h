/* SPDX-License-Identifier: MIT */
/* Two jobs of one program, before and after a change. Times are in ns, as in
 * job.h. */
#pragma once

#include "report/diff/gate.h"
#include "report/job/job.h"

/* A time of the processes. */
struct xs_job_diff_time {
	const char *name;
	int64_t before_ns, after_ns;
	bool part; /* of the steady part */
};

/* A change of one of the plans. */
struct xs_job_diff_step {
	const char *strategy, *places;
	/* what the job would gain by it; XS_UNKNOWN: not in that plan */
	int64_t before_ns, after_ns;
	int64_t before_traces, after_traces; /* whose plans have it */
	bool before_at_most, after_at_most;  /* it may be less */
};

struct xs_job_diff {
	struct xs_job *before, *after; /* borrowed */
	const char *verdict;
	struct xs_job_diff_time *times;
	size_t time_count;
	struct xs_job_diff_step *steps; /* those of before first */
	size_t step_count;
	const char **warnings;
	size_t warning_count;
	const char *different; /* the first warning why they are no pair; NULL:
				* none */
	const char *shared;    /* traces of both jobs, in words; NULL: none */
	const char *why;       /* the gate cannot tell, after it was asked */
	struct xs_arena arena; /* owns what is not borrowed */
};

/* Compares two jobs, which *diff keeps using. Free with
 * xs_arena_free(&diff->arena). */
void xs_job_diff_build(struct xs_job *before, struct xs_job *after,
		       struct xs_job_diff *diff);

/*
 * Whether a job takes more than limit_percent longer than before: exceeded and
 * kept if its slowest and its median process agree, otherwise too noisy to
 * tell. Unknown, if a process has no end
 * or its trace is in no figure. Unless the limit is exceeded or
 * allow_different: different, of jobs that are no pair; unknown, if figures are
 * of other ranks. Adds the answer to the verdict.
 */
enum xs_gate xs_job_diff_gate(struct xs_job_diff *diff, double limit_percent,
			      bool allow_different);
