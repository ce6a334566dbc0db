/* SPDX-License-Identifier: MIT */
/* Explains a wait of the host in words. */
#pragma once

#include "report/result/result.h"

/* Returns a sentence without its full stop: the times and calls of one of so
 * many rounds, on average. The arena owns it. */
const char *xs_wait_reason(struct xs_arena *arena,
			   const struct xs_result_wait *wait, int64_t rounds);
