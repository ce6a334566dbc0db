/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/read/trace.h"

/* Sorts ops and calls by start and finds the call of each op. Returns 0 or
 * -ENOMEM. */
int xs_trace_join(struct xs_trace *trace);
