/* SPDX-License-Identifier: MIT */
/* Which of the ops that CUPTI or events bring are written. */
#ifndef XS_PRELOAD_SAMPLING_OP_FILTER_H
#define XS_PRELOAD_SAMPLING_OP_FILTER_H

#include "preload/trace/gpu_records.h"

#include <stdbool.h>

/*
 * Returns whether to write the op, and tells the op tracker that it arrived. An
 * op of a call that was only counted is not written. Nor is one without times,
 * which counts as a loss if it belongs to a recorded call.
 */
bool xs_op_filter_wants(const struct xs_gpu_op *op);

#endif
