/* SPDX-License-Identifier: MIT */
/* What one round of a phase took, and what its parts add up to over all. */
#ifndef XS_ANALYZER_ROUNDS_MEASURE_H
#define XS_ANALYZER_ROUNDS_MEASURE_H

#include "analyzer/rounds/phase.h"
#include "analyzer/rounds/rounds.h"
#include "analyzer/util/sort.h"

enum xs_measure {
	XS_MEASURE_ROUND_NS,
	XS_MEASURE_H2D_NS,
	XS_MEASURE_D2H_NS,
	XS_MEASURE_KERNEL_NS,
	XS_MEASURE_HOST_NS,
	XS_MEASURE_BLOCKED_NS,
	XS_MEASURE_OVERLAP_NS,
	XS_MEASURE_H2D_BYTES,
	XS_MEASURE_D2H_BYTES,
	XS_MEASURES
};

/* The rounds of one phase: indices into rounds->items. */
struct xs_phase_members {
	const struct xs_trace *trace;
	const struct xs_rounds *rounds;
	const struct xs_key *keys; /* keys[i].index */
	size_t count;
	uint32_t *row_of_identity; /* scratch, all zero between uses */
};

static inline const struct xs_round *
xs_phase_member(const struct xs_phase_members *members, size_t i)
{
	return &members->rounds->items[members->keys[i].index];
}

/* Fills times, bytes, counts and the round with the median time. 0 or
 * -ENOMEM. */
int xs_measure_times(const struct xs_phase_members *members,
		     struct xs_phase *phase, uint32_t *median_round);
/* Fills memories, buffer bytes and sites. 0 or -ENOMEM. */
int xs_phase_sites_measure(const struct xs_phase_members *members,
			   struct xs_phase *phase);

/* Fills signature and signature_hash; needs the byte counts. 0 or -ENOMEM. */
int xs_signature_build(const struct xs_phase_members *members,
		       struct xs_phase *phase);

enum xs_step_kind xs_step_kind_of(uint8_t op_kind);

/*
 * Fills steps from one round. *call_steps: how many steps there may still be,
 * over all phases, of calls without an op; what is beyond is left out. Rounds
 * of one thread on several devices share its calls, and a damaged trace shall
 * not multiply them. 0 or -ENOMEM.
 */
int xs_steps_build(const struct xs_trace *trace, const struct xs_rounds *rounds,
		   uint32_t round, size_t *call_steps, struct xs_phase *phase);

#endif
