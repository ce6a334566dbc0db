/* SPDX-License-Identifier: MIT */
/* Copies in of data that a framework first copies to pinned memory of its own.
 */
#pragma once

#include "analyzer/rounds/rounds.h"

/* Returns whether cupy.asarray() or the like copies in from pinned memory: if
 * an array is not pinned, it is copied to pinned memory of CuPy's right before
 * the call. */
bool xs_copy_is_staged(const struct xs_trace *trace, const struct xs_op *op);

/* Rounds begin with that copy of CuPy's: where the time before a staged copy is
 * that of a copy within the host's memory, their begins move back. */
void xs_rounds_begin_with_staging(const struct xs_trace *trace,
				  struct xs_rounds *rounds);
