/* SPDX-License-Identifier: MIT */
/* CUDA's own start, which the first call of a process pays for. */
#ifndef XS_ANALYZER_TIMELINE_CUDA_STARTUP_H
#define XS_ANALYZER_TIMELINE_CUDA_STARTUP_H

#include "analyzer/read/trace.h"

struct xs_cuda_startup {
	uint32_t call;	 /* that CUDA started in; XS_NONE: not recorded */
	uint64_t end_ns; /* when the call's own work began: CLOCK_REALTIME */
	uint64_t ns;	 /* what the start took; 0: not known */
};

/*
 * It ends where the first context was created. In a trace that does not say
 * when, it is what the first call took beyond the others of its kind; where it
 * has none to compare with it stays with the call. A program may start CUDA by
 * a call that is not recorded, as cudaSetDevice: then ns is the most that it
 * can be, since tracing began, and since the thread's last call.
 */
void xs_cuda_startup_find(const struct xs_trace *trace,
			  struct xs_cuda_startup *init);

/* The start of the call's own work. CLOCK_REALTIME ns. */
uint64_t xs_cuda_startup_call_start_ns(const struct xs_cuda_startup *init,
				       const struct xs_trace *trace,
				       uint32_t call);

#endif
