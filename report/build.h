/* SPDX-License-Identifier: MIT */
/*
 * The parts that result.c puts together. What they allocate belongs to the
 * result; a failed allocation is remembered by its arena.
 */
#ifndef XS_REPORT_BUILD_H
#define XS_REPORT_BUILD_H

#include "analyzer/allocations.h"
#include "analyzer/phase.h"
#include "analyzer/trace.h"
#include "model/model.h"
#include "report/result.h"

/*
 * A figure of the trace. No run lasts 36 years and none moves an exbibyte: a
 * damaged trace may say so, and sums of what is left here cannot overflow.
 */
static inline int64_t xs_build_number(uint64_t value)
{
	const uint64_t most = UINT64_C(1) << 60;

	return (int64_t)(value < most ? value : most);
}

/* A string of the trace by index; NULL for none. */
const char *xs_build_string(struct xs_result *result,
			    const struct xs_trace *trace, uint32_t index);

/* coverage, from the trace, result->run and result->machine. */
void xs_build_coverage(struct xs_result *result, const struct xs_trace *trace);

/* All of a phase but its estimates. */
void xs_build_phase(struct xs_result *result, const struct xs_trace *trace,
		    const struct xs_phase *phase, struct xs_result_phase *out);

/* The phase on ATGPU. 0 or -ENOMEM. */
int xs_build_atgpu(struct xs_result *result,
		   const struct xs_allocations *allocations,
		   const struct xs_phase *phase, struct xs_result_atgpu *out);

/* One estimate; with a phase, also what it makes of the whole run. */
void xs_build_estimate(struct xs_result *result,
		       const struct xs_result_phase *phase,
		       const struct xs_estimate *in,
		       struct xs_result_estimate *out);

#endif
