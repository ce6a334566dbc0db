/* SPDX-License-Identifier: MIT */
/*
 * Two results side by side: what changed, the largest change first, and
 * whether what the first predicted is what the second measured.
 */
#ifndef XS_REPORT_DIFF_DIFF_H
#define XS_REPORT_DIFF_DIFF_H

#include "report/result/result.h"

/* Phases of each side that are compared; they are those that take longest. */
#define XS_DIFF_PHASES_MAX 256

enum xs_diff_unit { XS_DIFF_NS, XS_DIFF_BYTES, XS_DIFF_COUNT };

/* A total of the run. */
struct xs_diff_total {
	const char *name;
	enum xs_diff_unit unit;
	int64_t before, after, change; /* XS_UNKNOWN where a side is */
};

/* A phase of both, or of one: the other is NULL. */
struct xs_diff_phase {
	const struct xs_result_phase *before, *after;
	const char *match;    /* "signature", "kernels", "order" or NULL */
	int64_t change_ns;    /* of all rounds */
	const char **changed; /* in words: "in pageable -> pinned" */
	size_t changed_count;
	/* What before predicted for what after does; NULL: nothing, or it is
	 * not comparable. */
	const struct xs_result_estimate *predicted;
	double error_percent; /* predicted against measured; NAN */
	bool within;	      /* measured lies in the interval */
};

struct xs_diff {
	const struct xs_result *before, *after;
	int64_t change_ns;	      /* of the wall time, XS_UNKNOWN */
	double change_percent;	      /* more than 0 is slower; NAN */
	struct xs_diff_total *totals; /* times first, each unit by change */
	size_t total_count;
	struct xs_diff_phase *phases; /* the largest change first */
	size_t phase_count;
	struct xs_arena arena;
};

#endif
