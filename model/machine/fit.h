/* SPDX-License-Identifier: MIT */
/* Fits a machine profile to a trace. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/*
 * Joins what the phases show of the machine into its profile: rates of pinned
 * copies, and upper limits of latencies and of the times of calls.
 */
void xs_machine_join(const struct xs_phases *phases,
		     struct xs_machine *machine);

/*
 * Fits a profile to the phases: joins them into the usual values, and takes the
 * curve of pageable copies. device may be NULL. Stores in machine->notes the
 * source of the values.
 */
void xs_machine_fit(const struct xs_phases *phases,
		    const struct xs_rec_device *device,
		    struct xs_machine *machine);
