/* SPDX-License-Identifier: MIT */
/* What a wait of the host is due to, in words. */
#ifndef XS_REPORT_BUILD_WAIT_REASON_H
#define XS_REPORT_BUILD_WAIT_REASON_H

#include "report/result/result.h"

/* A sentence without its full stop; of the arena, NULL without memory. */
const char *xs_wait_reason(struct xs_arena *arena,
			   const struct xs_result_wait *wait);

#endif
