/* SPDX-License-Identifier: MIT */
/* A machine profile from what a trace shows of the machine. */
#ifndef XS_MODEL_MACHINE_FIT_H
#define XS_MODEL_MACHINE_FIT_H

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/*
 * A profile from what the phases show: pinned copies give L+o and G, the host
 * calls their costs, pageable copies the curve; the link's generation and
 * width stand in where no pinned copy was seen. device may be NULL. notes say
 * what came from where.
 */
void xs_machine_fit(const struct xs_phases *phases,
		    const struct xs_rec_device *device,
		    struct xs_machine *machine);

#endif
