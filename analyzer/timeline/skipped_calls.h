/* SPDX-License-Identifier: MIT */
/* What is known of the calls of a long trace that were not read. */
#pragma once

#include "analyzer/read/trace.h"

/* Returns, by site, the time of all its calls for each ns of those that were
 * read; 0: none was. Caller frees it. */
double *xs_skipped_call_time(const struct xs_trace *trace);
