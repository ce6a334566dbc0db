/* SPDX-License-Identifier: MIT */
/* CUDA's own startup, whose time is part of a process's first call. */
#pragma once

#include "analyzer/read/trace.h"

/*
 * Fills trace->startup and lets the call in which CUDA started, and those of
 * other threads that waited for it, begin when the startup ends, so that no
 * round and no wait has it. Calls that ended meanwhile take no time then: calls
 * stay sorted.
 *
 * The startup ends when the first context is created. If the trace does not
 * show when, it is the time by which the first call exceeds others of its kind;
 * without others to compare with, it is not separated from the call, but that
 * pinning takes about 0.3 ns a byte. A call that is not recorded, such as
 * cudaSetDevice, may start CUDA: ns is then an upper bound, counted from the
 * start of tracing or from the thread's last call.
 */
void xs_cuda_startup_separate(struct xs_trace *trace);

/* Gives these calls the times at which they were made. */
void xs_cuda_startup_restore(struct xs_trace *trace);
