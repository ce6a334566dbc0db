/* SPDX-License-Identifier: MIT */
/* What the text report and the page say beside their figures. */
#pragma once

#include "report/result/result.h"

/* Returns the phase's places, streams and times that differ from its median
 * round; NULL: none is known. Places as those of *before, which may be NULL,
 * are not repeated; else it becomes *before. The result's arena owns it. */
const char *xs_result_phase_text(struct xs_result *result,
				 const struct xs_result_phase *phase,
				 const struct xs_result_phase **before);

/* Returns what the phase takes of the run, ns, with the host's time until the
 * next round where the time of its round has it: no more than the steady part,
 * if it is all of that; its median rounds may be longer than those are on
 * average. */
int64_t xs_result_in_run_ns(const struct xs_result *result,
			    const struct xs_result_phase *phase);

/* Returns the time of the phase's kernels, ns, of those side by side once. */
int64_t xs_result_kernels_ns(const struct xs_result_phase *phase);

/* Returns "58.1 ms (55.0-61.2 ms)", or, of what may take longer, "2.63 ms (from
 * 300 us slower to 7.70 ms faster)". The arena owns it. */
const char *xs_result_saving(struct xs_arena *arena, int64_t ns, int64_t low_ns,
			     int64_t high_ns);

/* Returns ": 62 % of the steady part, ", or, of a saving of run_ns some of
 * which is outside of it, ", of which 58.1 ms in the steady part (62 % of it):
 * ". The result's arena owns it. */
const char *xs_result_of_steady(struct xs_result *result, int64_t steady_ns,
				int64_t run_ns);

/* Returns "before X (no line of Python) and before Y": where the host spends
 * the most time in its own code; "": not known. The result's arena owns it. */
const char *xs_result_host_place(struct xs_result *result);

/* Returns why there is no phase. */
const char *xs_result_no_phases(const struct xs_result *result);

/* Returns "no overlap (pageable)" of GPU work of which none overlaps; "": some
 * does. */
const char *xs_result_no_overlap(const struct xs_result_totals *totals);

/* Returns how long memory is pinned outside the steady part; NULL: the verdict
 * says so, it is short, or there is no such part. The arena owns it. */
const char *xs_result_pinning_outside(struct xs_result *result);
