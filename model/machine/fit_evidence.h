/* SPDX-License-Identifier: MIT */
/* Measurements that a fit collects from the steps of the phases. */
#pragma once

#include "analyzer/rounds/phase.h"
#include "model/machine/points.h"

/* Smaller copies say nothing about G. */
#define XS_FIT_LEAST_BYTES 65536.0

enum xs_fit_direction { XS_FIT_IN, XS_FIT_OUT, XS_FIT_DIRECTIONS };

/* Measurements collected from the steps. */
struct xs_fit_evidence {
	/* pinned copies: ns over bytes */
	struct xs_points alone[XS_FIT_DIRECTIONS], both[XS_FIT_DIRECTIONS];
	/* pinned copies on an idle device: call to start */
	struct xs_points idle[XS_FIT_DIRECTIONS];
	struct xs_points pageable[XS_FIT_DIRECTIONS];
	/* x of copy_async and launch: 1 if the thread's calls before did not
	 * wait, as in a round with several streams; otherwise 0 */
	struct xs_points copy_async, copy_sync, launch, event;
	struct xs_points launch_latency, kernel_gap, sync;
};

/* Adds the measurements of all phases to *e, which is zero-initialised. */
void xs_fit_evidence_collect(struct xs_fit_evidence *e,
			     const struct xs_phases *phases);
