/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/read/trace.h"

/* Sorts ops and calls by start and finds the call of each op. */
void xs_trace_join(struct xs_trace *trace);
