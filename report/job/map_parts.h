/* SPDX-License-Identifier: MIT */
/* The parts of a digest: of the process, and by lines of the source. */
#ifndef XS_REPORT_JOB_MAP_PARTS_H
#define XS_REPORT_JOB_MAP_PARTS_H

#include "report/result/result.h"

#include <jansson.h>

/* A process: its texts are of the result's arena, its times without tracing. */
struct xs_map {
	struct xs_result *result;
	const char *id, *name, *host, *kind;
	const char *gpu_uuid; /* NULL: unknown */
	int64_t wall_ns;
	int64_t after_ns, after_low_ns, after_high_ns; /* with the plan */
};

/* Returns whether a process is busy in this part of the steady part, by its id:
 * in the host's own code it may wait for other processes. */
bool xs_map_is_busy(const char *part);

/* Adds times, totals and what the plan leaves open. */
void xs_map_process(json_t *program, const struct xs_map *map, bool *failed);

/* Add the tables "phases" and "steps" to a program's group. Phases of the same
 * kernels and lines are one row, whatever their sizes; so are steps of the same
 * strategy and lines. */
void xs_map_phases(json_t *program, const struct xs_map *map, bool *failed);
void xs_map_steps(json_t *program, const struct xs_map *map, bool *failed);

/* Returns {key of a step: ns that it saves}; the caller owns it. */
json_t *xs_map_steps_of(const struct xs_map *map, bool *failed);

#endif
