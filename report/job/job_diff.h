/* SPDX-License-Identifier: MIT */
/* Two jobs of one program, before and after a change. Times are in ns, as in
 * job.h. */
#ifndef XS_REPORT_JOB_JOB_DIFF_H
#define XS_REPORT_JOB_JOB_DIFF_H

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
	struct xs_arena arena; /* owns what is not borrowed */
};

/* Compares two jobs, which *diff keeps using. Returns 0 or -ENOMEM; free with
 * xs_arena_free(&diff->arena) in either case. */
int xs_job_diff_build(struct xs_job *before, struct xs_job *after,
		      struct xs_job_diff *diff);

#endif
