/* SPDX-License-Identifier: MIT */
/* Estimates: the predicted time of one phase under one strategy by one model.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define XS_ASSUMES_MAX 10

enum xs_order {
	XS_ORDER_NONE = 0,
	XS_ORDER_DEPTH,	  /* copy in, kernel, copy out, stream by stream */
	XS_ORDER_BREADTH, /* all copies in, all kernels, all copies out */
};

/* What a strategy asks of the programmer. */
enum xs_effort {
	XS_EFFORT_NONE = 0,
	XS_EFFORT_CALL,	   /* one flag, or one call for each buffer */
	XS_EFFORT_PLACE,   /* host code at one place */
	XS_EFFORT_PLACES,  /* host code at several places */
	XS_EFFORT_SPLIT,   /* kernels launched in pieces */
	XS_EFFORT_REWRITE, /* kernels rewritten */
	XS_EFFORTS
};

/*
 * The time of one round of a phase under one strategy by one model, in ns. An
 * abstention has applies false, why filled and times NAN.
 */
struct xs_estimate {
	const char *strategy; /* stable id: "as-is", "pinned", ... */
	const char *model;    /* "replay", "vanwerkhoven2014-eq5", ... */
	unsigned n_streams;   /* 0: does not use streams */
	enum xs_order order;
	enum xs_effort effort;
	bool applies;
	char why[240]; /* reason of an abstention, or explanation of the time;
			* times in whole "ns", which the report converts */
	double round_ns, low_ns, high_ns; /* range of 90 % */
	/* The part of that range which is due to known causes: the profile, and
	 * differences between rounds and between runs. It decides between
	 * strategies of one trace. */
	double known_low_ns, known_high_ns;
	/* How far the host's own time, which differs between rounds, moves the
	 * time to either side, and the unchanged round as well: part of both
	 * ranges, but not of the range of what is saved. */
	double shared_low_ns, shared_high_ns;
	double tracer_ns;  /* as-is: about what of round_ns the tracer takes;
			    * NAN: other rows, or unknown */
	double between_ns; /* host time between rounds during which the
			    * round's copies run; 0: none */
	double setup_ns;   /* one-time cost: pinning, creation of streams; 0:
			    * none */
	/* by which setup_ns may be less, or more, by the profile's ranges */
	double setup_less_ns, setup_more_ns;
	double loop_ns;	      /* part of setup_ns that the run pays within its
			       * loop of rounds; 0: none */
	double new_memory_ns; /* by which setup_ns is longer if further buffers
			       * are new memory, which has to be touched */
	double calls_ns;      /* what a round saves of calls that stay, which
			       * take less beside other copies; 0 */
	double replayed_ns;   /* of all rounds that a replay has, until the last
			       * result; 0: no replay */
	bool pins_new; /* host memory is allocated anew to be pinned, which
			* takes less than to register it */
	bool creates_streams; /* round_ns includes the creation of the streams;
			       * setup_ns does not */
	bool assumes_once;    /* holds only if each byte crosses the bus once,
			       * which was not counted; such a row is not ranked
			       * first */
	const char *bound;   /* static text: a condition that the trace does not
			      * show. round_ns is the lower bound, reached if the
			      * condition holds; such a row is not ranked first.
			      * NULL: round_ns is a prediction */
	const char *needs;   /* the condition on the program, among assumes,
			      * that the trace does not show: the bound, if
			      * there is one; NULL: none */
	bool other_advice;   /* its advice is the strategy's other_advice */
	bool doubtful;	     /* the trace speaks against that condition */
	bool returning;	     /* so it does: a round's input is what the one
			      * before copied out */
	bool has_room;	     /* on the SMs, for another kernel beside each */
	double otherwise_ns; /* time if the bound's condition does not hold;
			      * NAN: unknown, or no bound */
	bool quiet; /* an abstention not worth reporting: the phase has nothing
		     * for the strategy to change */
	bool unmeasured;   /* an abstention, since the profile lacks a value */
	double more_bytes; /* of the device's memory, for further buffers */
	const char *assumes[XS_ASSUMES_MAX]; /* static texts, NULL at the end */
};

struct xs_estimates {
	struct xs_estimate *items; /* owned */
	size_t count;
};

/* Appends a copy of *estimate. */
void xs_estimates_add(struct xs_estimates *list,
		      const struct xs_estimate *estimate);
void xs_estimates_free(struct xs_estimates *list);

/* Returns the part of the time of a phase's rounds that counts for the run: 1
 * if no other round ran beside them. */
static inline double xs_rounds_share(double concurrent_ns, double wall_ns,
				     double total_ns)
{
	return concurrent_ns > 0 && total_ns > 0 ? wall_ns / total_ns : 1;
}

/* Whether more than a tenth of a phase's time ran beside other rounds. */
static inline bool xs_rounds_are_concurrent(double concurrent_ns,
					    double total_ns)
{
	return concurrent_ns > total_ns / 10;
}
