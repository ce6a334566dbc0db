/* SPDX-License-Identifier: MIT */
/* Allocations and frees of device memory without pageable copies before them.
 */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"
#include "model/replay/plan.h"

/*
 * Limits allocations and frees of a phase's plan (action i is step i) to the
 * times of the profile. The driver copies pageable memory with the CPU, and
 * what the CPU does next is slower: its caches hold the copied data. A round of
 * a few values, and unknown parameters, leave the recorded times.
 */
void xs_allocations_limit(struct xs_plan *plan, const struct xs_phase *phase,
			  const struct xs_machine *machine);
