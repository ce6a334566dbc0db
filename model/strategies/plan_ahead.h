/* SPDX-License-Identifier: MIT */
/*
 * A round in stages, whose copies run ahead of its kernels: the plan of
 * prefetch and, with one stage, that of each round of double-buffer.
 */
#pragma once

#include "model/strategies/copy_stages.h"
#include "model/strategies/strategy.h"

/* Lower bound of the time in which a host writes a byte. */
#define XS_WRITE_BYTE_NS 0.01

/* Queues of a round. If they are the same one, no events are needed. */
struct xs_ahead_queues {
	uint32_t in, kernels, out;
};

/*
 * Appends a round of two sets of buffers: host_ns of the host in each stage,
 * and beside_ns beside GPU work, in all stages but the first, or at the end;
 * the copies in of the next stage are issued before the kernels of this one,
 * and wait for the kernels of the one before.
 */
void xs_plan_ahead(const struct xs_strategy_case *c,
		   const struct xs_scenario *scenario,
		   const struct xs_copy_stages *stages,
		   const struct xs_ahead_queues *queues, double host_ns,
		   double beside_ns, struct xs_plan *plan);
