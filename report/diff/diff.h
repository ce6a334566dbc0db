/* SPDX-License-Identifier: MIT */
/*
 * The difference of two results, largest change first, with the prediction of
 * the first checked against the second.
 */
#pragma once

#include "report/result/result.h"

/* Longest phases of each side that are compared. */
#define XS_DIFF_PHASES_MAX 256

/* Programs or arguments, work, GPUs, drivers, tools, and for each side which
 * part of it was traced, and whether its runs are of one program and ended. */
#define XS_DIFF_WARNINGS_MAX 11

enum xs_diff_unit { XS_DIFF_NS, XS_DIFF_BYTES, XS_DIFF_COUNT };

/* A total of the run, over the runs of each side. */
struct xs_diff_total {
	const char *name;
	enum xs_diff_unit unit;
	struct xs_run_spread before, after;
	const int64_t *before_runs, *after_runs; /* their values, sorted */
	int64_t change; /* of the medians; XS_UNKNOWN if a side is unknown */
	bool apart;	/* it is larger than the spread of the runs */
};

/* The runs of a side, the shortest first. */
struct xs_diff_side {
	struct xs_result *const *runs;
	size_t count;
};

/* A phase of both results, or of one: the other is NULL. */
struct xs_diff_phase {
	const struct xs_result_phase *before, *after;
	const char *match;    /* "signature", "kernels", "order" or NULL */
	int64_t change_ns;    /* over all rounds */
	const char **changed; /* texts: "source memory pageable -> pinned" */
	size_t changed_count;
	/* Estimate of before for the strategy of after; NULL if there is none.
	 */
	const struct xs_result_estimate *predicted;
	int64_t rounds_in_one;	 /* so many of before are one of after */
	const char *unpredicted; /* why there is none; NULL: there is one, or
				  * no strategy of after is known */
	int64_t measured_ns; /* a round of before in after, untraced: of several
			      * that are one of after, its part */
	double error_percent; /* NAN: no prediction */
	bool within;	      /* the measured time lies in the interval */
};

/* What before predicts that the run saves by what after does in all phases
 * that have a prediction, and what it did. */
struct xs_diff_saving {
	int64_t saves_ns, low_ns, high_ns; /* XS_UNKNOWN: no prediction */
	int64_t setup_ns;		   /* contained in these */
	int64_t measured_ns;		   /* below 0: after is slower */
	bool within;
	const char *text;
};

/* Totals that add up to the run: start-up, steady part, end, tracing. */
#define XS_DIFF_PARTS 4

struct xs_diff {
	struct xs_diff_side before_side, after_side;
	struct xs_result *before, *after; /* of these, the median runs */
	const char *different; /* which other programs, GPUs or amounts of work;
				* NULL: none */
	const char *unnamed;   /* what follows from a trace that names no
				* program; NULL: both name one */
	bool other_arguments;  /* of the same program */
	bool allow_different;  /* a limit applies to these, too */
	const char *warnings[XS_DIFF_WARNINGS_MAX];
	size_t warning_count;
	const char *uncompared;	      /* why the run times are not compared: the
				       * traces are of different tools, or not of
				       * whole runs; NULL: they are */
	const char *shared;	      /* a run of both sides; NULL: none */
	struct xs_diff_total wall;    /* the time of the run */
	double change_percent;	      /* of it; above 0: slower; NAN: unknown */
	struct xs_diff_total *totals; /* XS_DIFF_PARTS, then by unit, times
				       * first, each by change */
	size_t total_count;
	const char *parts; /* changes of the run's parts in words; "": none */
	struct xs_diff_saving saving;
	struct xs_diff_phase *phases; /* largest change first */
	size_t phase_count;
	struct xs_arena arena;
};
