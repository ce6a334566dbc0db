/* SPDX-License-Identifier: MIT */
/* Measures the rounds of one phase and fills struct xs_phase. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "analyzer/rounds/rounds.h"
#include "analyzer/util/sort.h"

enum xs_measure {
	XS_MEASURE_ROUND_NS,
	XS_MEASURE_H2D_NS,
	XS_MEASURE_D2H_NS,
	XS_MEASURE_KERNEL_NS,
	XS_MEASURE_HOST_NS,
	XS_MEASURE_BESIDE_NS,
	XS_MEASURE_BEHIND_NS,
	XS_MEASURE_BETWEEN_NS,
	XS_MEASURE_BLOCKED_NS,
	XS_MEASURE_OVERLAP_NS,
	XS_MEASURE_H2D_BYTES,
	XS_MEASURE_D2H_BYTES,
	XS_MEASURES
};

/* The rounds of one phase, as indices into rounds->items. */
struct xs_phase_members {
	const struct xs_trace *trace;
	const struct xs_rounds *rounds;
	const struct xs_key *keys; /* uses keys[i].index */
	size_t count;
	uint32_t *row_of_identity; /* scratch memory, all zero between uses */
};

static inline const struct xs_round *
xs_phase_member(const struct xs_phase_members *members, size_t i)
{
	return &members->rounds->items[members->keys[i].index];
}

/* Fills times, bytes and counts. Stores the round of median time in
 * *median_round. */
void xs_measure_times(const struct xs_phase_members *members,
		      struct xs_phase *phase, uint32_t *median_round);
/* Fills memory kinds, buffer bytes and sites. */
void xs_phase_sites_measure(const struct xs_phase_members *members,
			    struct xs_phase *phase);

/* Fills signature and signature_hash. Needs the byte counts. */
void xs_signature_build(const struct xs_phase_members *members,
			struct xs_phase *phase);

/* Sets same_host of the phase's steps, and in_sets. */
void xs_same_host_find(const struct xs_phase_members *members,
		       struct xs_phase *phase);

/* Fills the phase's sample_rounds and their times. */
void xs_sample_rounds_find(const struct xs_phase_members *members,
			   struct xs_phase *phase);

enum xs_step_kind xs_step_kind_of(uint8_t op_kind);

/*
 * Fills steps from one round. *call_steps is the number of steps without an op
 * that may still be made over all phases; further ones are dropped. Rounds of
 * one thread on several devices share its calls, and a damaged trace must not
 * multiply them. A round of more than XS_STEPS_MOST gets no steps.
 */
void xs_steps_build(const struct xs_trace *trace,
		    const struct xs_rounds *rounds, uint32_t round,
		    size_t *call_steps, struct xs_phase *phase);
