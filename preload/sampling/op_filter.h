/* SPDX-License-Identifier: MIT */
/* Decides which ops from CUPTI or events are written to the trace. */
#pragma once

#include "preload/trace/gpu_records.h"

#include <stdbool.h>

/*
 * Returns whether to write the op, and notes its arrival in the op tracker. An
 * op of a call that was only counted is not written. An op without times is not
 * written either; it counts as a loss if it belongs to a recorded call whose
 * counters were not read.
 */
bool xs_op_filter_wants(const struct xs_gpu_op *op);

/* Notes that the counters of a launch are read: CUPTI gives its op no times. */
void xs_op_filter_note_counted(uint32_t correlation);
