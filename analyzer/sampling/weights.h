/* SPDX-License-Identifier: MIT */
/* Between weights.c, which says what was recorded and what counted, and
 * weights_distribute.c, which lets the one stand for the other. */
#ifndef XS_ANALYZER_SAMPLING_WEIGHTS_H
#define XS_ANALYZER_SAMPLING_WEIGHTS_H

#include "analyzer/sampling/sampling.h"
#include "analyzer/util/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls of one kind in one window, whoever called; all weigh the same. */
struct xs_weight_group {
	uint32_t site; /* of one of them */
	uint32_t window;
	uint32_t kind; /* the same in all windows */
	uint8_t size, direction;
	bool counted;		       /* so were calls of its place */
	double calls, bytes;	       /* recorded */
	double kept_calls, kept_bytes; /* and used */
	double call_weight, byte_weight;
};

/* What was counted, or recorded and not used; less what is made up for. */
struct xs_weight_unrecorded {
	uint32_t site;
	uint8_t size, direction;
	unsigned last_level; /* that may make up for it */
	double calls, bytes;
	double unrecorded_site_calls; /* that nothing of its place stands for */
};

/* What a rest and the groups that stand for it have in common: the function,
 * and what is set here. */
struct xs_weight_level {
	bool place, size, direction;
	bool any_size;	/* is for rests that do not tell sizes apart */
	bool uncounted; /* groups of which nothing was counted by place */
};

/* The first has all in common, which is what makes a kind; levels of place come
 * first; the last of all is of the function alone. */
#define XS_WEIGHTS_LAST_OF_PLACE 2u
#define XS_WEIGHTS_LAST		 8u
extern const struct xs_weight_level xs_weight_levels[XS_WEIGHTS_LAST + 1];

struct xs_weight_builder {
	const struct xs_trace *trace;
	const bool *kept;   /* by call; NULL: all */
	double *reach;	    /* by window: xs_window_extrapolate() */
	uint32_t *group_of; /* by call */
	struct xs_weight_group *groups;
	size_t group_count;
	struct xs_weight_unrecorded *rests;
	size_t rest_count;
	struct xs_key *keys; /* room for one of each of all these */
};

/* The same for calls that are alike in what the level sets, and in their
 * function. */
uint64_t xs_weights_key(const struct xs_weight_builder *b,
			const struct xs_weight_level *level, uint32_t site,
			unsigned size, unsigned direction);

/* Level by level: groups come to stand for the rests, which become 0. 0 or
 * -ENOMEM. */
int xs_weights_distribute(struct xs_weight_builder *b);

#endif
