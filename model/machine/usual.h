/* SPDX-License-Identifier: MIT */
/* What is known of a machine that nobody measured. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/machine.h"

/*
 * Fills a profile with the usual values of latencies and calls, and with the
 * rates of a link of that generation and width. Their ranges span machines from
 * PCIe 2.0 on. device may be NULL. Mapped memory and pageable copies stay
 * unknown.
 */
void xs_machine_usual(const struct xs_rec_device *device,
		      struct xs_machine *machine);

/* Fills in what the profile lacks of the host's memory and of graphs, from
 * H100s, and names it in its notes. */
void xs_machine_usual_host(struct xs_machine *machine);

/* Returns the usual rate while both directions are busy, from that of one. */
struct xs_param xs_machine_usual_both(const struct xs_param *G);
