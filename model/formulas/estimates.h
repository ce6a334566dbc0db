/* SPDX-License-Identifier: MIT */
/* Estimates: what one strategy would make of one phase, by one model. */
#ifndef XS_MODEL_FORMULAS_ESTIMATES_H
#define XS_MODEL_FORMULAS_ESTIMATES_H

#include <stdbool.h>
#include <stddef.h>

#define XS_ASSUMES_MAX 10

enum xs_order {
	XS_ORDER_NONE = 0,
	XS_ORDER_DEPTH,	  /* copy in, kernel, copy out, for each stream */
	XS_ORDER_BREADTH, /* all copies in, all kernels, all copies out */
};

/* What a strategy asks of the programmer. */
enum xs_effort {
	XS_EFFORT_NONE = 0,
	XS_EFFORT_HOST,	   /* host code only: allocation, flags */
	XS_EFFORT_SPLIT,   /* kernels launched in pieces */
	XS_EFFORT_REWRITE, /* kernels rewritten */
};

/*
 * The time of one round of a phase under one strategy by one model. Times in
 * ns of one round. An estimate that does not apply has applies false, why
 * filled and times NAN.
 */
struct xs_estimate {
	const char *strategy; /* stable id: "as-is", "pinned", ... */
	const char *model;    /* "replay", "vanwerkhoven2014-eq5", ... */
	unsigned n_streams;   /* 0: not a matter of streams */
	enum xs_order order;
	enum xs_effort effort;
	bool applies;
	char why[200]; /* why it abstains, or why the time is what it is */
	double round_ns, low_ns, high_ns; /* interval of 90 % */
	double setup_ns;      /* once: pinning, stream creation; 0 none */
	bool creates_streams; /* round_ns has the creation of the streams in it,
			       * setup_ns not */
	bool assumes_once; /* true only if each byte crosses the bus once, which
			    * nobody counted: no reason to rank it first */
	const char *bound; /* static text: the time is the least that can be,
			    * reached only if this holds, which the trace does
			    * not show; no reason to rank it first. NULL: the
			    * time is a prediction */
	double otherwise_ns; /* where the bound's condition does not hold; NAN:
			      * not known, or no bound */
	bool quiet; /* of an abstention: there is nothing in the phase for it
		     * to change, which nobody has to be told */
	double breakeven_rounds; /* setup_ns / saving a round, rounded up; NAN
				  * when there is no saving; 0 without setup */
	const char *assumes[XS_ASSUMES_MAX]; /* static text, NULL at the end */
};

struct xs_estimates {
	struct xs_estimate *items; /* owned */
	size_t count, room;
};

/* Appends a copy of *estimate. 0 or -ENOMEM. */
int xs_estimates_add(struct xs_estimates *list,
		     const struct xs_estimate *estimate);
void xs_estimates_free(struct xs_estimates *list);

#endif
