/* SPDX-License-Identifier: MIT */
/* The NVTX ranges of the run. */
#ifndef XS_REPORT_TIMELINE_RANGES_H
#define XS_REPORT_TIMELINE_RANGES_H

#include "report/timeline/lanes.h"
#include "report/timeline/texts.h"

/* Adds them: of each thread a lane for ranges, one for those inside of them,
 * and so on. Without memory, the arena has failed. */
void xs_timeline_ranges_add(struct xs_timeline_texts *texts,
			    struct xs_lanes *lanes);

#endif
