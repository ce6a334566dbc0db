/* SPDX-License-Identifier: MIT */
/* Shared by weights.c, which groups recorded and counted calls, and
 * weights_distribute.c, which lets recorded groups stand for counted calls. */
#pragma once

#include "analyzer/sampling/sampling.h"
#include "analyzer/util/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Recorded calls of one kind in one window, with a common weight. */
struct xs_weight_group {
	uint32_t site; /* of one of the calls */
	uint32_t window;
	uint32_t kind_calls; /* recorded calls of its kind, in all windows */
	uint8_t size, direction;
	bool counted;		       /* calls of its call site were counted,
					* too */
	double calls, bytes;	       /* recorded */
	double used_calls, used_bytes; /* recorded and used */
	double call_weight, byte_weight;
};

/* Calls that were counted, or recorded and not used; reduced as groups come to
 * stand for them. */
struct xs_weight_rest {
	uint32_t site;
	uint8_t size, direction;
	unsigned last_level; /* last level that may stand for it */
	double calls, bytes;
	double unrecorded_kind_calls; /* calls left when no group of their kind
				       * stands for them */
	double unrecorded_site_calls; /* calls left when no group of their site
				       * is left */
};

/* What unrecorded calls and a group that stands for them have in common: the
 * function, and the properties set here. */
struct xs_weight_level {
	bool place, size, direction;
	bool any_size;	/* for unrecorded calls of unknown size class */
	bool uncounted; /* only groups of sites without counted calls */
};

/* From most to least similar. Level 0 has all properties in common, which
 * defines a kind. Levels with the same site come first; the last level has the
 * function only. */
#define XS_WEIGHTS_LAST_OF_PLACE 2u
#define XS_WEIGHTS_LAST		 8u
extern const struct xs_weight_level xs_weight_levels[XS_WEIGHTS_LAST + 1];

struct xs_weight_builder {
	const struct xs_trace *trace;
	const bool *used;      /* by call; NULL: all */
	double *extrapolation; /* by window: see xs_window_extrapolate() */
	uint32_t *group_of;    /* by call */
	struct xs_weight_group *groups;
	size_t group_count;
	struct xs_weight_rest *rests;
	size_t rest_count;
	struct xs_key *keys; /* room for an entry of each group and each
			      * rest */
};

/* Returns a key that is equal for calls with the same function and the same
 * properties of the level. */
uint64_t xs_weights_key(const struct xs_weight_builder *b,
			const struct xs_weight_level *level, uint32_t site,
			unsigned size, unsigned direction);

/* Level by level, adds the unrecorded calls to the weights of groups; they
 * become 0. */
void xs_weights_distribute(struct xs_weight_builder *b);
