/* SPDX-License-Identifier: MIT */
/* Several runs of one program. */
#pragma once

#include "report/result/result.h"

/* Sorts the runs by time, the shortest first, unknown ones last, and returns
 * the index of the median one: the shorter of two. */
size_t xs_runs_sort(struct xs_result **runs, size_t count);

/* Returns why another run is not comparable with this one, such as "x.xspy is
 * of another program or GPU than y.xspy"; NULL: it is. Sets *different unless
 * only the arguments differ. */
const char *xs_runs_compare(struct xs_result *run, struct xs_result *other,
			    struct xs_arena *arena, bool *different);

/* Moves traces that are given again to the end. Returns the number of others,
 * and in *warning that there are some; NULL: none. */
size_t xs_runs_once(struct xs_result **runs, size_t count,
		    struct xs_arena *arena, const char **warning);

/* Sorts the runs and fills `runs` of the median one, which it returns. Runs of
 * other programs than the first one, and those that are not all in their
 * traces, come last and are in no figure. */
struct xs_result *xs_runs_build(struct xs_result **runs, size_t count);
