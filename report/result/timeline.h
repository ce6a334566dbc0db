/* SPDX-License-Identifier: MIT */
/*
 * What ran when: the run as it was, and a round of a phase as it was and as
 * replay predicts it under a strategy. The arena of the result owns all of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct xs_result_site;
struct xs_result_estimate;
struct xs_result_phase;

enum xs_result_lane_kind {
	XS_LANE_RANGES,	     /* NVTX ranges of a host thread, at one depth */
	XS_LANE_CALLS,	     /* of a host thread, without the next two */
	XS_LANE_WAITS,	     /* calls that wait for the device */
	XS_LANE_ALLOCATIONS, /* calls that allocate or free */
	XS_LANE_COPIES,	     /* of one direction, and sets */
	XS_LANE_KERNELS,     /* of one stream */
	XS_LANE_KINDS
};

/* A call, an op or a range. Times are ns after the start of the view. */
struct xs_result_slice {
	int64_t start_ns, end_ns;
	int64_t bytes; /* 0: none */
	uint32_t name; /* index into names */
	uint32_t site; /* index into sites; 0: unknown */
};

struct xs_result_lane {
	enum xs_result_lane_kind kind;
	const char *name;
	struct xs_result_slice *slices; /* by start */
	size_t count;
};

struct xs_result_view {
	const struct xs_result_phase *phase; /* NULL: of the whole run */
	/* NULL: as it was; else the row whose replay it is */
	const struct xs_result_estimate *estimate;
	int64_t rounds; /* number of rounds in it */
	struct xs_result_lane *lanes;
	size_t lane_count;
};

struct xs_result_timeline {
	const char **names; /* of kernels, calls, copies and ranges */
	size_t name_count;
	struct xs_result_site *sites; /* the first one is unknown */
	size_t site_count;
	struct xs_result_view *views; /* the first one is of the run */
	size_t view_count;
};
