/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/read/trace.h"

#define XS_SRC_STARTS 1u
#define XS_DST_STARTS 2u

/* Finds, by call, whether a copy's memory is the start of memory that is then
 * allocated or registered: the flags above. The caller frees *starts. */
void xs_allocation_starts_find(const struct xs_trace *trace, uint8_t **starts);
