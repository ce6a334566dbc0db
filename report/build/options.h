/* SPDX-License-Identifier: MIT */
/* Options of a report. */
#pragma once

#include "model/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Phases of a report that is not asked for all of them. */
#define XS_RESULT_PHASES 20u

struct xs_other_machine;

struct xs_phases;
struct xs_result;
struct xs_trace;

struct xs_result_options {
	/* NULL: the user's calibration, or the shipped profile, or a fit */
	const struct xs_machine *machine;
	bool fitted; /* without a machine: fit one in any case */
	/* machines for the unchanged run; borrowed during the call */
	const struct xs_other_machine *elsewhere;
	size_t elsewhere_count;
	/* trace with hardware counters; NULL: the trace itself */
	const struct xs_trace *counted;
	unsigned streams;      /* also this n; 0: default sweep only */
	size_t most_phases;    /* with estimates; 0: XS_RESULT_PHASES, SIZE_MAX:
				* all */
	uint64_t most_records; /* of a trace that are read, for tests; 0:
				* XS_READ_MOST_RECORDS */
	bool atgpu;	       /* print ATGPU metrics in text too */
	int64_t pinned_budget; /* bytes; 0: which buffers to pin is not asked */
	bool by_range;	       /* the run by NVTX ranges */
	bool dataflow;	       /* who needs what in the leading phase */
	/* fills result->timeline; NULL: it stays empty */
	void (*timeline)(struct xs_result *result, const struct xs_trace *trace,
			 const struct xs_phases *phases);
};
