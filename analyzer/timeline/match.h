/* SPDX-License-Identifier: MIT */
/* Matches ops to the calls that issued them. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Sets the call of each op by its correlation id, and ops_matched. Ops and
 * calls must be sorted by start.
 */
void xs_match_ops(struct xs_trace *trace);
