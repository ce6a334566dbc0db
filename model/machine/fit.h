/* SPDX-License-Identifier: MIT */
/* Fits a machine profile to a trace. */
#ifndef XS_MODEL_MACHINE_FIT_H
#define XS_MODEL_MACHINE_FIT_H

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/*
 * Fits a profile to the phases: pinned copies give L+o and G, host calls their
 * costs, pageable copies the curve. Without pinned copies, G comes from the
 * link's generation and width. device may be NULL. Stores in machine->notes the
 * source of each value.
 */
void xs_machine_fit(const struct xs_phases *phases,
		    const struct xs_rec_device *device,
		    struct xs_machine *machine);

#endif
