/* SPDX-License-Identifier: MIT */
/* Figures over several runs of one program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All XS_UNKNOWN if a run does not tell. */
struct xs_run_spread {
	int64_t median;
	int64_t low, high;   /* interval of the median: 90 %; of fewer than five
			      * runs, which cannot tell that, all of them */
	int64_t least, most; /* of all runs */
};

struct xs_result_runs_total {
	const char *name; /* "run", "copies in", ... */
	const char *unit; /* "ns", "bytes" or "count" */
	struct xs_run_spread spread;
};

/* A phase of the median run: one round, in the runs that have the phase. */
struct xs_result_runs_phase {
	int64_t id;
	size_t runs;
	struct xs_run_spread round_ns;
};

struct xs_result_runs {
	size_t count;
	const char **paths; /* shortest run first */
	size_t middle;	    /* of these: the run that the result is of */
	const char **warnings;
	size_t warning_count;
	struct xs_result_runs_total *totals;
	size_t total_count;
	struct xs_result_runs_phase *phases;
	size_t phase_count;
};
