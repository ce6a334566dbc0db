/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Fills in the memory kinds of copies that have none, from the addresses of
 * their calls and from what was allocated. Call it after xs_trace_join().
 */
void xs_infer_memory_kinds(struct xs_trace *trace);
