/* SPDX-License-Identifier: MIT */
/* CUDA's own startup, whose time is part of a process's first call. */
#pragma once

#include "analyzer/read/trace.h"

struct xs_cuda_startup {
	uint32_t call;	 /* the call in which CUDA started; XS_NONE: not
			  * recorded */
	uint64_t end_ns; /* end of the startup, CLOCK_REALTIME */
	uint64_t ns;	 /* duration of the startup; 0: unknown */
};

/*
 * The startup ends when the first context is created. If the trace does not
 * show when, it is the time by which the first call exceeds others of its kind;
 * without others to compare with, it is not separated from the call, but that
 * pinning takes about 0.3 ns a byte. A call
 * that is not recorded, such as cudaSetDevice, may start CUDA: ns is then an
 * upper bound, counted from the start of tracing or from the thread's last
 * call.
 */
void xs_cuda_startup_find(const struct xs_trace *trace,
			  struct xs_cuda_startup *startup);

/* Returns the start of the call without the startup. CLOCK_REALTIME ns. */
uint64_t xs_cuda_startup_call_start_ns(const struct xs_cuda_startup *startup,
				       const struct xs_trace *trace,
				       uint32_t call);

/* Whether the call pins host memory. */
static inline bool xs_call_pins(const struct xs_call *call)
{
	return call->call_class == XS_CALL_ALLOC_PINNED ||
	       call->call_class == XS_CALL_REGISTER;
}
