/* SPDX-License-Identifier: MIT */
/* In which NVTX range a round lies. */
#pragma once

#include "analyzer/rounds/measure.h"

/* The ranges that threads pushed, and what is around each. */
struct xs_nvtx_nesting {
	struct xs_key *ranges; /* key: thread; by thread, then by start */
	uint32_t *outer;       /* by place in ranges: place of the next outer
				* range, XS_NONE: none */
	size_t count;
};

/* Returns 0 or -ENOMEM. */
int xs_nvtx_nesting_build(const struct xs_trace *trace,
			  struct xs_nvtx_nesting *out);
void xs_nvtx_nesting_free(struct xs_nvtx_nesting *nesting);

/* Fills the phase's nvtx_name, nvtx_domain and nvtx_rounds. A round lies in a
 * range if all calls that issue its ops do. */
void xs_nvtx_nesting_find(const struct xs_nvtx_nesting *nesting,
			  const struct xs_phase_members *members,
			  struct xs_phase *phase);
