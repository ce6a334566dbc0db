/* SPDX-License-Identifier: MIT */
/* The total length of a union of intervals. */
#pragma once

#include "analyzer/read/trace.h"

struct xs_interval_union {
	uint64_t total_ns, end_ns;
};

/* Adds an interval. Starts must be in ascending order. */
static inline void xs_interval_union_add(struct xs_interval_union *cover,
					 uint64_t start_ns, uint64_t end_ns)
{
	if (start_ns < cover->end_ns)
		start_ns = cover->end_ns;
	if (end_ns > start_ns) {
		cover->total_ns += end_ns - start_ns;
		cover->end_ns = end_ns;
	}
}

/* Time in which two or more of H2D, D2H and kernel run at once. */
struct xs_overlap {
	struct xs_interval_union of[8]; /* by bit set of the kinds that it
					 * covers */
};

static inline unsigned xs_overlap_bit(uint8_t op_kind)
{
	switch (op_kind) {
	case XS_OP_H2D:
		return 1;
	case XS_OP_D2H:
		return 2;
	case XS_OP_KERNEL:
		return 4;
	}
	return 0;
}

static inline void xs_overlap_add(struct xs_overlap *overlap,
				  const struct xs_op *op)
{
	unsigned bit = xs_overlap_bit(op->kind);

	for (unsigned set = 1; set < 8 && bit; set++)
		if (set & bit)
			xs_interval_union_add(&overlap->of[set], op->start_ns,
					      op->end_ns);
}

/*
 * By inclusion and exclusion: let S be the sum of the pairwise intersections
 * and T the intersection of all three. Two or more kinds run for S - 2T, and
 * any kind for (sum of each) - S + T.
 */
static inline uint64_t xs_overlap_ns(const struct xs_overlap *overlap)
{
	const struct xs_interval_union *of = overlap->of;
	uint64_t each = of[1].total_ns + of[2].total_ns + of[4].total_ns;
	uint64_t pairs =
	    2 * each - of[3].total_ns - of[5].total_ns - of[6].total_ns;

	return pairs - 2 * (of[7].total_ns + pairs - each);
}
