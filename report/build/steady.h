/* SPDX-License-Identifier: MIT */
/* The steady part of the run: all repeated rounds. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "analyzer/timeline/run_span.h"

struct xs_steady {
	struct xs_run_span span;
	uint64_t longest_ns; /* the median of the longest repeated rounds */
	bool repeats; /* if not, the span is all after CUDA's own start */
	const struct xs_phase *phase; /* nearly all of its rounds; NULL: there
				       * is none */
	uint64_t rounds; /* of that phase in the span; 0: not known */
	bool is_cut; /* the span has no rounds that the ends of the traced range
		      * cut, of which phases count the calls */
};

void xs_steady_find(const struct xs_trace *trace,
		    const struct xs_phases *phases, struct xs_steady *out);

/* Whether a round of the phase is of the steady part. */
bool xs_steady_has(const struct xs_steady *steady,
		   const struct xs_phase *phase);

/* Returns the number of the longest phases up to the first one of the steady
 * part, or `least` if that is more or none of ten times as many is of it. */
size_t xs_steady_reach(const struct xs_steady *steady,
		       const struct xs_phases *phases, size_t least);

/* Returns the part of the phase's rounds, 0 to 1, that is before or after the
 * steady part, of those that do not warm up. */
double xs_steady_outside(const struct xs_steady *steady,
			 const struct xs_phase *phase);

/* Returns the time of the phase's first round if it warms up, else 0. */
uint64_t xs_steady_warm_up_ns(const struct xs_phase *phase);
