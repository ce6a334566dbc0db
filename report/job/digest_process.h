/* SPDX-License-Identifier: MIT */
/* The parts of a digest: of the process, and by lines of the source. */
#pragma once

#include "report/result/result.h"

#include <jansson.h>

/* A process: its texts are of the result's arena, its times without tracing. */
struct xs_digest_process {
	struct xs_result *result;
	const char *id, *name, *host, *kind;
	const struct xs_result_device *gpu; /* that works most; NULL: none */
	int64_t wall_ns;
	int64_t after_ns, after_low_ns, after_high_ns; /* with the plan */
};

/* Returns whether a process is busy in this part of the steady part, by its id:
 * in the host's own code it may wait for other processes. */
bool xs_digest_is_busy(const char *part);

/* Adds times, totals and what the plan leaves open; takes {key of a step: ns
 * that it saves}. */
void xs_digest_add_totals(json_t *program, const struct xs_digest_process *p,
			  json_t *steps);

/* Add the tables "phases" and "steps" to a program's group. Phases of the same
 * kernels and lines are one row, whatever their sizes; so are steps of the same
 * strategy and lines. The second returns the steps, which the caller owns. */
void xs_digest_add_phases(json_t *program, const struct xs_digest_process *p);
json_t *xs_digest_add_steps(json_t *program, const struct xs_digest_process *p);
